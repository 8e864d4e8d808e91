/* plan: the decision, and the words of each engine for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dockerfile/plan.h"
#include "dockerfile/plan_write.h"
#include "init/own.h"

static const struct plan_link one_link[] = { { "~/.foo-cli", "workspace/.foo-cli" } };
static const char *const two_paths[] = { "cache", "a b" };

/* base64 of [{"from":"~/.foo-cli","to":"workspace/.foo-cli"}] */
#define ONE_LINK "W3siZnJvbSI6In4vLmZvby1jbGkiLCJ0byI6IndvcmtzcGFjZS8uZm9vLWNsaSJ9XQ=="

static void the_docker_line_is_the_contracts(void **state)
{
	static const struct {
		struct plan_request request;
		const char *want;
	} rows[] = {
		{ {}, "--security-opt seccomp=unconfined\n" },
		{ { .real_proc = true },
		  "--security-opt seccomp=unconfined --cap-add=SYS_ADMIN "
		  "-e TYPECLAW_SANDBOX_REAL_PROC=1\n" },
		{ { .links = one_link, .n_links = 1 },
		  "--security-opt seccomp=unconfined -e TYPECLAW_SANDBOX_SYMLINKS=" ONE_LINK "\n" },
		{ { .writable_paths = two_paths, .n_writable_paths = 2 },
		  "--security-opt seccomp=unconfined "
		  "-e 'TYPECLAW_SANDBOX_WRITABLE_PATHS=cache,a b'\n" },
		{ { .seccomp = PLAN_SECCOMP_SCOPED, .seccomp_file = "p.json" },
		  "--security-opt seccomp=p.json\n" },
		{ { .real_proc = true,
		    .links = one_link,
		    .n_links = 1,
		    .writable_paths = two_paths,
		    .n_writable_paths = 1,
		    .apparmor_unconfined = true,
		    .selinux_disable = true },
		  "--security-opt seccomp=unconfined --cap-add=SYS_ADMIN "
		  "-e TYPECLAW_SANDBOX_REAL_PROC=1 -e TYPECLAW_SANDBOX_SYMLINKS=" ONE_LINK
		  " -e TYPECLAW_SANDBOX_WRITABLE_PATHS=cache --security-opt apparmor=unconfined "
		  "--security-opt label=disable\n" },
	};
	static const struct plan_layout layout = { .format = PLAN_DOCKER };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_PLAN struct plan plan = {};
		AUTO_TEXT struct text line = {};

		assert_int_equal(plan_choose(&rows[i].request, &plan, NULL), 0);
		assert_int_equal(plan_write(&plan, &layout, &line, NULL), 0);
		assert_string_equal(line.data, rows[i].want);
	}
}

static void what_the_boot_would_misread_is_refused(void **state)
{
	static const char *const comma[] = { "ok", "a,b" };
	static const char *const empty[] = { "" };
	static const char *const leading[] = { " a" };
	static const char *const trailing[] = { "a " };
	static const char *const newline[] = { "a\nb" };
	static const char *const latin[] = { "caf\xe9" };
	static const struct plan_link not_utf8[] = { { "~/\xff", "w" } };
	static const struct {
		struct plan_request request;
		int want;
	} rows[] = {
		{ { .writable_paths = comma, .n_writable_paths = 2 }, -EINVAL },
		{ { .writable_paths = empty, .n_writable_paths = 1 }, -EINVAL },
		{ { .writable_paths = leading, .n_writable_paths = 1 }, -EINVAL },
		{ { .writable_paths = trailing, .n_writable_paths = 1 }, -EINVAL },
		{ { .writable_paths = newline, .n_writable_paths = 1 }, -EINVAL },
		{ { .writable_paths = latin, .n_writable_paths = 1 }, -EILSEQ },
		{ { .writable_paths = comma, .n_writable_paths = PLAN_PATHS_MAX + 1 }, -E2BIG },
		{ { .links = not_utf8, .n_links = 1 }, -EILSEQ },
		{ { .links = one_link, .n_links = PLAN_LINKS_MAX + 1 }, -E2BIG },
		{ { .seccomp = PLAN_SECCOMP_SCOPED }, -EINVAL },
		{ { .seccomp = PLAN_SECCOMP_SCOPED, .seccomp_file = "" }, -EINVAL },
		{ { .seccomp = PLAN_SECCOMP_SCOPED, .seccomp_file = "unconfined" }, -EINVAL },
		{ { .seccomp = PLAN_SECCOMP_SCOPED, .seccomp_file = "builtin" }, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_PLAN struct plan plan = {};
		struct fault f = {};

		assert_int_equal(plan_choose(&rows[i].request, &plan, &f), rows[i].want);
		assert_int_equal(plan.n_steps, 0);
		assert_true(f.message[0]);
	}
}

static void a_value_fills_an_environment_string_and_not_a_byte_more(void **state)
{
	static const size_t room = PLAN_ENVIRONMENT_MAX - sizeof("TYPECLAW_SANDBOX_WRITABLE_PATHS");
	AUTO_FREE char *path = malloc(room + 2);
	const char *paths[] = { path };
	struct plan_request request = { .writable_paths = paths, .n_writable_paths = 1 };

	(void)state;
	memset(path, 'x', room + 1);
	path[room + 1] = '\0';
	for (size_t length = room; length <= room + 1; length++) {
		AUTO_PLAN struct plan plan = {};

		path[length] = '\0';
		assert_int_equal(plan_choose(&request, &plan, NULL), length == room ? 0 : -E2BIG);
		path[length] = 'x';
	}
}

static void every_flag_has_a_purpose_and_the_dangerous_ones_a_cost(void **state)
{
	static const struct plan_request request = {
		.real_proc = true,
		.links = one_link,
		.n_links = 1,
		.writable_paths = two_paths,
		.n_writable_paths = 2,
		.apparmor_unconfined = true,
		.selinux_disable = true,
	};
	AUTO_PLAN struct plan plan = {};
	AUTO_TEXT struct text text = {};

	(void)state;
	assert_int_equal(plan_choose(&request, &plan, NULL), 0);
	assert_int_equal(plan.n_steps, 7);
	for (size_t i = 0; i < plan.n_steps; i++) {
		assert_true(plan.steps[i].purpose && plan.steps[i].purpose[0]);
		if (plan.steps[i].kind != PLAN_ENVIRONMENT)
			assert_non_null(plan.steps[i].cost);
	}
	assert_int_equal(plan_explain(&plan, &text, NULL), 0);
	assert_non_null(strstr(text.data, "--cap-add=SYS_ADMIN\n    for:   "));
	assert_non_null(strstr(text.data, "costs: Reduces security"));
}

/* No request may lead there; so all of them are tried. */
static void no_plan_removes_the_container_or_unmasks_proc_in_docker(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits < 64; bits++) {
		struct plan_request request = {
			.real_proc = bits & 1,
			.apparmor_unconfined = bits & 2,
			.selinux_disable = bits & 4,
			.links = one_link,
			.n_links = bits >> 3 & 1,
			.writable_paths = two_paths,
			.n_writable_paths = bits >> 3 & 2,
			.seccomp = bits & 32 ? PLAN_SECCOMP_SCOPED : PLAN_SECCOMP_UNCONFINED,
			.seccomp_file = "p.json",
		};

		for (enum plan_format format = PLAN_DOCKER; format <= PLAN_JSON; format++) {
			struct plan_layout layout = { .format = format,
						      .name = "agent",
						      .binary = "/b" };
			AUTO_PLAN struct plan plan = {};
			AUTO_TEXT struct text text = {};

			assert_int_equal(plan_choose(&request, &plan, NULL), 0);
			assert_int_equal(plan_write(&plan, &layout, &text, NULL), 0);
			assert_null(strstr(text.data, "--rm"));
			assert_null(strstr(text.data, "systempaths"));
			assert_null(strstr(text.data, "rivileged"));
			assert_int_equal(!!strstr(text.data, "SYS_ADMIN"), bits & 1);
			assert_int_equal(!!strstr(text.data, "TYPECLAW_SANDBOX_REAL_PROC"),
					 bits & 1);
			assert_int_equal(!!strstr(text.data, "Unmasked"),
					 (bits & 1) && format == PLAN_KUBERNETES);
			assert_int_equal(!!strstr(text.data, "hostUsers: false"),
					 (bits & 1) && format == PLAN_KUBERNETES);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_docker_line_is_the_contracts),
		cmocka_unit_test(what_the_boot_would_misread_is_refused),
		cmocka_unit_test(a_value_fills_an_environment_string_and_not_a_byte_more),
		cmocka_unit_test(every_flag_has_a_purpose_and_the_dangerous_ones_a_cost),
		cmocka_unit_test(no_plan_removes_the_container_or_unmasks_proc_in_docker),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
