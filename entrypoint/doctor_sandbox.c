/* doctor_sandbox: the checks of the group Sandbox; see doctor.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "entrypoint/doctor.h"
#include "init/own.h"

/* What a finding says of a failure: its words, and the row that explains it. */
static void keep_finding(const struct doctor_input *input, const struct probe_finding *finding,
			 struct doctor_result *result)
{
	result->cause = finding->cause;
	result->error = finding->error;
	result->elapsed_ms = finding->elapsed_ms;
	(void)snprintf(result->evidence, sizeof(result->evidence), "%s", finding->evidence);
	result->row =
		catalogue_find(finding, catalogue_conditions(&input->pass->facts, input->host));
}

/* The finding that decided whether a sandbox runs: the weakest shape that was tried. */
static const struct probe_finding *deciding(const struct findings *findings)
{
	return findings->tmpfs.verdict != PROBE_SKIPPED ? &findings->tmpfs : &findings->proc_bind;
}

/* What went wrong, in the row's words, else in the probe's own, word for word. */
static const char *reason_of(const struct doctor_result *result)
{
	if (result->row)
		return result->row->tell;
	return result->evidence[0] ? result->evidence : probe_cause_name(result->cause);
}

static void judge_usable(const struct doctor_input *input, struct doctor_result *result)
{
	const struct strategy *strategy = &input->pass->strategy;
	const char *name = sandbox_proc_name(strategy->proc);

	if (strategy->usable == USABLE_YES) {
		doctor_say(result, DOCTOR_OK, "tool calls run sandboxed, /proc by %s%s", name,
			   input->source == DOCTOR_BOOT ? " (as the boot found it)" : "");
		return;
	}
	if (input->source == DOCTOR_UNPROBED) {
		result->row = catalogue_row(CATALOGUE_NOT_PROBED);
		doctor_say(result, DOCTOR_WARN, "%s", result->row->tell);
		return;
	}
	if (input->source == DOCTOR_BOOT) {
		result->cause = strategy->usable_cause;
		result->row = catalogue_find_cause(
			strategy->usable_cause, 0,
			catalogue_conditions(&input->pass->facts, input->host));
	} else {
		keep_finding(input, deciding(&input->pass->findings), result);
	}
	doctor_say(result, DOCTOR_FAIL, "%s: %s",
		   strategy->usable == USABLE_NO ? "no tool call can run"
						 : "not proven, so tool calls are refused",
		   reason_of(result));
}

static void judge_strategy(const struct doctor_input *input, struct doctor_result *result)
{
	const struct strategy *strategy = &input->pass->strategy;
	const char *reason = strategy_reason_name(strategy->reason);

	if (input->source == DOCTOR_UNPROBED || strategy->usable != USABLE_YES) {
		doctor_say(result, DOCTOR_SKIP, "there is no sandbox to show a /proc to");
		return;
	}
	if (strategy->proc != SANDBOX_PROC_TMPFS) {
		doctor_say(result, DOCTOR_OK, "%s%s%s", sandbox_proc_name(strategy->proc),
			   strategy->because[0] ? ": " : "", strategy->because);
		return;
	}
	keep_finding(input, &input->pass->findings.proc_bind, result);
	doctor_say(result, DOCTOR_WARN, "tmpfs, %s: tools get an empty /proc, package runners fail",
		   reason ? reason : "unverified");
}

static void say_verdict(const struct probe_finding *finding, enum doctor_status status,
			struct doctor_result *result)
{
	doctor_say(result, status, "%s in %u %s, %llu ms", probe_verdict_name(finding->verdict),
		   finding->attempts, finding->attempts == 1 ? "try" : "tries",
		   (unsigned long long)finding->elapsed_ms);
}

/* One probe: what it wants to hear, and what there is to say where nobody asked it. */
static void judge_probe(const struct doctor_input *input, const struct probe_finding *finding,
			enum probe_verdict wanted, const char *skipped,
			struct doctor_result *result)
{
	result->elapsed_ms = finding->elapsed_ms;
	if (finding->verdict == PROBE_SKIPPED) {
		doctor_say(result, DOCTOR_SKIP, "%s", skipped);
	} else if (finding->verdict == wanted) {
		say_verdict(finding, DOCTOR_OK, result);
	} else {
		keep_finding(input, finding, result);
		doctor_say(result, DOCTOR_WARN, "%s (%s): %s", probe_verdict_name(finding->verdict),
			   probe_cause_name(finding->cause), finding->evidence);
	}
}

static void judge_proc_bind(const struct doctor_input *input, struct doctor_result *result)
{
	const struct findings *findings = &input->pass->findings;

	judge_probe(input, &findings->proc_bind, PROBE_SAFE,
		    findings->real_proc.verdict == PROBE_AVAILABLE
			    ? "not needed: real-proc is available"
			    : "not probed",
		    result);
}

static void judge_real_proc(const struct doctor_input *input, struct doctor_result *result)
{
	judge_probe(input, &input->pass->findings.real_proc, PROBE_AVAILABLE,
		    input->pass->config.real_proc ? "not probed" : "not asked for", result);
}

static void judge_bwrap(const struct doctor_input *input, struct doctor_result *result)
{
	const struct doctor_bwrap *bwrap = input->bwrap;
	AUTO_TEXT struct text path = {};

	if (bwrap->error == 0 && input->pass->bwrap) {
		text_escape(&path, input->pass->bwrap, strlen(input->pass->bwrap));
		doctor_say(result, DOCTOR_OK, "%s%s%s, owner %u, mode %04o",
			   text_error(&path) ? "bwrap" : path.data, bwrap->version[0] ? " " : "",
			   bwrap->version, (unsigned int)bwrap->uid, (unsigned int)bwrap->mode);
		return;
	}
	result->error = -bwrap->error;
	if (input->replayed) {
		doctor_say(result, DOCTOR_SKIP, "a snapshot holds no programs");
	} else if (bwrap->error == -EPERM) {
		result->cause = CAUSE_BWRAP_REFUSED;
		result->row = catalogue_row(CATALOGUE_BWRAP_REFUSED);
		doctor_say(result, DOCTOR_FAIL, "%s", bwrap->refusal);
	} else {
		result->cause = CAUSE_BWRAP_MISSING;
		result->row = catalogue_row(CATALOGUE_BWRAP_MISSING);
		doctor_say(result, DOCTOR_FAIL, "there is none");
	}
}

static void judge_seccomp(const struct doctor_input *input, const struct decision *decision,
			  struct doctor_result *result)
{
	const struct facts *facts = &input->pass->facts;
	char filters[32] = "";

	if (facts->seccomp_filters)
		(void)snprintf(filters, sizeof(filters), ", %u filter%s", facts->seccomp_filters,
			       facts->seccomp_filters == 1 ? "" : "s");
	if (strcmp(decision->word, "blocking") == 0) {
		keep_finding(input, deciding(&input->pass->findings), result);
		result->elapsed_ms = 0;
	}
	doctor_say(result,
		   result->cause != CAUSE_NONE              ? DOCTOR_FAIL
		   : facts->seccomp_mode == SECCOMP_UNKNOWN ? DOCTOR_SKIP
		   : strcmp(decision->word, "unknown") == 0 ? DOCTOR_SKIP
							    : DOCTOR_OK,
		   "%s%s; %s: %s", seccomp_mode_name(facts->seccomp_mode), filters, decision->word,
		   decision->because);
}

static void judge_sys_admin(const struct decision *decision, struct doctor_result *result)
{
	doctor_say(result, DOCTOR_OK, "%s: %s", decision->word, decision->because);
	if (strcmp(decision->word, "missing") == 0)
		result->row = catalogue_row(CATALOGUE_REALPROC_NOCAP);
	else if (strcmp(decision->word, "unneeded-grant") == 0)
		result->row = catalogue_row(CATALOGUE_UNNEEDED_GRANT);
	if (result->row)
		result->status = DOCTOR_WARN;
}

/* The limits of the host; a sandbox that ran proves that none of them bites. */
static void judge_userns(const struct doctor_input *input, struct doctor_result *result)
{
	const struct facts *facts = &input->pass->facts;
	const struct host_value *allowed = &input->host->numbers[HOST_USERNS_CLONE];
	const struct host_value *restricted = &input->host->numbers[HOST_APPARMOR_USERNS];
	bool ran = input->pass->strategy.usable == USABLE_YES;

	if (facts->max_user_namespaces_known && facts->max_user_namespaces == 0) {
		result->row = catalogue_row(CATALOGUE_MAX_USERNS);
		doctor_say(result, ran ? DOCTOR_WARN : DOCTOR_FAIL,
			   "user.max_user_namespaces is 0");
	} else if (allowed->known && !allowed->value && !facts_capable(facts, FACT_CAP_SYS_ADMIN)) {
		result->row = catalogue_row(CATALOGUE_SYSCTL_CLONE);
		doctor_say(result, ran ? DOCTOR_WARN : DOCTOR_FAIL,
			   "kernel.unprivileged_userns_clone is 0");
	} else if (restricted->known && restricted->value && !ran) {
		result->row = catalogue_row(CATALOGUE_APPARMOR_USERNS);
		doctor_say(result, DOCTOR_WARN,
			   "kernel.apparmor_restrict_unprivileged_userns is %llu",
			   (unsigned long long)restricted->value);
	} else if (!facts->max_user_namespaces_known) {
		doctor_say(result, DOCTOR_SKIP, "the limit is not shown here");
	} else {
		doctor_say(result, DOCTOR_OK, "the host allows %llu%s",
			   (unsigned long long)facts->max_user_namespaces,
			   restricted->known && restricted->value
				   ? ", and AppArmor's restriction does not stop bwrap"
				   : "");
	}
}

static void judge_proc(const struct doctor_input *input, struct doctor_result *result)
{
	const struct host_proc *proc = &input->host->proc;
	const struct facts *facts = &input->pass->facts;
	char hidepid[32] = "";

	if (!proc->known) {
		doctor_say(result, DOCTOR_SKIP, "no procfs is mounted at /proc");
		return;
	}
	if (proc->hidepid)
		(void)snprintf(hidepid, sizeof(hidepid), ", hidepid=%u", proc->hidepid);
	doctor_say(result, DOCTOR_OK, "%u masked, %u read-only entries; /proc/sys %s%s",
		   proc->masked, proc->protected, proc->sys_writable ? "writable" : "read-only",
		   hidepid);
	/* gVisor's /proc/sys is its own, not the host's. */
	if (proc->sys_writable && facts->initial_userns && facts->uid == 0 &&
	    !input->host->gvisor) {
		result->status = DOCTOR_WARN;
		result->row = catalogue_row(CATALOGUE_PROC_WRITABLE);
	}
}

/* What the boot said against what is so now; weaker now is worse than stronger now. */
static void judge_record(const struct doctor_input *input, struct doctor_result *result)
{
	const struct strategy *now = &input->pass->strategy;
	const struct document *then;

	if (input->boot_stale) {
		result->row = catalogue_row(CATALOGUE_RECORD_STALE);
		doctor_say(result, DOCTOR_WARN, "the init that wrote it does not run any more");
		return;
	}
	if (!input->boot || input->boot->source == RESOLVED_NOWHERE) {
		doctor_say(result, DOCTOR_SKIP,
			   "none: not booted by typeclaw-init, or no place for it");
		return;
	}
	then = &input->boot->document;
	if (input->source != DOCTOR_PROBED) {
		doctor_say(result, DOCTOR_OK, "%s, usable: %s", sandbox_proc_name(then->proc),
			   sandbox_usable_name(then->usable));
		return;
	}
	if (then->proc == now->proc && then->usable == now->usable) {
		doctor_say(result, DOCTOR_OK, "a fresh probe agrees with the boot");
		return;
	}
	result->row = catalogue_row(CATALOGUE_RECORD_DIFFERS);
	doctor_say(result,
		   (then->usable == USABLE_YES && now->usable != USABLE_YES) ||
				   now->proc < then->proc
			   ? DOCTOR_FAIL
			   : DOCTOR_WARN,
		   "the boot found %s (usable: %s), now it is %s (usable: %s)",
		   sandbox_proc_name(then->proc), sandbox_usable_name(then->usable),
		   sandbox_proc_name(now->proc), sandbox_usable_name(now->usable));
}

void doctor_judge_sandbox(const struct doctor_input *input, struct doctor_report *report)
{
	struct doctor_result *results = report->results;

	judge_usable(input, &results[DOCTOR_USABLE]);
	judge_strategy(input, &results[DOCTOR_STRATEGY]);
	judge_proc_bind(input, &results[DOCTOR_PROC_BIND]);
	judge_real_proc(input, &results[DOCTOR_REAL_PROC]);
	judge_bwrap(input, &results[DOCTOR_BWRAP]);
	judge_seccomp(input, &report->seccomp, &results[DOCTOR_SECCOMP]);
	judge_sys_admin(&report->sys_admin, &results[DOCTOR_SYS_ADMIN]);
	judge_userns(input, &results[DOCTOR_USERNS]);
	judge_proc(input, &results[DOCTOR_PROC]);
	judge_record(input, &results[DOCTOR_RECORD]);
}
