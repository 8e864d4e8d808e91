/* profile: what is refused as a base; what it writes is checked against the engine's in cli. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dockerfile/profile.h"
#include "dockerfile/seccomp_default.h"
#include "init/own.h"

static void a_base_that_is_none_or_allows_by_default_is_refused(void **state)
{
	static const struct {
		const char *base;
		int want;
	} rows[] = {
		{ "", -EBADMSG },
		{ "{", -EBADMSG },
		{ "[]", -EINVAL },
		{ "{}", -EINVAL },
		{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\"}", -EINVAL },
		{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":{}}", -EINVAL },
		{ "{\"defaultAction\":1,\"syscalls\":[]}", -EINVAL },
		{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[]}", -EINVAL },
		{ "{\"defaultAction\":\"SCMP_ACT_LOG\",\"syscalls\":[]}", -EINVAL },
		{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[]}", 0 },
		{ "{\"defaultAction\":\"SCMP_ACT_KILL_PROCESS\",\"syscalls\":[]}", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct profile_request request = { .base = rows[i].base,
						   .base_length = strlen(rows[i].base) };
		AUTO_TEXT struct text text = {};
		struct fault f = {};

		assert_int_equal(profile_write(&request, &text, &f), rows[i].want);
		assert_int_equal(!text.length, rows[i].want < 0);
	}
}

/* Each row a base of one rule; `want` says whether the OCI layout keeps it. */
static void conditions_are_resolved_to_the_strict_side_in_the_oci_layout(void **state)
{
	static const struct {
		const char *condition;
		bool sys_admin;
		bool want;
	} rows[] = {
		{ "\"args\":null", false, true },
		{ "\"includes\":{},\"excludes\":{}", false, true },
		{ "\"includes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}", false, false },
		{ "\"includes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}", true, true },
		{ "\"includes\":{\"caps\":[\"CAP_SYS_CHROOT\"]}", false, true },
		{ "\"includes\":{\"caps\":[\"CAP_SYS\"]}", false, false },
		{ "\"includes\":{\"caps\":[\"CAP_CHOWN CAP_KILL\"]}", false, false },
		{ "\"includes\":{\"caps\":[\"CAP_CHOWN\",\"CAP_BPF\"]}", false, false },
		{ "\"includes\":{\"arches\":[\"s390x\"]}", true, false },
		{ "\"includes\":{\"arches\":[\"s390x\",\"arm64\"]}", false, true },
		{ "\"includes\":{\"minKernel\":\"4.8\"}", false, true },
		{ "\"includes\":{\"minKernel\":\"6.9\"}", false, false },
		{ "\"includes\":{\"minKernel\":\"48.1\"}", false, false },
		{ "\"includes\":{\"moon\":[\"full\"]}", true, false },
		{ "\"excludes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}", false, true },
		{ "\"excludes\":{\"caps\":[\"CAP_SYS_ADMIN\"]}", true, false },
		{ "\"excludes\":{\"caps\":[\"CAP_CHOWN\"]}", false, false },
		{ "\"excludes\":{\"arches\":[\"s390x\"]}", false, true },
		{ "\"excludes\":{\"arches\":[\"amd64\"]}", false, false },
		{ "\"excludes\":{\"moon\":[\"full\"]}", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT struct text base = {};
		AUTO_TEXT struct text text = {};
		struct profile_request request = { .oci = true, .sys_admin = rows[i].sys_admin };

		text_add(&base,
			 "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":"
			 "[\"the_rule\"],\"action\":\"SCMP_ACT_ALLOW\",%s}]}",
			 rows[i].condition);
		request.base = base.data;
		request.base_length = base.length;
		assert_int_equal(profile_write(&request, &text, NULL), 0);
		assert_int_equal(!!strstr(text.data, "the_rule"), rows[i].want);
		assert_null(strstr(text.data, "includes"));
		assert_null(strstr(text.data, "excludes"));
		assert_non_null(strstr(text.data, "pivot_root"));
	}
}

static void the_base_that_is_built_in_says_what_it_was_taken_from(void **state)
{
	AUTO_TEXT struct text text = {};

	(void)state;
	assert_non_null(strstr(profile_base_version(), "golang-github-docker-docker-dev "));
	assert_int_equal(profile_write(&(struct profile_request){}, &text, NULL), 0);
	assert_non_null(strstr(text.data, "\"includes\""));
	assert_non_null(strstr(text.data, "\"pivot_root\""));
}

/* jansson's allocations, of which number `fail_at` fails; counted from 0. */
static size_t allocations, fail_at;

static void *counting_malloc(size_t size)
{
	return allocations++ == fail_at ? NULL : malloc(size);
}

/* jansson 2.14 itself asserts when its parser gets no memory (load.c), so that part is left out. */
static size_t allocations_of_parsing(void)
{
	AUTO_FREE char *text = strdup(seccomp_default_rules);
	json_t *base;

	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	allocations = 0;
	fail_at = SIZE_MAX;
	base = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(base);
	json_decref(base);
	return allocations;
}

static void out_of_memory_at_any_later_place_is_an_error_and_leaks_nothing(void **state)
{
	size_t first;
	int r = -1;

	(void)state;
	json_set_alloc_funcs(counting_malloc, free);
	first = allocations_of_parsing();
	for (fail_at = first; r < 0; fail_at += fail_at < first + 200 ? 1 : 11) {
		struct profile_request request = { .oci = true };
		AUTO_TEXT struct text text = {};
		struct fault f = {};

		allocations = 0;
		r = profile_write(&request, &text, &f);
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(!f.message[0], r == 0);
	}
	json_set_alloc_funcs(malloc, free);
	assert_true(allocations > first + 1000 && allocations <= fail_at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_base_that_is_none_or_allows_by_default_is_refused),
		cmocka_unit_test(conditions_are_resolved_to_the_strict_side_in_the_oci_layout),
		cmocka_unit_test(the_base_that_is_built_in_says_what_it_was_taken_from),
		cmocka_unit_test(out_of_memory_at_any_later_place_is_an_error_and_leaks_nothing),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
