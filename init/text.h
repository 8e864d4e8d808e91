/*
 * text: a growing string with a limit and a sticky error, the escaping of foreign bytes,
 * and numbers read strictly.
 *
 * Errors are kept, not returned: a writer adds as much as it likes and asks once, with
 * text_error(), whether all of it went in.  What does not fit is an error, never cut.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data; /* NUL-terminated once anything was added; owned */
	size_t length;
	size_t size;
	size_t limit; /* bytes without the NUL; 0: TEXT_LIMIT */
	int error;    /* 0, -ENOMEM or -E2BIG, kept from the first failure */
};

#define TEXT_LIMIT ((size_t)1 << 20)
#define AUTO_TEXT __attribute__((cleanup(text_clear)))

void text_clear(struct text *t);
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vadd(struct text *t, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
void text_add_bytes(struct text *t, const void *bytes, size_t length);

/*
 * Adds foreign bytes so that they can stand in a terminal, a log or quotes: printable
 * ASCII as it is, `"` and `\` with a backslash, everything else as \n, \t, \r or \xNN.
 */
void text_escape(struct text *t, const void *bytes, size_t length);

/* 0, or the first error; t->data is "" or more when it is 0. */
int text_error(struct text *t);

/* The string, now the caller's to free(); NULL after an error.  `t` is empty afterwards. */
char *text_take(struct text *t);

/* True for well-formed UTF-8, RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF. */
bool text_is_utf8(const void *bytes, size_t length);

/*
 * A decimal number, digits only (no sign, no space, no leading zero but "0" itself),
 * within [min, max].  0, -EINVAL for what is no number, -ERANGE.
 */
int number_parse(const char *string, uint64_t min, uint64_t max, uint64_t *ret);

/*
 * Steps through the words of one line, as procfs writes them: spaces and tabs between, the line
 * ends at a newline or NUL.  False when there is no further word.  `*cursor` is moved.
 */
struct word {
	const char *start;
	size_t length;
};
bool word_next(const char **cursor, struct word *ret);
bool word_is(const struct word *word, const char *string);

/* The same for a word that must be a decimal number; a sign or anything else is -EINVAL. */
int word_next_number(const char **cursor, uint64_t min, uint64_t max, uint64_t *ret);
