/* rules: at their edges, where one byte decides.  `make mutate` holds this file to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "init/own.h"
#include "symlinks/rules.h"

static const struct rules rules = { "/agent", "/home/u", "/usr/bin/typeclaw-init" };

static void normalising_keeps_everything_but_empty_and_dot(void **state)
{
	static const struct {
		const char *path;
		int result;
		const char *normal;
	} rows[] = {
		{ "/", 0, "" },
		{ ".", 0, "" },
		{ "", 0, "" },
		{ "//a/./b//", 0, "/a/b" },
		{ "/a\\b", 0, "/a\\b" },
		{ "/a\\.\\b/", 0, "/a\\.\\b" },
		{ "/.a/b.", 0, "/.a/b." },
		{ "/...", 0, "/..." },
		{ "/..a/a..", 0, "/..a/a.." },
		{ "/.x", 0, "/.x" },
		{ "/x.", 0, "/x." },
		{ "/..", -EINVAL, NULL },
		{ "..", -EINVAL, NULL },
		{ "/a/..", -EINVAL, NULL },
		{ "/a/../b", -EINVAL, NULL },
		{ "a\\..\\b", -EINVAL, NULL },
		{ "a\\..", -EINVAL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text t = {};

		assert_int_equal(rules_normalise(rows[i].path, strlen(rows[i].path), &t),
				 rows[i].result);
		if (rows[i].normal)
			assert_string_equal(text_error(&t) == 0 ? t.data : "error", rows[i].normal);
	}
}

/* "/xxx...": `length` bytes in components of at most 200. */
static void path_of(char *ret, size_t length)
{
	memset(ret, 'x', length);
	for (size_t i = 0; i < length; i += 200)
		ret[i] = '/';
	if (ret[length - 1] == '/')
		ret[length - 1] = 'x';
	ret[length] = '\0';
}

static void lengths_are_refused_one_byte_past_the_limit(void **state)
{
	char path[RULES_PATH_MAX + 64];
	AUTO_TEXT struct text component = {};
	AUTO_TEXT struct text too_long = {};
	AUTO_TEXT struct text whole = {};
	AUTO_TEXT struct text past = {};

	(void)state;
	memset(path, 'x', sizeof(path));
	assert_int_equal(rules_normalise(path, RULES_COMPONENT_MAX, &component), 0);
	assert_int_equal(rules_normalise(path, RULES_COMPONENT_MAX + 1, &too_long), -ENAMETOOLONG);
	for (size_t extra = 0; extra < 2; extra++) {
		AUTO_TEXT struct text from = {};
		AUTO_TEXT struct text to = {};

		path[0] = '/';
		assert_int_equal(rules_from(&rules, path, RULES_COMPONENT_MAX + 1 + extra, &from),
				 extra ? LINK_NAME_TOO_LONG : LINK_NONE);
		assert_int_equal(rules_to(&rules, path + 1, RULES_COMPONENT_MAX + extra, &to),
				 extra ? LINK_NAME_TOO_LONG : LINK_NONE);
	}
	path_of(path, RULES_PATH_MAX);
	assert_int_equal(rules_normalise(path, RULES_PATH_MAX, &whole), 0);
	assert_int_equal(whole.length, RULES_PATH_MAX);
	path_of(path, RULES_PATH_MAX + 1);
	assert_int_equal(rules_normalise(path, RULES_PATH_MAX + 1, &past), -ENAMETOOLONG);
}

/* Home or the agent's folder in front counts too. */
static void what_stands_in_front_counts_for_the_length(void **state)
{
	for (size_t extra = 0; extra < 2; extra++) {
		char from[RULES_PATH_MAX + 64] = "~";
		char to[RULES_PATH_MAX + 64];
		AUTO_TEXT struct text path = {};
		AUTO_TEXT struct text target = {};
		size_t n = RULES_PATH_MAX - strlen(rules.home) + extra;

		(void)state;
		path_of(from + 1, n);
		assert_int_equal(rules_from(&rules, from, n + 1, &path),
				 extra ? LINK_NAME_TOO_LONG : LINK_NONE);
		n = RULES_PATH_MAX - strlen(rules.agent_dir) + extra;
		path_of(to, n);
		assert_int_equal(rules_to(&rules, to + 1, n - 1, &target),
				 extra ? LINK_NAME_TOO_LONG : LINK_NONE);
	}
}

static void each_form_of_from_has_its_answer(void **state)
{
	static const struct {
		const char *from;
		enum link_code code;
		const char *path;
	} rows[] = {
		{ "", LINK_FROM_EMPTY, NULL },
		{ "~", LINK_FROM_IS_HOME, NULL },
		{ "~/", LINK_FROM_IS_HOME, NULL },
		{ "~/.", LINK_FROM_IS_HOME, NULL },
		{ "~u/x", LINK_FROM_NOT_ABSOLUTE, NULL },
		{ "x", LINK_FROM_NOT_ABSOLUTE, NULL },
		{ "x/y", LINK_FROM_NOT_ABSOLUTE, NULL },
		{ "~/..", LINK_FROM_DOTDOT, NULL },
		{ "/", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/tmp", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/tmp/", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/tmp/x", LINK_NONE, "/tmp/x" },
		{ "/tmpx", LINK_NONE, "/tmpx" },
		{ "/proc", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/procx", LINK_NONE, "/procx" },
		{ "/sys/x", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/dev/./x", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "//run/x", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/usr", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/usr/bin", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/usr/bin/typeclaw-init", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/usr/bin/typeclaw-ini", LINK_NONE, "/usr/bin/typeclaw-ini" },
		{ "/usr/lib", LINK_NONE, "/usr/lib" },
		{ "/a/.typeclaw-link.", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/a/.typeclaw-link.x", LINK_FROM_SYSTEM_ROOT, NULL },
		{ "/a/.typeclaw-link", LINK_NONE, "/a/.typeclaw-link" },
		{ "/.typeclaw-link.x/a", LINK_NONE, "/.typeclaw-link.x/a" },
		{ "/agent", LINK_FROM_IN_AGENT, NULL },
		{ "/agent/x", LINK_FROM_IN_AGENT, NULL },
		{ "/agentx", LINK_NONE, "/agentx" },
		{ "/etc/x", LINK_NONE, "/etc/x" },
		{ "~/.x", LINK_NONE, "/home/u/.x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text path = {};

		assert_int_equal(rules_from(&rules, rows[i].from, strlen(rows[i].from), &path),
				 rows[i].code);
		if (rows[i].path)
			assert_string_equal(path.data, rows[i].path);
	}
}

static void each_form_of_to_has_its_answer(void **state)
{
	static const struct {
		const char *to;
		enum link_code code;
		const char *target;
	} rows[] = {
		{ "", LINK_TO_EMPTY, NULL },
		{ "/x", LINK_TO_ABSOLUTE, NULL },
		{ "..", LINK_TO_DOTDOT, NULL },
		{ ".", LINK_TO_AGENT_ROOT, NULL },
		{ "./", LINK_TO_AGENT_ROOT, NULL },
		{ ".git", LINK_TO_FORBIDDEN, NULL },
		{ ".GIT/x", LINK_TO_FORBIDDEN, NULL },
		{ ".git\\x", LINK_TO_FORBIDDEN, NULL },
		{ "./.env", LINK_TO_FORBIDDEN, NULL },
		{ "secrets.json", LINK_TO_FORBIDDEN, NULL },
		{ "sessions/1", LINK_TO_FORBIDDEN, NULL },
		{ "memory", LINK_TO_FORBIDDEN, NULL },
		{ ".typeclaw", LINK_TO_FORBIDDEN, NULL },
		{ "node_modules", LINK_TO_FORBIDDEN, NULL },
		{ ".gi", LINK_NONE, "/agent/.gi" },
		{ ".gitx", LINK_NONE, "/agent/.gitx" },
		{ "x/.git", LINK_NONE, "/agent/x/.git" },
		{ "w//x/", LINK_NONE, "/agent/w/x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text target = {};

		assert_int_equal(rules_to(&rules, rows[i].to, strlen(rows[i].to), &target),
				 rows[i].code);
		if (rows[i].target)
			assert_string_equal(target.data, rows[i].target);
	}
}

static void a_nul_a_missing_home_and_an_unknown_self_are_seen(void **state)
{
	const struct rules bare = { "/agent", NULL, NULL };
	AUTO_TEXT struct text a = {};
	AUTO_TEXT struct text b = {};
	AUTO_TEXT struct text c = {};
	AUTO_TEXT struct text d = {};

	(void)state;
	assert_int_equal(rules_from(&rules, "/a\0b", 4, &a), LINK_NUL);
	assert_int_equal(rules_to(&rules, "a\0b", 3, &b), LINK_NUL);
	assert_int_equal(rules_from(&bare, "~/x", 3, &c), LINK_HOME_UNUSABLE);
	assert_int_equal(rules_from(&bare, "/usr", 4, &d), LINK_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normalising_keeps_everything_but_empty_and_dot),
		cmocka_unit_test(lengths_are_refused_one_byte_past_the_limit),
		cmocka_unit_test(what_stands_in_front_counts_for_the_length),
		cmocka_unit_test(each_form_of_from_has_its_answer),
		cmocka_unit_test(each_form_of_to_has_its_answer),
		cmocka_unit_test(a_nul_a_missing_home_and_an_unknown_self_are_seen),
	};

	return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
