/* text: growing strings, escaping, strict numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "init/own.h"
#include "init/text.h"

static void foreign_bytes_are_escaped(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *want;
	} rows[] = {
		{ "plain", 5, "plain" },
		{ "a\"b\\c", 5, "a\\\"b\\\\c" },
		{ "\x1b[31m", 5, "\\x1b[31m" },
		{ "a\0b", 3, "a\\x00b" },
		{ "\r\n\t", 3, "\\r\\n\\t" },
		{ "\xe2\x80\xae", 3, "\\xe2\\x80\\xae" },
		{ "\x7f", 1, "\\x7f" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text t = {};

		text_escape(&t, rows[i].bytes, rows[i].length);
		assert_int_equal(text_error(&t), 0);
		assert_string_equal(t.data, rows[i].want);
	}
}

static void what_does_not_fit_is_an_error_and_never_cut(void **state)
{
	AUTO_TEXT struct text t = { .limit = 10 };

	(void)state;
	text_add(&t, "%s", "0123456789");
	assert_int_equal(text_error(&t), 0);
	text_add(&t, "x");
	assert_int_equal(text_error(&t), -E2BIG);
	text_add_bytes(&t, "", 0);
	assert_int_equal(text_error(&t), -E2BIG);
	assert_null(text_take(&t));
}

static void an_empty_text_is_an_empty_string(void **state)
{
	AUTO_TEXT struct text t = {};
	AUTO_FREE char *taken = text_take(&t);

	(void)state;
	assert_string_equal(taken, "");
}

static void numbers_are_read_strictly(void **state)
{
	static const struct {
		const char *string;
		int want;
		uint64_t value;
	} rows[] = {
		{ "0", 0, 0 },	       { "7", 0, 7 },	       { "100", 0, 100 },
		{ "101", -ERANGE, 0 }, { "", -EINVAL, 0 },     { "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },  { " 1", -EINVAL, 0 },   { "1 ", -EINVAL, 0 },
		{ "01", -EINVAL, 0 },  { "0x1", -EINVAL, 0 },  { "18446744073709551616", -ERANGE, 0 },
		{ "1e3", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 0;

		assert_int_equal(number_parse(rows[i].string, 0, 100, &value), rows[i].want);
		assert_int_equal(value, rows[i].value);
	}
}

static void words_end_with_their_line(void **state)
{
	const char *line = "  0 \t1000  x1\n2";
	const char *cursor = line;
	struct word word;
	uint64_t number = 7;

	(void)state;
	assert_int_equal(word_next_number(&cursor, 0, 10, &number), 0);
	assert_int_equal(number, 0);
	assert_int_equal(word_next_number(&cursor, 0, 10, &number), -ERANGE);
	assert_int_equal(word_next_number(&cursor, 0, 10, &number), -EINVAL);
	assert_int_equal(number, 0);
	assert_false(word_next(&cursor, &word));
	cursor = line;
	assert_true(word_next(&cursor, &word) && word_is(&word, "0"));
	assert_false(word_is(&word, "00"));
	assert_false(word_is(&word, ""));
	cursor = "123456789012345678901234567890";
	assert_int_equal(word_next_number(&cursor, 0, UINT64_MAX, &number), -EINVAL);
}

static void utf8_is_judged_as_rfc_3629_says(void **state)
{
	static const struct {
		const char *bytes;
		bool good;
	} rows[] = {
		{ "", true },		  { "a", true },	      { "\xc3\xa9", true },
		{ "\xe2\x82\xac", true },  { "\xf0\x9f\x98\x80", true }, { "\x80", false },
		{ "\xc0\x80", false },	  { "\xc3", false },	      { "\xe0\x80\x80", false },
		{ "\xed\xa0\x80", false }, { "\xf4\x90\x80\x80", false }, { "\xff", false },
		{ "a\xc3(", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (text_is_utf8(rows[i].bytes, strlen(rows[i].bytes)) != rows[i].good)
			fail_msg("row %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_bytes_are_escaped),
		cmocka_unit_test(what_does_not_fit_is_an_error_and_never_cut),
		cmocka_unit_test(an_empty_text_is_an_empty_string),
		cmocka_unit_test(numbers_are_read_strictly),
		cmocka_unit_test(words_end_with_their_line),
		cmocka_unit_test(utf8_is_judged_as_rfc_3629_says),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
