/* roff: see roff.h. */
#include "packaging/roff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/file.h"
#include "init/own.h"

#define ROFF_FILE_MAX 262144

void roff_add(struct text *t, const char *string, size_t length)
{
	bool bold = false;

	if (length > 0 && (string[0] == '.' || string[0] == '\''))
		text_add(t, "\\&"); /* else it would be a request */
	for (size_t i = 0; i < length; i++) {
		if (string[i] == '\\')
			text_add(t, "\\e");
		else if (string[i] == '-')
			text_add(t, "\\-");
		else if (string[i] == '`')
			text_add(t, (bold = !bold) ? "\\fB" : "\\fR");
		else if (string[i] == '"')
			text_add(t, "\\(dq"); /* would end an argument of a macro */
		else
			text_add_bytes(t, string + i, 1);
	}
}

void roff_add_string(struct text *t, const char *string)
{
	roff_add(t, string, strlen(string));
}

void roff_add_sentence(struct text *t, const char *string)
{
	char first = string[0] >= 'a' && string[0] <= 'z' ? (char)(string[0] - 32) : string[0];

	if (first && first != string[0])
		text_add_bytes(t, &first, 1);
	roff_add_string(t, string + (first != string[0]));
	text_add(t, ".\n");
}

void roff_begin(struct text *t, const char *name, const char *section, const char *date,
		const char *summary)
{
	text_add(t,
		 ".\\\" Written from the tables of the program; `make man` writes it anew.\n.TH ");
	for (const char *letter = name; *letter; letter++)
		text_add(t, "%c", *letter >= 'a' && *letter <= 'z' ? *letter - 32 : *letter);
	text_add(t, " %s %s \"typeclaw-init %s\" \"%s\"\n.SH NAME\n", section, date, VERSION,
		 *section == '1'   ? "User Commands"
		 : *section == '5' ? "File Formats"
				   : "Miscellanea");
	roff_add_string(t, name);
	text_add(t, " \\- ");
	roff_add_string(t, summary);
	text_add(t, "\n");
}

void roff_add_prose(struct text *t, const char *prose, size_t length)
{
	const char *end = prose + length;

	while (prose < end) {
		const char *newline = memchr(prose, '\n', (size_t)(end - prose));
		size_t n = (size_t)((newline ? newline : end) - prose);
		size_t indent = strspn(prose, " ");

		if (n == 0) {
			text_add(t, ".PP\n");
		} else {
			if (indent > 0)
				text_add(t, ".br\n");
			roff_add(t, prose + indent, n - indent);
			text_add(t, "\n");
		}
		prose += n + 1;
	}
}

static void roff_fail(const char *path, int error)
{
	dprintf(STDERR_FILENO, "packaging: %s: %s\n", path, strerror(error));
	exit(1);
}

void roff_save(const char *directory, const char *name, struct text *t)
{
	AUTO_TEXT struct text path = {};
	AUTO_CLOSE int fd = -1;
	int r = text_error(t);

	text_add(&path, "%s/%s", directory ? directory : "", name);
	if (r < 0 || text_error(&path))
		roff_fail(name, ENOMEM);
	if (directory)
		fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (directory && fd < 0)
		roff_fail(path.data, errno);
	r = file_write_all(directory ? fd : STDOUT_FILENO, t->data, t->length);
	if (r < 0)
		roff_fail(path.data, -r);
}

char *roff_load(const char *directory, const char *name)
{
	AUTO_TEXT struct text path = {};
	char *data = NULL;
	int r;

	text_add(&path, "%s/%s", directory, name);
	if (text_error(&path))
		roff_fail(name, ENOMEM);
	r = file_slurp(AT_FDCWD, path.data, ROFF_FILE_MAX, &data, NULL);
	if (r < 0 && r != -ENOENT)
		roff_fail(path.data, -r);
	return data;
}
