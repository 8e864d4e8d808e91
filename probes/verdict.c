/* verdict: see verdict.h. */
#include "probes/verdict.h"

#include <stdio.h>
#include <string.h>

/* A sandbox without these is none, whatever /proc it shows. */
static bool is_boundary(enum probe_cause cause)
{
	return cause == CAUSE_SAME_USERNS || cause == CAUSE_CAPABILITY_KEPT ||
	       cause == CAUSE_SIGNALABLE;
}

static void evidence_set(struct probe_finding *finding, const char *what, const char *detail,
			 int error)
{
	(void)snprintf(finding->evidence, sizeof(finding->evidence), "%s%s%s%s%s%s", what,
		       detail[0] ? " (" : "", detail, detail[0] ? ")" : "", error ? ": " : "",
		       error ? strerror(error) : "");
}

static void decide_by_check(struct probe_finding *finding, enum sandbox_proc shape,
			    enum check check, const struct check_result *result)
{
	const struct check_row *row = check_row(check);
	bool bad = result->state == CHECK_BAD;

	finding->verdict = bad && row->unsafe ? PROBE_UNSAFE : PROBE_INCONCLUSIVE;
	finding->cause = bad || !row->unsafe ? row->cause : CAUSE_SETUP_FAILED;
	finding->final = bad && row->final;
	finding->error = result->error;
	if (shape == SANDBOX_PROC_REAL && finding->verdict == PROBE_UNSAFE) {
		finding->verdict = PROBE_INCONCLUSIVE;
		if (is_boundary(finding->cause))
			finding->cause = CAUSE_BWRAP_REFUSED;
	}
	if (result->state == CHECK_MISSING)
		(void)snprintf(finding->evidence, sizeof(finding->evidence),
			       "the check %s was never made", row->id);
	else if (bad)
		evidence_set(finding, row->failed, result->detail, result->error);
	else
		(void)snprintf(finding->evidence, sizeof(finding->evidence),
			       "the check %s could not be made%s%s%s%s", row->id,
			       result->detail[0] ? ": " : "", result->detail,
			       result->error ? ": " : "",
			       result->error ? strerror(result->error) : "");
}

static bool demanded(enum sandbox_proc shape, enum check check)
{
	return check_row(check)->shapes & (1U << shape);
}

/* The first demanded check in table order that `wanted` accepts, or CHECK_COUNT. */
static enum check check_first(enum sandbox_proc shape, const struct check_result *checks,
			      bool (*wanted)(enum check, const struct check_result *))
{
	for (enum check check = 0; check < CHECK_COUNT; check++) {
		if (demanded(shape, check) && wanted(check, &checks[check]))
			return check;
	}
	return CHECK_COUNT;
}

static bool proves_unsafe(enum check check, const struct check_result *result)
{
	return result->state == CHECK_BAD && check_row(check)->unsafe;
}

static bool is_bad(enum check check, const struct check_result *result)
{
	(void)check;
	return result->state == CHECK_BAD;
}

static bool not_proven(enum check check, const struct check_result *result)
{
	(void)check;
	return result->state != CHECK_OK;
}

static void decide_by_trouble(struct probe_finding *finding, enum sandbox_proc shape,
			      const struct trouble *trouble)
{
	finding->verdict = shape == SANDBOX_PROC_REAL && trouble->refused ? PROBE_UNAVAILABLE
									  : PROBE_INCONCLUSIVE;
	finding->cause = trouble->cause;
	finding->final = trouble->final;
	finding->error = trouble->error;
	evidence_set(finding, trouble->what, "", trouble->error);
}

static void decide_proven(struct probe_finding *finding, enum sandbox_proc shape)
{
	static const char *const sentences[] = {
		[SANDBOX_PROC_TMPFS] = "the sandbox with an empty /proc ran and held",
		[SANDBOX_PROC_BIND] = "the bound /proc hid every secret",
		[SANDBOX_PROC_REAL] = "a fresh procfs mounts here and the sandbox in it held",
	};

	finding->verdict = shape == SANDBOX_PROC_REAL ? PROBE_AVAILABLE : PROBE_SAFE;
	finding->cause = CAUSE_NONE;
	evidence_set(finding, sentences[shape], "", 0);
}

static void list_checks(struct probe_finding *finding, enum sandbox_proc shape,
			const struct check_result *checks)
{
	for (enum check check = 0; check < CHECK_COUNT; check++) {
		const struct check_result *result = &checks[check];
		struct probe_check *listed = &finding->checks[finding->n_checks];

		if (!demanded(shape, check) || result->state == CHECK_MISSING)
			continue;
		*listed = (struct probe_check){
			.id = check_row(check)->id,
			.ok = result->state == CHECK_OK,
			.error = result->error,
		};
		memcpy(listed->detail, result->detail, sizeof(listed->detail) - 1);
		finding->n_checks++;
	}
}

void verdict_reach(enum sandbox_proc shape, const struct check_result checks[CHECK_COUNT],
		   const struct trouble *trouble, struct probe_finding *ret)
{
	struct probe_finding finding = {};
	enum check check = check_first(shape, checks, proves_unsafe);

	if (check == CHECK_COUNT && trouble->cause == CAUSE_NONE)
		check = check_first(shape, checks, is_bad);
	if (check == CHECK_COUNT && trouble->cause == CAUSE_NONE)
		check = check_first(shape, checks, not_proven);
	if (check != CHECK_COUNT)
		decide_by_check(&finding, shape, check, &checks[check]);
	else if (trouble->cause != CAUSE_NONE)
		decide_by_trouble(&finding, shape, trouble);
	else
		decide_proven(&finding, shape);
	list_checks(&finding, shape, checks);
	*ret = finding;
}

struct probe_finding verdict_without_look(enum probe_verdict verdict, enum probe_cause cause,
					  bool final, int error, const char *evidence)
{
	struct probe_finding finding = {
		.verdict = verdict,
		.cause = cause,
		.final = final,
		.error = error,
	};

	evidence_set(&finding, evidence, "", error);
	return finding;
}
