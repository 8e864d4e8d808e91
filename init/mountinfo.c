/* mountinfo: see mountinfo.h. */
#include "init/mountinfo.h"

#include <errno.h>
#include <string.h>

#include "init/own.h"

/* Space, tab, newline and backslash are written as \ooo. */
static void unescape(char *string)
{
	char *out = string;

	for (const char *in = string; *in; out++) {
		if (in[0] == '\\' && in[1] >= '0' && in[1] <= '3' && in[2] >= '0' && in[2] <= '7' &&
		    in[3] >= '0' && in[3] <= '7') {
			*out = (char)((in[1] - '0') << 6 | (in[2] - '0') << 3 | (in[3] - '0'));
			in += 4;
		} else {
			*out = *in++;
		}
	}
	*out = '\0';
}

/* ID PARENT MAJ:MIN ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER */
int mountinfo_next(char **cursor, struct mount_line *ret)
{
	char *fields[6] = {};
	char *line;
	char *word;

	do
		line = strsep(cursor, "\n");
	while (line && !line[0]);
	if (!line)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		fields[i] = strsep(&line, " ");
	do
		word = strsep(&line, " ");
	while (word && strcmp(word, "-") != 0);
	*ret = (struct mount_line){ .root = fields[3], .point = fields[4], .options = fields[5] };
	ret->type = strsep(&line, " ");
	ret->source = strsep(&line, " ");
	ret->super = line;
	if (!word || !ret->super)
		return -EINVAL;
	unescape(ret->root);
	unescape(ret->point);
	unescape(ret->source);
	return 1;
}

const char *mount_option_value(const char *options, const char *name, size_t *ret_length)
{
	size_t length = strlen(name);

	for (const char *option = options; option;) {
		const char *end = strchrnul(option, ',');

		if (strncmp(option, name, length) == 0 && option[length] == '=') {
			*ret_length = (size_t)(end - option) - length - 1;
			return option + length + 1;
		}
		option = *end ? end + 1 : NULL;
	}
	return NULL;
}

bool mount_has_option(const char *options, const char *name)
{
	size_t length = strlen(name);

	for (const char *option = options; option;) {
		const char *end = strchrnul(option, ',');

		if ((size_t)(end - option) == length && memcmp(option, name, length) == 0)
			return true;
		option = *end ? end + 1 : NULL;
	}
	return false;
}
