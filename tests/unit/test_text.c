/* text: growing strings, escaping, strict numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_bytes_are_escaped),
		cmocka_unit_test(what_does_not_fit_is_an_error_and_never_cut),
		cmocka_unit_test(an_empty_text_is_an_empty_string),
		cmocka_unit_test(numbers_are_read_strictly),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
