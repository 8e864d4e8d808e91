/* quote: one string, safe in a shell, in JSON, in YAML and in base64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "dockerfile/quote.h"
#include "init/own.h"

struct row {
	const char *given;
	const char *want;
};

static void a_word_is_quoted_for_sh_only_where_it_must_be(void **state)
{
	static const struct row rows[] = {
		{ "seccomp=unconfined", "seccomp=unconfined" },
		{ "W3siZnJvbSI6In4vLmZvbyJ9XQ==", "W3siZnJvbSI6In4vLmZvbyJ9XQ==" },
		{ "", "''" },
		{ "~/x", "'~/x'" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "'", "''\\'''" },
		{ "$(id)", "'$(id)'" },
		{ "`id`", "'`id`'" },
		{ "a\nb", "'a\nb'" },
		{ "a;b", "'a;b'" },
		{ "\\", "'\\'" },
		{ "!x", "'!x'" },
		{ "*", "'*'" },
		{ "#x", "'#x'" },
		{ "\xff", "'\xff'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text t = {};

		quote_shell(&t, rows[i].given);
		assert_int_equal(text_error(&t), 0);
		assert_string_equal(t.data, rows[i].want);
	}
}

static void a_string_is_the_same_in_json_and_in_yaml(void **state)
{
	static const struct row rows[] = {
		{ "", "\"\"" },
		{ "yes", "\"yes\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\n\t\x1b", "\"\\u000a\\u0009\\u001b\"" },
		{ "\x7f\xc2\x85", "\"\\u007f\\u0085\"" },
		{ "\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\"" },
		{ "\xef\xbb\xbfx", "\"\\ufeffx\"" },
		{ "\xef\xbf\xbf", "\"\\uffff\"" },
		{ "\xe6\x97\xa5", "\"\xe6\x97\xa5\"" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
		{ "$HOME", "\"$HOME\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text t = {};

		quote_json(&t, rows[i].given);
		assert_int_equal(text_error(&t), 0);
		assert_string_equal(t.data, rows[i].want);
	}
}

static void what_is_no_utf8_is_an_error_and_not_a_string(void **state)
{
	static const char *const rows[] = {
		"\x80",             /* a continuation alone */
		"\xc3",             /* cut off */
		"\xe2\x80",         /* cut off */
		"\xf0\x9f\x98",     /* cut off */
		"\xc0\xaf",         /* overlong / */
		"\xe0\x80\xaf",     /* overlong / */
		"\xf0\x80\x80\xaf", /* overlong / */
		"\xed\xa0\x80",     /* surrogate */
		"\xf4\x90\x80\x80", /* above U+10FFFF */
		"\xf8\x88\x80\x80\x80",
		"\xff",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text t = {};

		quote_json(&t, rows[i]);
		assert_int_equal(text_error(&t), -EILSEQ);
	}
}

static void a_dollar_is_doubled_for_formats_that_expand_variables(void **state)
{
	AUTO_TEXT struct text t = {};

	(void)state;
	quote_json_expanded(&t, "$(HOME)/${x}/$$");
	assert_int_equal(text_error(&t), 0);
	assert_string_equal(t.data, "\"$$(HOME)/$${x}/$$$$\"");
}

static void base64_has_the_vectors_of_rfc_4648(void **state)
{
	static const struct row rows[] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xff\xfe\xfb\xef", "//777w==" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text t = {};

		quote_base64(&t, rows[i].given, strlen(rows[i].given));
		assert_int_equal(text_error(&t), 0);
		assert_string_equal(t.data, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_quoted_for_sh_only_where_it_must_be),
		cmocka_unit_test(a_string_is_the_same_in_json_and_in_yaml),
		cmocka_unit_test(what_is_no_utf8_is_an_error_and_not_a_string),
		cmocka_unit_test(a_dollar_is_doubled_for_formats_that_expand_variables),
		cmocka_unit_test(base64_has_the_vectors_of_rfc_4648),
	};

	return cmocka_run_group_tests_name("quote", tests, NULL, NULL);
}
