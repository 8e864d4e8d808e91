/* base64: see base64.h. */
#include "symlinks/base64.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "init/own.h"

/* The value of a character, or -1.  No table: a boot decodes one short string. */
static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	return -1;
}

static size_t base64_skip_breaks(const char *text, size_t length, size_t at)
{
	while (at < length &&
	       (text[at] == '\n' || (text[at] == '\r' && at + 1 < length && text[at + 1] == '\n')))
		at++;
	return at;
}

/* From the first `=` on: all of the padding that `digits` digits need, and nothing else. */
static int base64_read_padding(const char *text, size_t length, size_t at, size_t digits,
			       size_t *ret_at)
{
	size_t missing = (4 - digits % 4) % 4;

	while (missing > 0 && at < length && text[at] == '=') {
		at = base64_skip_breaks(text, length, at + 1);
		missing--;
	}
	*ret_at = at;
	return missing == 0 && at == length ? 0 : -EINVAL;
}

int base64_decode(const char *text, size_t length, char **ret_bytes, size_t *ret_length,
		  size_t *ret_at)
{
	AUTO_FREE char *bytes = malloc(length / 4 * 3 + 4);
	size_t at = base64_skip_breaks(text, length, 0);
	size_t digits = 0;
	size_t used = 0;
	uint32_t bits = 0;

	if (!bytes)
		return -ENOMEM;
	for (; at < length && text[at] != '='; at = base64_skip_breaks(text, length, at + 1)) {
		int value = base64_value(text[at]);

		if (value < 0) {
			*ret_at = at;
			return -EINVAL;
		}
		bits = (bits << 6 | (uint32_t)value) & 0xffff;
		/* After the first digit of four there is no whole byte yet. */
		if (digits++ % 4 != 0)
			bytes[used++] = (char)(bits >> (6 - 2 * ((digits - 1) % 4)));
	}
	/* One digit alone holds six bits: no byte.  Bits beyond the last byte must be zero. */
	if (digits % 4 == 1 || (digits % 4 == 2 && (bits & 0x0f)) ||
	    (digits % 4 == 3 && (bits & 0x03))) {
		*ret_at = at;
		return -EINVAL;
	}
	if (at < length && base64_read_padding(text, length, at, digits, ret_at) < 0)
		return -EINVAL;
	bytes[used] = '\0';
	*ret_bytes = pointer_take(&bytes);
	*ret_length = used;
	return 0;
}
