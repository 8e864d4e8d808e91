/*
 * fuzz escape: whatever the bytes are, what comes out is printable, says the same again when it is
 * read back, and is never cut; and UTF-8 is judged as RFC 3629 does, by another way of counting.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "init/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static unsigned int digit(char c)
{
	return c <= '9' ? (unsigned int)(c - '0') : (unsigned int)(c - 'a' + 10);
}

/* The next byte that an escaped text stands for. */
static uint8_t unescape(const char **cursor)
{
	static const char letters[] = "n\nt\tr\r\"\"\\\\";
	const char *c = *cursor;

	*cursor += 1;
	if (c[0] != '\\')
		return (uint8_t)c[0];
	*cursor += 1;
	if (c[1] == 'x') {
		*cursor += 2;
		return (uint8_t)(digit(c[2]) << 4 | digit(c[3]));
	}
	for (const char *pair = letters; *pair; pair += 2)
		if (pair[0] == c[1])
			return (uint8_t)pair[1];
	abort();
}

/* The code point at `data`, its length, or 0 for none: the longest reading is tried first. */
static size_t decode(const uint8_t *data, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = data[0] < 0x80 ? 1 : data[0] >> 5 == 6 ? 2 : data[0] >> 4 == 14 ? 3 : 4;
	uint32_t point = n == 1 ? data[0] : data[0] & (0x7fU >> n);

	if (n > size || (n == 4 && data[0] >> 3 != 30))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (data[i] >> 6 != 2)
			return 0;
		point = point << 6 | (data[i] & 0x3f);
	}
	if (point < least[n] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_TEXT struct text t = {};
	const char *cursor;
	size_t at = 0;

	text_escape(&t, data, size);
	require(text_error(&t) == 0);
	cursor = t.data;
	for (size_t i = 0; i < t.length; i++)
		require(t.data[i] >= 0x20 && t.data[i] < 0x7f);
	for (size_t i = 0; i < size; i++)
		require(unescape(&cursor) == data[i]);
	require(cursor == t.data + t.length);
	while (at < size) {
		size_t n = decode(data + at, size - at);

		if (n == 0)
			break;
		at += n;
	}
	require(text_is_utf8(data, size) == (at == size));
	return 0;
}
