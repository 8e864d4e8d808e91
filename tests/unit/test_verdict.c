/* verdict: word for word what follows from what was seen.  `make mutate` holds this file to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "init/own.h"
#include "probes/verdict.h"

static const struct trouble no_trouble = {};

static void all_fine(struct check_result *checks)
{
	for (enum check check = 0; check < CHECK_COUNT; check++)
		check_set(checks, check, CHECK_OK, 0, "%s", "");
}

static void one_check_decides_in_its_own_words(void **state)
{
	static const struct {
		enum sandbox_proc shape;
		enum check check;
		enum check_state now;
		int error;
		const char *detail;
		enum probe_verdict verdict;
		enum probe_cause cause;
		bool final;
		const char *evidence;
	} rows[] = {
		{ SANDBOX_PROC_BIND, CHECK_SENTINEL_MAPS, CHECK_BAD, EACCES, "m", PROBE_UNSAFE,
		  CAUSE_LEAK, true, "the sentinel's maps was not denied (m): Permission denied" },
		{ SANDBOX_PROC_BIND, CHECK_SENTINEL_MAPS, CHECK_BAD, 0, "", PROBE_UNSAFE,
		  CAUSE_LEAK, true, "the sentinel's maps was not denied" },
		{ SANDBOX_PROC_BIND, CHECK_SENTINEL_MAPS, CHECK_DOUBT, EIO, "m", PROBE_INCONCLUSIVE,
		  CAUSE_SETUP_FAILED, false,
		  "the check sentinel-maps could not be made: m: Input/output error" },
		{ SANDBOX_PROC_BIND, CHECK_SENTINEL_MAPS, CHECK_DOUBT, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_SETUP_FAILED, false, "the check sentinel-maps could not be made" },
		{ SANDBOX_PROC_BIND, CHECK_SENTINEL_MAPS, CHECK_MISSING, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_SETUP_FAILED, false, "the check sentinel-maps was never made" },
		{ SANDBOX_PROC_BIND, CHECK_CONTROL_BEFORE, CHECK_BAD, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_CONTROL_FAILED, false, "not even a process outside could read the nonce" },
		{ SANDBOX_PROC_BIND, CHECK_CONTROL_BEFORE, CHECK_DOUBT, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_CONTROL_FAILED, false, "the check control-before could not be made" },
		{ SANDBOX_PROC_TMPFS, CHECK_ROOT, CHECK_BAD, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_BWRAP_REFUSED, true, "the sandbox's root is not bwrap's" },
		{ SANDBOX_PROC_TMPFS, CHECK_ROOT, CHECK_MISSING, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_BWRAP_REFUSED, false, "the check root was never made" },
		{ SANDBOX_PROC_TMPFS, CHECK_USER_NAMESPACE, CHECK_BAD, 0, "", PROBE_UNSAFE,
		  CAUSE_SAME_USERNS, true, "the sandbox shares our user namespace" },
		{ SANDBOX_PROC_REAL, CHECK_USER_NAMESPACE, CHECK_BAD, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_BWRAP_REFUSED, true, "the sandbox shares our user namespace" },
		{ SANDBOX_PROC_REAL, CHECK_CAPABILITIES, CHECK_BAD, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_BWRAP_REFUSED, true, "the sandbox kept capabilities" },
		{ SANDBOX_PROC_REAL, CHECK_SIGNALS, CHECK_BAD, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_BWRAP_REFUSED, true, "the sentinel received a signal" },
		{ SANDBOX_PROC_BIND, CHECK_SENTINEL_TWIN, CHECK_MISSING, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_CONTROL_FAILED, false, "the check sentinel-twin was never made" },
		{ SANDBOX_PROC_REAL, CHECK_OTHERS_ENVIRON, CHECK_BAD, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_LEAK, true, "the environ of another process was not empty" },
		{ SANDBOX_PROC_REAL, CHECK_USER_NAMESPACE, CHECK_DOUBT, 0, "", PROBE_INCONCLUSIVE,
		  CAUSE_SETUP_FAILED, false, "the check user-namespace could not be made" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct check_result checks[CHECK_COUNT];
		struct probe_finding finding;

		all_fine(checks);
		check_set(checks, rows[i].check, rows[i].now, rows[i].error, "%s", rows[i].detail);
		verdict_reach(rows[i].shape, checks, &no_trouble, &finding);
		assert_string_equal(finding.evidence, rows[i].evidence);
		assert_int_equal(finding.verdict, rows[i].verdict);
		assert_int_equal(finding.cause, rows[i].cause);
		assert_int_equal(finding.final, rows[i].final);
		assert_int_equal(finding.error, rows[i].error);
	}
}

static void what_was_seen_to_be_bad_outweighs_what_is_missing(void **state)
{
	struct check_result checks[CHECK_COUNT];
	struct probe_finding finding;

	(void)state;
	all_fine(checks);
	check_set(checks, CHECK_PROBER, CHECK_MISSING, 0, "%s", "");
	check_set(checks, CHECK_ROOT, CHECK_BAD, 0, "%s", "");
	verdict_reach(SANDBOX_PROC_BIND, checks, &no_trouble, &finding);
	assert_int_equal(finding.verdict, PROBE_INCONCLUSIVE);
	assert_int_equal(finding.cause, CAUSE_BWRAP_REFUSED);
	check_set(checks, CHECK_SENTINEL_MEM, CHECK_BAD, 0, "%s", "");
	verdict_reach(SANDBOX_PROC_BIND, checks, &no_trouble, &finding);
	assert_int_equal(finding.verdict, PROBE_UNSAFE);
	assert_int_equal(finding.cause, CAUSE_LEAK);
}

static void trouble_explains_everything_but_what_is_unsafe(void **state)
{
	const struct trouble refused = { CAUSE_NO_SYS_ADMIN, EPERM, true, true, "no mount" };
	const struct trouble slow = { CAUSE_TIMEOUT, 0, false, false, "too slow" };
	struct check_result checks[CHECK_COUNT] = {};
	struct probe_finding finding;

	(void)state;
	verdict_reach(SANDBOX_PROC_REAL, checks, &refused, &finding);
	assert_int_equal(finding.verdict, PROBE_UNAVAILABLE);
	assert_int_equal(finding.cause, CAUSE_NO_SYS_ADMIN);
	assert_int_equal(finding.error, EPERM);
	assert_true(finding.final);
	assert_string_equal(finding.evidence, "no mount: Operation not permitted");
	verdict_reach(SANDBOX_PROC_BIND, checks, &refused, &finding);
	assert_int_equal(finding.verdict, PROBE_INCONCLUSIVE);
	verdict_reach(SANDBOX_PROC_REAL, checks, &slow, &finding);
	assert_int_equal(finding.verdict, PROBE_INCONCLUSIVE);
	assert_false(finding.final);
	assert_string_equal(finding.evidence, "too slow");
	/* Bad, but no leak: that the attempt ended early says more. */
	check_set(checks, CHECK_ROOT, CHECK_BAD, 0, "%s", "");
	verdict_reach(SANDBOX_PROC_BIND, checks, &slow, &finding);
	assert_int_equal(finding.cause, CAUSE_TIMEOUT);
	assert_int_equal(finding.verdict, PROBE_INCONCLUSIVE);
}

static void proof_says_of_which_shape_it_is(void **state)
{
	static const char *const sentences[] = {
		[SANDBOX_PROC_TMPFS] = "the sandbox with an empty /proc ran and held",
		[SANDBOX_PROC_BIND] = "the bound /proc hid every secret",
		[SANDBOX_PROC_REAL] = "a fresh procfs mounts here and the sandbox in it held",
	};
	struct check_result checks[CHECK_COUNT];
	struct probe_finding finding;

	(void)state;
	all_fine(checks);
	for (enum sandbox_proc shape = SANDBOX_PROC_TMPFS; shape <= SANDBOX_PROC_REAL; shape++) {
		verdict_reach(shape, checks, &no_trouble, &finding);
		assert_string_equal(finding.evidence, sentences[shape]);
		assert_int_equal(finding.verdict,
				 shape == SANDBOX_PROC_REAL ? PROBE_AVAILABLE : PROBE_SAFE);
		assert_int_equal(finding.cause, CAUSE_NONE);
		assert_int_equal(finding.error, 0);
	}
}

static void every_demanded_check_that_was_made_is_listed_in_order(void **state)
{
	char longest[sizeof(((struct probe_check *)0)->detail)];

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	for (enum sandbox_proc shape = SANDBOX_PROC_TMPFS; shape <= SANDBOX_PROC_REAL; shape++) {
		struct check_result checks[CHECK_COUNT];
		struct probe_finding finding;
		size_t n = 0;

		for (enum check check = 0; check < CHECK_COUNT; check++)
			check_set(checks, check,
				  check % 3 == 0   ? CHECK_OK
				  : check % 3 == 1 ? CHECK_DOUBT
						   : CHECK_BAD,
				  (int)check, "%s", check == CHECK_RECORD ? longest : "d");
		check_set(checks, CHECK_PROBER, CHECK_MISSING, 0, "%s", "");
		verdict_reach(shape, checks, &no_trouble, &finding);
		for (enum check check = 0; check < CHECK_COUNT; check++) {
			const struct probe_check *listed = &finding.checks[n];

			if (check == CHECK_PROBER || !(check_row(check)->shapes & (1U << shape)))
				continue;
			assert_true(n < finding.n_checks);
			assert_ptr_equal(listed->id, check_row(check)->id);
			assert_int_equal(listed->ok, check % 3 == 0);
			assert_int_equal(listed->error, check);
			assert_string_equal(listed->detail, check == CHECK_RECORD ? longest : "d");
			n++;
		}
		assert_int_equal(finding.n_checks, n);
	}
}

static void a_finding_without_a_look_is_what_it_is_told(void **state)
{
	struct probe_finding finding = verdict_without_look(PROBE_UNAVAILABLE, CAUSE_BWRAP_MISSING,
							    true, ENOENT, "no bwrap");

	(void)state;
	assert_int_equal(finding.verdict, PROBE_UNAVAILABLE);
	assert_int_equal(finding.cause, CAUSE_BWRAP_MISSING);
	assert_int_equal(finding.error, ENOENT);
	assert_true(finding.final);
	assert_string_equal(finding.evidence, "no bwrap: No such file or directory");
	assert_int_equal(finding.n_checks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_check_decides_in_its_own_words),
		cmocka_unit_test(what_was_seen_to_be_bad_outweighs_what_is_missing),
		cmocka_unit_test(trouble_explains_everything_but_what_is_unsafe),
		cmocka_unit_test(proof_says_of_which_shape_it_is),
		cmocka_unit_test(every_demanded_check_that_was_made_is_listed_in_order),
		cmocka_unit_test(a_finding_without_a_look_is_what_it_is_told),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
