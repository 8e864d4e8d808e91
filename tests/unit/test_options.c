/* options: the one table, and how words are read by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "entrypoint/options.h"
#include "init/own.h"

static void options_end_at_the_first_word_that_is_none(void **state)
{
	static const struct {
		const char *words[6];
		const char *first; /* of the rest */
		int n_rest;
		size_t n_uses;
	} rows[] = {
		{ { "sh", "-c", "x" }, "sh", 3, 0 },
		{ { "-v", "sh", "-v" }, "sh", 2, 1 },
		{ { "--", "-v" }, "-v", 1, 0 },
		{ { "-v", "--", "--", "x" }, "--", 2, 1 },
		{ { "-" }, "-", 1, 0 },
		{ { "-gv", "x" }, "x", 1, 2 },
		{ { "-e143", "-e", "7", "x" }, "x", 1, 2 },
		{ { "-ge143", "x" }, "x", 1, 2 },
		{ { "--set", "a.b=c", "x" }, "x", 1, 1 },
		{ { "--set=a.b=c", "x" }, "x", 1, 1 },
		{ { "", "-v" }, "", 2, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arguments arguments;
		struct fault f = {};

		assert_int_equal(options_parse(COMMAND_RUN, (char **)rows[i].words, &arguments, &f),
				 0);
		assert_string_equal(arguments.rest[0], rows[i].first);
		assert_int_equal(arguments.n_rest, rows[i].n_rest);
		assert_int_equal(arguments.n_uses, rows[i].n_uses);
	}
}

static void what_the_table_does_not_know_is_a_usage_error(void **state)
{
	static const struct {
		enum command_bit command;
		const char *words[3];
		const char *message;
	} rows[] = {
		{ COMMAND_RUN, { "--nope" }, "unknown option \"--nope\"" },
		{ COMMAND_RUN, { "-gZ" }, "unknown option \"-gZ\"" },
		{ COMMAND_RUN, { "--\x1b[1m" }, "unknown option \"--\\x1b[1m\"" },
		{ COMMAND_RUN, { "--set" }, "option --set needs SECTION.KEY=VALUE" },
		{ COMMAND_RUN, { "-e" }, "option -e needs STATUS" },
		{ COMMAND_LINK, { "--dry-run=1" }, "option --dry-run takes no value" },
		{ COMMAND_LINK, { "-g" }, "unknown option \"-g\"" },
		{ COMMAND_RUN, { "--dry-run" }, "unknown option \"--dry-run\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arguments arguments = { .n_rest = 77 };
		struct fault f = {};

		assert_int_equal(
			options_parse(rows[i].command, (char **)rows[i].words, &arguments, &f),
			-EINVAL);
		assert_string_equal(f.message, rows[i].message);
		assert_int_equal(arguments.n_rest, 77);
	}
}

static void commands_without_a_payload_take_options_anywhere(void **state)
{
	const char *words[] = { "proc-bind", "--json", "--", "--json", NULL };
	const char *many[OPTION_WORDS_MAX + 2] = { "a", "b", "c", "d", "e", "f", "g", "h", "i",
						   "j", "k", "l", "m", "n", "o", "p", "q" };
	struct arguments arguments;
	struct fault f = {};

	(void)state;
	assert_int_equal(options_parse(COMMAND_PROBE, (char **)words, &arguments, &f), 0);
	assert_true(arguments_has(&arguments, OPTION_JSON));
	assert_int_equal(arguments.n_uses, 1);
	assert_int_equal(arguments.n_rest, 2);
	assert_string_equal(arguments.rest[0], "proc-bind");
	assert_string_equal(arguments.rest[1], "--json");
	assert_null(arguments.rest[2]);
	assert_int_equal(options_parse(COMMAND_PROBE, (char **)many, &arguments, &f), -EINVAL);
}

static void more_options_than_the_limit_are_refused(void **state)
{
	static const char *words[OPTION_USES_MAX + 2];
	struct arguments arguments;
	struct fault f = {};

	(void)state;
	for (size_t i = 0; i <= OPTION_USES_MAX; i++)
		words[i] = "-v";
	assert_int_equal(options_parse(COMMAND_RUN, (char **)words, &arguments, &f), -EINVAL);
}

static void the_last_value_counts(void **state)
{
	const char *words[] = { "--config", "a", "--config=b", "x", NULL };
	struct arguments arguments;
	struct fault f = {};

	(void)state;
	assert_int_equal(options_parse(COMMAND_RUN, (char **)words, &arguments, &f), 0);
	assert_string_equal(arguments_value(&arguments, OPTION_CONFIG), "b");
	assert_null(arguments_value(&arguments, OPTION_SET));
	assert_false(arguments_has(&arguments, OPTION_SET));
}

static void each_name_stands_once_for_a_command(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_count; i++) {
		for (size_t k = i + 1; k < option_count; k++) {
			const struct option *a = &option_table[i];
			const struct option *b = &option_table[k];

			if (!(a->commands & b->commands))
				continue;
			assert_false(a->letter && a->letter == b->letter);
			assert_false(a->name && b->name && strcmp(a->name, b->name) == 0);
		}
	}
}

static void help_fits_eighty_columns(void **state)
{
	(void)state;
	for (unsigned int bit = 1; bit < COMMAND_ANY; bit <<= 1) {
		AUTO_TEXT struct text t = {};

		options_write_help((enum command_bit)bit, &t);
		assert_int_equal(text_error(&t), 0);
		for (const char *line = t.data; *line;) {
			size_t length = strcspn(line, "\n");

			assert_true(length <= 80);
			line += length + (line[length] == '\n');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_end_at_the_first_word_that_is_none),
		cmocka_unit_test(what_the_table_does_not_know_is_a_usage_error),
		cmocka_unit_test(commands_without_a_payload_take_options_anywhere),
		cmocka_unit_test(more_options_than_the_limit_are_refused),
		cmocka_unit_test(the_last_value_counts),
		cmocka_unit_test(each_name_stands_once_for_a_command),
		cmocka_unit_test(help_fits_eighty_columns),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
