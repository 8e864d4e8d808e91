/* image: nothing that is written into an instruction can become another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "dockerfile/image.h"
#include "init/own.h"

static void names_that_could_be_more_than_a_name_are_refused(void **state)
{
	static const char *const hostile[] = {
		"",    "a b", "a\nRUN x", "$HOME", "a\\", "-x",       "--from=y",
		"a\"", "a'",  "a*",       "a;b",   "a\t", "\xc3\xa9",
	};
	static const char *const good = "a.b-1";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		const char *bad = hostile[i];
		const struct image_request rows[] = {
			{ .base = bad, .agent_dir = "/agent" },
			{ .binary_from = bad, .agent_dir = "/agent" },
			{ .agent_dir = bad },
			{ .config = bad, .agent_dir = "/agent" },
			{ .packages = &bad, .n_packages = 1, .agent_dir = "/agent" },
			{ .packages = (const char *[]){ good, bad },
			  .n_packages = 2,
			  .agent_dir = "/agent" },
		};

		for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
			AUTO_TEXT struct text text = {};
			struct fault f = {};

			assert_int_equal(image_write(&rows[row], &text, &f), -EINVAL);
			assert_null(strchr(f.message, '\n'));
			assert_int_equal(text.length, 0);
		}
	}
}

static void bubblewrap_the_entrypoint_and_the_health_check_are_always_there(void **state)
{
	AUTO_TEXT struct text text = {};
	char program[] = "node", argument[] = "a \"b\"\n$x";
	char *command[] = { program, argument, NULL };
	struct image_request request = { .agent_dir = "/agent", .command = command };

	(void)state;
	assert_int_equal(image_write(&request, &text, NULL), 0);
	assert_non_null(strstr(text.data, "\nFROM debian:bookworm-slim\n"));
	assert_non_null(strstr(text.data, " bubblewrap "));
	assert_non_null(
		strstr(text.data, "\nENTRYPOINT [\"/usr/local/bin/typeclaw-entrypoint\"]\n"));
	assert_non_null(strstr(text.data, "\nSTOPSIGNAL SIGTERM\n"));
	assert_non_null(strstr(text.data, "\"doctor\", \"--quick\", \"--quiet\"]\n"));
	assert_non_null(strstr(text.data, "\nCMD [\"node\", \"a \\\"b\\\"\\u000a$x\"]\n"));
}

static void without_packages_nothing_needs_a_shell(void **state)
{
	AUTO_TEXT struct text text = {};
	struct image_request request = { .base = "scratch",
					 .agent_dir = "/srv/agent",
					 .no_packages = true,
					 .bake = true,
					 .config = "init.ini",
					 .binary_from = "typeclaw-init:0.1.0" };

	(void)state;
	assert_int_equal(image_write(&request, &text, NULL), 0);
	assert_null(strstr(text.data, "RUN apt"));
	assert_non_null(strstr(text.data, "\nRUN [\"/usr/local/bin/typeclaw-init\", \"link\"]\n"));
	assert_non_null(strstr(text.data, "\nENV TYPECLAW_AGENT_DIR=/srv/agent\n"));
	assert_non_null(strstr(text.data, "\nCOPY init.ini /etc/typeclaw/init.ini\n"));
	assert_non_null(strstr(text.data, "\nCOPY --from=typeclaw-init:0.1.0 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_could_be_more_than_a_name_are_refused),
		cmocka_unit_test(bubblewrap_the_entrypoint_and_the_health_check_are_always_there),
		cmocka_unit_test(without_packages_nothing_needs_a_shell),
	};

	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
