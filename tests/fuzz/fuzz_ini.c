/*
 * fuzz ini: bytes as an INI file.  What is handed on stands in the file as it was written, on the
 * line that is named, never cut; every value is judged without a crash; a refusal says why in
 * printable bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "entrypoint/ini.h"
#include "entrypoint/keys.h"
#include "init/own.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct file {
	const char *bytes;
	size_t length;
	unsigned int last_line;
};

static void require(int truth)
{
	if (!truth)
		abort();
}

static void require_plain(const struct fault *f)
{
	require(f->message[0]);
	for (const char *c = f->message; *c; c++)
		require(*c >= 0x20 && *c < 0x7f);
}

static const char *line_of(const struct file *file, unsigned int number, size_t *ret_length)
{
	const char *line = file->bytes;
	const char *end = file->bytes + file->length;

	for (unsigned int i = 1; i < number; i++) {
		line = memchr(line, '\n', (size_t)(end - line));
		require(line != NULL);
		line++;
	}
	*ret_length = strcspn(line, "\n");
	return line;
}

static int take(void *user, const struct ini_assignment *assignment, struct fault *f)
{
	struct file *file = user;
	AUTO_CONFIG struct config config = {};
	enum config_key key = key_find(assignment->section, assignment->key);
	struct fault why = {};
	size_t length;
	const char *line = line_of(file, assignment->line, &length);

	(void)f;
	require(assignment->line > file->last_line && length <= INI_LINE_MAX);
	file->last_line = assignment->line;
	require(memmem(line, length, assignment->key, strlen(assignment->key)) != NULL);
	require(memmem(line, length, assignment->value, strlen(assignment->value)) != NULL);
	if (key != KEY_COUNT && key_apply(key, assignment->value, &config, &why) < 0)
		require_plain(&why);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *bytes = malloc(size + 1);
	struct file file = { bytes, size, 0 };
	struct fault f = {};

	require(bytes != NULL);
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	if (ini_read("f", bytes, size, take, &file, &f) < 0)
		require_plain(&f);
	return 0;
}
