/* ini: see ini.h. */
#include "entrypoint/ini.h"

#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <string.h>

#include "init/own.h"
#include "init/text.h"

#define INI_SPACES " \t\r\v\f"

struct ini_source {
	const char *name;
	const char *next; /* where the next line begins */
	const char *end;
	unsigned int line; /* of the line handed out last */
	int (*handle)(void *user, const struct ini_assignment *assignment, struct fault *f);
	void *user;
	struct fault *fault;
	int error; /* the first one; inih itself goes on after errors */
};

static int ini_refuse(struct ini_source *source, const char *why)
{
	return fault_say(source->fault, -EINVAL, "%s:%u: %s", source->name, source->line, why);
}

/* A link's name may hold none of the characters that inih splits or comments at. */
static int ini_scan_link(struct ini_source *source, const char *line, size_t length)
{
	const char *equals = memchr(line, '=', length);
	size_t name = equals ? (size_t)(equals - line) : length;

	if (memchr(line, ':', name) || memchr(line, ';', name))
		return ini_refuse(source, "a link's name cannot hold ':' or ';' here; "
					  "use TYPECLAW_SANDBOX_SYMLINKS for it");
	if (equals && memchr(equals + 1, '=', length - name - 1))
		return ini_refuse(source, "a link line cannot hold a second '='; "
					  "use TYPECLAW_SANDBOX_SYMLINKS for it");
	return 0;
}

static int ini_scan_line(struct ini_source *source, const char *line, size_t length,
			 bool *in_symlinks)
{
	if (length > INI_LINE_MAX)
		return ini_refuse(source, "the line is over 190 bytes");
	if (memchr(line, '\0', length))
		return ini_refuse(source, "the line holds a NUL byte");
	/* inih asks isspace(3), and takes such a line as one more value of the key before it. */
	if (length && strchr(INI_SPACES, line[0]) && strspn(line, INI_SPACES) < length)
		return ini_refuse(source, "the line is indented; begin it in the first column");
	if (length && line[0] == '[')
		*in_symlinks = length >= 10 && memcmp(line, "[symlinks]", 10) == 0;
	else if (length && line[0] != ';' && line[0] != '#' && *in_symlinks)
		return ini_scan_link(source, line, length);
	return 0;
}

static int ini_scan(struct ini_source *source)
{
	const char *line = source->next;
	bool in_symlinks = false;

	while (line < source->end) {
		const char *newline = memchr(line, '\n', (size_t)(source->end - line));
		const char *stop = newline ? newline : source->end;
		int r;

		source->line++;
		r = ini_scan_line(source, line, (size_t)(stop - line), &in_symlinks);
		if (r < 0)
			return r;
		line = stop + 1;
	}
	source->line = 0;
	return 0;
}

/* fgets(3) on the bytes, counting lines. */
static char *ini_next_line(char *buffer, int size, void *user)
{
	struct ini_source *source = user;
	size_t rest = (size_t)(source->end - source->next);
	const char *newline = memchr(source->next, '\n', rest);
	size_t length = newline ? (size_t)(newline - source->next) + 1 : rest;

	if (!rest || length >= (size_t)size)
		return NULL;
	memcpy(buffer, source->next, length);
	buffer[length] = '\0';
	source->next += length;
	source->line++;
	return buffer;
}

static int ini_assign(void *user, const char *section, const char *key, const char *value)
{
	struct ini_source *source = user;

	const struct ini_assignment assignment = { section, key, value ? value : "", source->line };

	if (!source->error)
		source->error = source->handle(source->user, &assignment, source->fault);
	return source->error == 0;
}

int ini_read(const char *name, const char *bytes, size_t length,
	     int (*handle)(void *user, const struct ini_assignment *assignment, struct fault *f),
	     void *user, struct fault *f)
{
	struct ini_source source = { .name = name, .next = bytes, .end = bytes + length,
				     .handle = handle, .user = user, .fault = f };
	int r;

	if (length > INI_FILE_MAX)
		return fault_say(f, -EINVAL, "%s: the file is over %d bytes", name, INI_FILE_MAX);
	r = ini_scan(&source);
	if (r < 0)
		return r;
	r = ini_parse_stream(ini_next_line, &source, ini_assign, &source);
	if (source.error)
		return source.error;
	if (r < 0)
		return fault_say(f, -ENOMEM, "%s: out of memory", name);
	source.line = r > 0 ? (unsigned int)r : 0;
	return r ? ini_refuse(&source, "neither a section nor `key = value`") : 0;
}
