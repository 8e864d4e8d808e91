/* strategy: the one policy, held against tests/vectors/strategy.json and rows of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "entrypoint/strategy.h"
#include "init/own.h"

static enum probe_verdict verdict_of(const char *word)
{
	return strcmp(word, "safe") == 0     ? PROBE_SAFE
	       : strcmp(word, "unsafe") == 0 ? PROBE_UNSAFE
					     : PROBE_INCONCLUSIVE;
}

static enum probe_cause cause_of(const char *word)
{
	if (!word)
		return CAUSE_NONE;
	for (int cause = 0; cause <= CAUSE_RESOURCE; cause++)
		if (strcmp(probe_cause_name((enum probe_cause)cause), word) == 0)
			return (enum probe_cause)cause;
	fail_msg("no such cause: %s", word);
	return CAUSE_NONE;
}

static void the_vectors_of_the_contract_hold(void **state)
{
	json_t *root = json_load_file("tests/vectors/strategy.json", 0, NULL);
	json_t *cases = json_object_get(root, "cases");
	json_t *row;
	size_t i;

	(void)state;
	assert_true(json_array_size(cases) >= 14);
	json_array_foreach(cases, i, row)
	{
		bool asked = json_is_true(json_object_get(row, "real_proc_asked"));
		bool available = json_is_true(json_object_get(row, "real_proc_available"));
		const char *reason = json_string_value(json_object_get(row, "reason"));
		struct findings findings = {
			.real_proc.verdict = available ? PROBE_AVAILABLE : PROBE_UNAVAILABLE,
			.proc_bind.verdict =
				verdict_of(json_string_value(json_object_get(row, "proc_bind"))),
			.proc_bind.cause = cause_of(
				json_string_value(json_object_get(row, "proc_bind_cause"))),
		};
		struct strategy strategy = strategy_choose(asked, &findings);

		assert_string_equal(sandbox_proc_name(strategy.proc),
				    json_string_value(json_object_get(row, "strategy")));
		if (reason)
			assert_string_equal(strategy_reason_name(strategy.reason), reason);
		else
			assert_null(strategy_reason_name(strategy.reason));
		assert_true(strategy.because[0] != '\0');
	}
	json_decref(root);
}

static void nobody_asked_is_never_fine(void **state)
{
	const struct findings nothing = {};

	(void)state;
	for (int asked = 0; asked < 2; asked++) {
		struct strategy strategy = strategy_choose(asked, &nothing);

		assert_int_equal(strategy.proc, SANDBOX_PROC_TMPFS);
		assert_int_equal(strategy.reason, REASON_UNVERIFIED);
		assert_int_equal(strategy.usable, USABLE_UNKNOWN);
	}
}

static void only_a_shape_that_held_makes_the_sandbox_usable(void **state)
{
	static const struct {
		struct probe_finding proc_bind, tmpfs;
		enum sandbox_usable usable;
		enum probe_cause cause;
	} rows[] = {
		{ { .verdict = PROBE_SAFE }, {}, USABLE_YES, CAUSE_NONE },
		{ { .verdict = PROBE_UNSAFE, .cause = CAUSE_LEAK },
		  { .verdict = PROBE_SAFE },
		  USABLE_YES,
		  CAUSE_NONE },
		{ { .verdict = PROBE_UNSAFE, .cause = CAUSE_LEAK },
		  {},
		  USABLE_UNKNOWN,
		  CAUSE_LEAK },
		{ { .verdict = PROBE_UNSAFE, .cause = CAUSE_SAME_USERNS },
		  {},
		  USABLE_NO,
		  CAUSE_SAME_USERNS },
		{ { .verdict = PROBE_INCONCLUSIVE, .cause = CAUSE_USERNS_BLOCKED, .final = true },
		  {},
		  USABLE_NO,
		  CAUSE_USERNS_BLOCKED },
		{ { .verdict = PROBE_INCONCLUSIVE, .cause = CAUSE_TIMEOUT },
		  {},
		  USABLE_UNKNOWN,
		  CAUSE_TIMEOUT },
		{ { .verdict = PROBE_INCONCLUSIVE, .cause = CAUSE_CONTROL_FAILED, .final = true },
		  { .verdict = PROBE_SAFE },
		  USABLE_YES,
		  CAUSE_NONE },
		{ { .verdict = PROBE_INCONCLUSIVE, .cause = CAUSE_TIMEOUT },
		  { .verdict = PROBE_UNSAFE, .cause = CAUSE_CAPABILITY_KEPT },
		  USABLE_NO,
		  CAUSE_CAPABILITY_KEPT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct findings findings = { .proc_bind = rows[i].proc_bind,
						   .tmpfs = rows[i].tmpfs };
		struct strategy strategy = strategy_choose(false, &findings);

		assert_int_equal(strategy.usable, rows[i].usable);
		assert_int_equal(strategy.usable_cause, rows[i].cause);
	}
}

static void waiting_is_promised_to_help_only_when_it_can(void **state)
{
	struct findings findings = { .proc_bind = { .verdict = PROBE_INCONCLUSIVE,
						    .cause = CAUSE_TIMEOUT } };

	(void)state;
	assert_true(strategy_choose(false, &findings).retry_helps);
	findings.proc_bind.final = true;
	assert_false(strategy_choose(false, &findings).retry_helps);
	findings.proc_bind.verdict = PROBE_UNSAFE;
	assert_false(strategy_choose(false, &findings).retry_helps);
}

static void seccomp_is_blamed_only_for_what_a_filter_says(void **state)
{
	const struct facts filtered = { .seccomp_mode = SECCOMP_FILTER };
	const struct facts free_of_it = { .seccomp_mode = SECCOMP_DISABLED };
	const struct strategy no = { .usable = USABLE_NO };
	const struct strategy yes = { .usable = USABLE_YES };
	struct findings findings = { .proc_bind = { .verdict = PROBE_INCONCLUSIVE,
						    .cause = CAUSE_PIVOT_ROOT_BLOCKED,
						    .error = EPERM } };
	const struct facts nothing = {};
	struct decision decision = seccomp_decide(&filtered, &no, &findings);

	(void)state;
	assert_string_equal(decision.word, "blocking");
	assert_non_null(strstr(decision.because, "pivot_root"));
	assert_string_equal(seccomp_decide(&filtered, &yes, &findings).word, "sufficient");
	assert_string_equal(seccomp_decide(&free_of_it, &no, &findings).word, "unconfined");
	assert_string_equal(seccomp_decide(&nothing, &no, &findings).word, "unknown");
	findings.proc_bind.error = EACCES;
	assert_string_equal(seccomp_decide(&filtered, &no, &findings).word, "unknown");
}

static void sys_admin_is_judged_by_asked_and_held(void **state)
{
	const struct facts held = {
		.capabilities = { .known = true, .effective = UINT64_C(1) << FACT_CAP_SYS_ADMIN }
	};
	const struct facts bare = { .capabilities = { .known = true } };

	(void)state;
	assert_string_equal(sys_admin_decide(&held, true).word, "granted");
	assert_string_equal(sys_admin_decide(&held, false).word, "unneeded-grant");
	assert_string_equal(sys_admin_decide(&bare, true).word, "missing");
	assert_string_equal(sys_admin_decide(&bare, false).word, "not-needed");
}

static void each_missing_boundary_of_proc_bind_disowns_the_bwrap(void **state)
{
	static const enum probe_cause boundaries[] = { CAUSE_SAME_USERNS, CAUSE_CAPABILITY_KEPT,
						       CAUSE_SIGNALABLE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(boundaries); i++) {
		const struct findings findings = {
			.real_proc.verdict = PROBE_AVAILABLE,
			.proc_bind = { .verdict = PROBE_UNSAFE, .cause = boundaries[i] },
		};
		struct strategy strategy = strategy_choose(true, &findings);

		assert_true(finding_disowns_bwrap(&findings.proc_bind));
		assert_int_equal(strategy.proc, SANDBOX_PROC_TMPFS);
		assert_int_equal(strategy.usable, USABLE_NO);
		assert_int_equal(strategy.usable_cause, boundaries[i]);
	}
}

static void the_tries_and_the_evidence_are_said(void **state)
{
	static const struct {
		enum probe_verdict verdict;
		unsigned int attempts;
		const char *evidence;
		const char *because;
	} rows[] = {
		{ PROBE_SAFE, 1, "", "the bound /proc hid every secret in 1 try" },
		{ PROBE_SAFE, 2, "", "the bound /proc hid every secret in 2 tries" },
		{ PROBE_UNSAFE, 1, "seen", "proc-bind was proven unsafe in 1 try: seen" },
		{ PROBE_UNSAFE, 2, "", "proc-bind was proven unsafe in 2 tries" },
		{ PROBE_INCONCLUSIVE, 5, "x", "proc-bind could not be verified in 5 tries: x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct findings findings = { .proc_bind = { .verdict = rows[i].verdict,
							    .attempts = rows[i].attempts } };
		struct strategy strategy;

		memcpy(findings.proc_bind.evidence, rows[i].evidence, strlen(rows[i].evidence) + 1);
		strategy = strategy_choose(false, &findings);
		assert_string_equal(strategy.because, rows[i].because);
	}
}

static void a_skipped_proc_bind_leaves_the_blame_to_real_proc(void **state)
{
	const struct facts facts = { .seccomp_mode = SECCOMP_FILTER };
	const struct strategy strategy = { .usable = USABLE_NO };
	struct findings findings = {
		.real_proc = { .verdict = PROBE_UNAVAILABLE, .cause = CAUSE_MOUNT_BLOCKED },
		.proc_bind = { .verdict = PROBE_SKIPPED, .cause = CAUSE_NONE },
	};

	(void)state;
	assert_string_equal(seccomp_decide(&facts, &strategy, &findings).word, "blocking");
	findings.proc_bind.verdict = PROBE_INCONCLUSIVE;
	assert_string_equal(seccomp_decide(&facts, &strategy, &findings).word, "unknown");
	findings.proc_bind.cause = CAUSE_PIVOT_ROOT_BLOCKED;
	assert_string_equal(seccomp_decide(&facts, &strategy, &findings).because,
			    "the filter refuses pivot_root, which bwrap needs");
	findings.proc_bind.verdict = PROBE_SAFE;
	findings.proc_bind.cause = CAUSE_NONE;
	assert_string_equal(seccomp_decide(&facts, &strategy, &findings).word, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vectors_of_the_contract_hold),
		cmocka_unit_test(nobody_asked_is_never_fine),
		cmocka_unit_test(only_a_shape_that_held_makes_the_sandbox_usable),
		cmocka_unit_test(waiting_is_promised_to_help_only_when_it_can),
		cmocka_unit_test(seccomp_is_blamed_only_for_what_a_filter_says),
		cmocka_unit_test(sys_admin_is_judged_by_asked_and_held),
		cmocka_unit_test(each_missing_boundary_of_proc_bind_disowns_the_bwrap),
		cmocka_unit_test(the_tries_and_the_evidence_are_said),
		cmocka_unit_test(a_skipped_proc_bind_leaves_the_blame_to_real_proc),
	};

	return cmocka_run_group_tests_name("strategy", tests, NULL, NULL);
}
