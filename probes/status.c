/* status: see status.h. */
#include "probes/status.h"

#include <errno.h>
#include <string.h>

/* What follows `NAME:` at the start of a line. */
static const char *line_find(const char *status, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == ':')
			return line + length + 1;
	}
	return NULL;
}

static int digit_value(char c, int base)
{
	int value = -1;

	if (c >= '0' && c <= '9')
		value = c - '0';
	else if (c >= 'a' && c <= 'f')
		value = c - 'a' + 10;
	return value < base ? value : -1;
}

int status_number(const char *status, const char *name, unsigned int index, int base, uint64_t *ret)
{
	const char *c = line_find(status, name);
	uint64_t value = 0;

	if (!c)
		return -ENOENT;
	for (c += strspn(c, " \t"); index > 0; index--) {
		c += strcspn(c, " \t\n");
		c += strspn(c, " \t");
	}
	if (*c == '\n' || *c == '\0')
		return -ENOENT;
	for (; *c && *c != '\n' && *c != ' ' && *c != '\t'; c++) {
		int digit = digit_value(*c, base);

		if (digit < 0 || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return -EBADMSG;
	}
	*ret = value;
	return 0;
}
