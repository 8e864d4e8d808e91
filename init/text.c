/* text: see text.h. */
#include "init/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"

void text_clear(struct text *t)
{
	free(t->data);
	*t = (struct text){ .limit = t->limit };
}

/* Makes room for `more` bytes and a NUL. */
static int text_reserve(struct text *t, size_t more)
{
	size_t limit = t->limit ? t->limit : TEXT_LIMIT;
	size_t size;
	char *data;

	if (t->error)
		return t->error;
	if (more > limit - t->length)
		return t->error = -E2BIG;
	if (t->length + more + 1 <= t->size)
		return 0;
	size = t->size ? t->size : 128;
	while (size < t->length + more + 1)
		size *= 2;
	data = realloc(t->data, size);
	if (!data)
		return t->error = -ENOMEM;
	t->data = data;
	t->size = size;
	return 0;
}

void text_add_bytes(struct text *t, const void *bytes, size_t length)
{
	if (text_reserve(t, length) < 0)
		return;
	if (length)
		memcpy(t->data + t->length, bytes, length);
	t->length += length;
	t->data[t->length] = '\0';
}

void text_vadd(struct text *t, const char *format, va_list arguments)
{
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0) {
		t->error = t->error ? t->error : -EINVAL;
		return;
	}
	if (text_reserve(t, (size_t)length) < 0)
		return;
	(void)vsnprintf(t->data + t->length, (size_t)length + 1, format, arguments);
	t->length += (size_t)length;
}

void text_add(struct text *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vadd(t, format, arguments);
	va_end(arguments);
}

void text_escape(struct text *t, const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < length; i++) {
		switch (byte[i]) {
		case '"':
		case '\\':
			text_add(t, "\\%c", byte[i]);
			break;
		case '\n':
			text_add_bytes(t, "\\n", 2);
			break;
		case '\t':
			text_add_bytes(t, "\\t", 2);
			break;
		case '\r':
			text_add_bytes(t, "\\r", 2);
			break;
		default:
			if (byte[i] >= 0x20 && byte[i] < 0x7f)
				text_add_bytes(t, &byte[i], 1);
			else
				text_add(t, "\\x%02x", byte[i]);
		}
	}
}

int text_error(struct text *t)
{
	text_add_bytes(t, "", 0);
	return t->error;
}

char *text_take(struct text *t)
{
	char *data;

	if (text_error(t) < 0) {
		text_clear(t);
		return NULL;
	}
	data = pointer_take(&t->data);
	*t = (struct text){ .limit = t->limit };
	return data;
}

/* The length of the sequence that begins here, 0 when it is none. */
static size_t utf8_sequence(const unsigned char *byte, size_t rest)
{
	size_t length = byte[0] < 0x80 ? 1 : byte[0] < 0xc2 ? 0 : byte[0] < 0xe0 ? 2 :
			byte[0] < 0xf0 ? 3 : byte[0] < 0xf5 ? 4 : 0;

	if (length == 0 || length > rest)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	if ((byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xed && byte[1] > 0x9f) ||
	    (byte[0] == 0xf0 && byte[1] < 0x90) || (byte[0] == 0xf4 && byte[1] > 0x8f))
		return 0;
	return length;
}

bool text_is_utf8(const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;

	while (length > 0) {
		size_t n = utf8_sequence(byte, length);

		if (n == 0)
			return false;
		byte += n;
		length -= n;
	}
	return true;
}

int number_parse(const char *string, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (!string[0] || (string[0] == '0' && string[1]))
		return -EINVAL;
	for (const char *c = string; *c; c++) {
		if (*c < '0' || *c > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			return -ERANGE;
	}
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

bool word_next(const char **cursor, struct word *ret)
{
	const char *start = *cursor + strspn(*cursor, " \t");
	size_t length = strcspn(start, " \t\n");

	*cursor = start + length;
	if (length == 0)
		return false;
	*ret = (struct word){ start, length };
	return true;
}

bool word_is(const struct word *word, const char *string)
{
	return strlen(string) == word->length && memcmp(word->start, string, word->length) == 0;
}

int word_next_number(const char **cursor, uint64_t min, uint64_t max, uint64_t *ret)
{
	char digits[24];
	struct word word;

	if (!word_next(cursor, &word) || word.length >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, word.start, word.length);
	digits[word.length] = '\0';
	return number_parse(digits, min, max, ret);
}
