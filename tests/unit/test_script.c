/* script: what commands say; the vector files read as data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sandbox/script.h"
#include "tests/unit/ground.h"

static void check(const json_t *vector, bool found)
{
	bool expected = json_is_true(json_object_get(vector, "expect"));

	if (found != expected)
		fail_msg("\"%s\" is %s", string_of(vector, "command"), found ? "true" : "false");
}

static void check_install(const json_t *vector)
{
	check(vector, script_is_install(string_of(vector, "command")));
}

static void check_real_proc(const json_t *vector)
{
	check(vector, script_needs_real_proc(string_of(vector, "command")));
}

static void one_standalone_local_install_is_told_from_all_else(void **state)
{
	(void)state;
	vectors_run("tests/vectors/package-install-detect.json", check_install);
	vectors_run("tests/vectors/package-install-detect-more.json", check_install);
}

static void commands_that_need_a_real_proc_are_found(void **state)
{
	(void)state;
	vectors_run("tests/vectors/needs-real-proc.json", check_real_proc);
	vectors_run("tests/vectors/needs-real-proc-more.json", check_real_proc);
}

static void words_without_a_shell_are_judged_one_by_one(void **state)
{
	char *install[] = { (char *)"bun", (char *)"add", (char *)"foo", NULL };
	char *blank[] = { (char *)"bun", (char *)"add", (char *)"foo bar", NULL };
	char *empty[] = { (char *)"bun", (char *)"add", (char *)"", NULL };
	char *chained[] = { (char *)"bun", (char *)"add", (char *)"foo;x", NULL };
	char *runner[] = { (char *)"/usr/bin/env", (char *)"A=1", (char *)"bunx", NULL };
	char *script[] = { (char *)"sh", (char *)"-c", (char *)"cd x; bunx y", NULL };
	char *text[] = { (char *)"echo", (char *)"cd x; bunx y", NULL };

	(void)state;
	assert_true(script_words_are_install(install));
	assert_false(script_words_are_install(blank));
	assert_false(script_words_are_install(empty));
	assert_false(script_words_are_install(chained));
	assert_true(script_words_need_real_proc(install));
	assert_true(script_words_need_real_proc(runner));
	assert_true(script_words_need_real_proc(script));
	assert_false(script_words_need_real_proc(text));
}

static void every_metacharacter_is_found(void **state)
{
	static const char bytes[] = "\n\r;&|<>()$`\\\"'*?[]{}!#~";

	(void)state;
	for (size_t i = 0; bytes[i]; i++) {
		char command[] = "git status x";

		command[4] = bytes[i];
		assert_ptr_equal(script_metacharacter(command), command + 4);
	}
	assert_null(script_metacharacter("git log --oneline -n 5 HEAD^ a@b:c,d%e=f+g_h"));
}

static void a_prefix_is_whole_words(void **state)
{
	static const char *const prefixes[] = { "git status", "ls", "" };

	(void)state;
	assert_true(script_allowed("git status", prefixes, 3));
	assert_true(script_allowed("  git status -s", prefixes, 3));
	assert_true(script_allowed("ls\t-l", prefixes, 3));
	assert_false(script_allowed("git statusx", prefixes, 3));
	assert_false(script_allowed("git", prefixes, 3));
	assert_false(script_allowed("lsof", prefixes, 3));
	assert_false(script_allowed("rm x", prefixes, 3));
	assert_false(script_allowed("", prefixes, 3));
	assert_false(script_allowed("ls;rm x", prefixes, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_standalone_local_install_is_told_from_all_else),
		cmocka_unit_test(commands_that_need_a_real_proc_are_found),
		cmocka_unit_test(words_without_a_shell_are_judged_one_by_one),
		cmocka_unit_test(every_metacharacter_is_found),
		cmocka_unit_test(a_prefix_is_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
