/* quote: see quote.h. */
#include "dockerfile/quote.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "init/own.h"

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
 * The code point at `c` when it must be written \uNNNN to be the same string in JSON and in YAML
 * (1.2, section 5.1), and how many bytes it has; 0 bytes for all others.
 */
static size_t needs_escape(const char *c, unsigned int *ret_point)
{
	static const struct {
		const char *bytes;
		unsigned int point;
	} rows[] = {
		{ "\xe2\x80\xa8", 0x2028 }, { "\xe2\x80\xa9", 0x2029 }, { "\xef\xbb\xbf", 0xfeff },
		{ "\xef\xbf\xbe", 0xfffe }, { "\xef\xbf\xbf", 0xffff },
	};
	const unsigned char *byte = (const unsigned char *)c;

	*ret_point = byte[0];
	if (byte[0] < 0x20 || byte[0] == 0x7f)
		return 1;
	*ret_point = byte[1];
	if (byte[0] == 0xc2 && byte[1] < 0xa0) /* U+0080 to U+009F */
		return 2;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		*ret_point = rows[i].point;
		if (strncmp(c, rows[i].bytes, 3) == 0)
			return 3;
	}
	return 0;
}

static void quote_json_with(struct text *t, const char *string, bool double_dollars)
{
	if (!text_is_utf8(string, strlen(string))) {
		t->error = t->error ? t->error : -EILSEQ;
		return;
	}
	text_add_bytes(t, "\"", 1);
	while (*string) {
		unsigned int point = 0;
		size_t length = needs_escape(string, &point);

		if (length) {
			text_add(t, "\\u%04x", point);
		} else {
			if (*string == '"' || *string == '\\')
				text_add_bytes(t, "\\", 1);
			if (*string == '$' && double_dollars)
				text_add_bytes(t, "$", 1);
			text_add_bytes(t, string, 1);
		}
		string += length ? length : 1;
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
