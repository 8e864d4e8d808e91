/* quote: see quote.h. */
#include "dockerfile/quote.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* What no shell looks at, wherever it stands in a word. */
static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			    "_@%+=:,./-";

void quote_shell(struct text *t, const char *word)
{
	if (word[0] && !word[strspn(word, plain)]) {
		text_add_bytes(t, word, strlen(word));
		return;
	}
	text_add_bytes(t, "'", 1);
	for (const char *c = word; *c; c++) {
		if (*c == '\'')
			text_add_bytes(t, "'\\''", 4);
		else
			text_add_bytes(t, c, 1);
	}
	text_add_bytes(t, "'", 1);
}

/*
 * The code point at `bytes` and its length, or 0 for what RFC 3629 does not allow: overlong
 * forms, surrogates, above U+10FFFF, cut sequences (the NUL at the end is no continuation).
 */
static size_t utf8_decode(const char *bytes, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)bytes;
	uint32_t point = byte[0];
	size_t length = 1;

	if (byte[0] >= 0xf0 && byte[0] < 0xf8) {
		length = 4;
		point &= 0x07;
	} else if (byte[0] >= 0xe0 && byte[0] < 0xf0) {
		length = 3;
		point &= 0x0f;
	} else if (byte[0] >= 0xc0 && byte[0] < 0xe0) {
		length = 2;
		point &= 0x1f;
	} else if (byte[0] >= 0x80) {
		return 0;
	}
	for (size_t i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (byte[i] & 0x3f);
	}
	if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
		return 0;
	*ret = point;
	return length;
}

/* Must be written \uNNNN to be the same string in JSON and in YAML (1.2 section 5.1). */
static bool needs_escape(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 ||
	       point == 0x2029 || point == 0xfeff || point == 0xfffe || point == 0xffff;
}

static void quote_json_with(struct text *t, const char *string, bool double_dollars)
{
	uint32_t point = 0;
	size_t length;

	text_add_bytes(t, "\"", 1);
	for (const char *c = string; *c; c += length) {
		length = utf8_decode(c, &point);
		if (!length) {
			t->error = t->error ? t->error : -EILSEQ;
			return;
		}
		if (point == '"' || point == '\\')
			text_add(t, "\\%c", *c);
		else if (needs_escape(point))
			text_add(t, "\\u%04x", point);
		else if (point == '$' && double_dollars)
			text_add_bytes(t, "$$", 2);
		else
			text_add_bytes(t, c, length);
	}
	text_add_bytes(t, "\"", 1);
}

void quote_json(struct text *t, const char *string)
{
	quote_json_with(t, string, false);
}

void quote_json_expanded(struct text *t, const char *string)
{
	quote_json_with(t, string, true);
}

void quote_base64(struct text *t, const void *bytes, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/";
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < length; i += 3) {
		size_t here = length - i < 3 ? length - i : 3;
		uint32_t group = (uint32_t)byte[i] << 16;
		char four[4];

		if (here > 1)
			group |= (uint32_t)byte[i + 1] << 8;
		if (here > 2)
			group |= byte[i + 2];
		for (size_t digit = 0; digit < 4; digit++)
			four[digit] = digits[group >> (18 - 6 * digit) & 0x3f];
		if (here < 3)
			four[3] = '=';
		if (here < 2)
			four[2] = '=';
		text_add_bytes(t, four, sizeof(four));
	}
}
