/* strategy: see strategy.h. */
#include "entrypoint/strategy.h"

#include <errno.h>
#include <stdio.h>

#include "init/own.h"

const char *strategy_reason_name(enum strategy_reason reason)
{
	return reason == REASON_DEFINITIVE ? "definitive" :
	       reason == REASON_UNVERIFIED ? "unverified" :
					     NULL;
}

const char *sandbox_usable_name(enum sandbox_usable usable)
{
	return usable == USABLE_YES ? "yes" : usable == USABLE_NO ? "no" : "unknown";
}

bool finding_disowns_bwrap(const struct probe_finding *proc_bind)
{
	return proc_bind->verdict == PROBE_UNSAFE &&
	       (proc_bind->cause == CAUSE_SAME_USERNS ||
		proc_bind->cause == CAUSE_CAPABILITY_KEPT || proc_bind->cause == CAUSE_SIGNALABLE);
}

/*
 * Can a sandbox run at all: a shape that held says yes.  What cannot change (a kernel refusal, a
 * bwrap that is missing, refused, or that was seen not to sandbox) says no.
 */
static void strategy_choose_usable(struct strategy *strategy, const struct findings *findings)
{
	const struct probe_finding *proc_bind = &findings->proc_bind;
	const struct probe_finding *tmpfs = &findings->tmpfs;

	strategy->usable = USABLE_UNKNOWN;
	strategy->usable_cause = tmpfs->verdict != PROBE_SKIPPED ? tmpfs->cause : proc_bind->cause;
	if (strategy->proc != SANDBOX_PROC_TMPFS || tmpfs->verdict == PROBE_SAFE) {
		strategy->usable = USABLE_YES;
		strategy->usable_cause = CAUSE_NONE;
	} else if (finding_disowns_bwrap(proc_bind)) {
		strategy->usable = USABLE_NO;
		strategy->usable_cause = proc_bind->cause;
	} else if (tmpfs->verdict == PROBE_UNSAFE || tmpfs->final ||
		   (tmpfs->verdict == PROBE_SKIPPED && proc_bind->final &&
		    proc_bind->verdict == PROBE_INCONCLUSIVE)) {
		strategy->usable = USABLE_NO;
	}
}

static void strategy_say(struct strategy *strategy, const char *what,
			 const struct probe_finding *finding)
{
	(void)snprintf(strategy->because, sizeof(strategy->because), "%s in %u %s%s%s", what,
		       finding->attempts, finding->attempts == 1 ? "try" : "tries",
		       finding->evidence[0] ? ": " : "", finding->evidence);
}

struct strategy strategy_choose(bool real_proc_asked, const struct findings *findings)
{
	const struct probe_finding *proc_bind = &findings->proc_bind;
	struct strategy strategy = {};

	if (real_proc_asked && findings->real_proc.verdict == PROBE_AVAILABLE &&
	    !finding_disowns_bwrap(proc_bind)) {
		strategy.proc = SANDBOX_PROC_REAL;
		(void)snprintf(strategy.because, sizeof(strategy.because), "%s",
			       "a fresh procfs mounts here and bwrap works inside it");
	} else if (proc_bind->verdict == PROBE_SAFE) {
		strategy.proc = SANDBOX_PROC_BIND;
		(void)snprintf(strategy.because, sizeof(strategy.because),
			       "the bound /proc hid every secret in %u %s", proc_bind->attempts,
			       proc_bind->attempts == 1 ? "try" : "tries");
	} else if (proc_bind->verdict == PROBE_UNSAFE) {
		strategy.reason = REASON_DEFINITIVE;
		strategy_say(&strategy, "proc-bind was proven unsafe", proc_bind);
	} else {
		strategy.reason = REASON_UNVERIFIED;
		strategy.retry_helps = !proc_bind->final;
		strategy_say(&strategy, "proc-bind could not be verified", proc_bind);
	}
	strategy_choose_usable(&strategy, findings);
	return strategy;
}

/* The system call that a cause of our own trial chain names, or NULL. */
static const char *cause_call(enum probe_cause cause)
{
	switch (cause) {
	case CAUSE_USERNS_BLOCKED:
		return "clone(CLONE_NEWUSER)";
	case CAUSE_MOUNT_BLOCKED:
		return "mount";
	case CAUSE_PIVOT_ROOT_BLOCKED:
		return "pivot_root";
	case CAUSE_UMOUNT_BLOCKED:
		return "umount2";
	default:
		return NULL;
	}
}

static struct decision decide(const char *word, const char *because)
{
	struct decision decision = { .word = word };

	(void)snprintf(decision.because, sizeof(decision.because), "%s", because);
	return decision;
}

struct decision seccomp_decide(const struct facts *facts, const struct strategy *strategy,
			       const struct findings *findings)
{
	const struct probe_finding *blocked = findings->proc_bind.verdict != PROBE_SKIPPED ?
						      &findings->proc_bind :
						      &findings->real_proc;
	const char *call = cause_call(blocked->cause);
	struct decision decision;

	if (facts->seccomp_mode == SECCOMP_UNKNOWN)
		return decide("unknown", "the seccomp mode could not be read");
	if (facts->seccomp_mode == SECCOMP_DISABLED)
		return decide("unconfined", "no seccomp filter is installed");
	if (strategy->usable == USABLE_YES)
		return decide("sufficient", "the filter lets the sandbox work");
	/* A filter answers EPERM (or ENOSYS, or kills); EACCES is a security module's word. */
	if (!call || blocked->error == EACCES)
		return decide("unknown", "the sandbox failed for another reason than a filter");
	decision = decide("blocking", "");
	(void)snprintf(decision.because, sizeof(decision.because),
		       "the filter refuses %s, which bwrap needs", call);
	return decision;
}

struct decision sys_admin_decide(const struct facts *facts, bool real_proc_asked)
{
	bool held = facts_capable(facts, FACT_CAP_SYS_ADMIN);

	if (real_proc_asked && held)
		return decide("granted", "real-proc was asked for and CAP_SYS_ADMIN is held");
	if (real_proc_asked)
		return decide("missing", "real-proc was asked for but CAP_SYS_ADMIN is not held");
	if (held)
		return decide("unneeded-grant",
			      "CAP_SYS_ADMIN is held but nobody asked for real-proc: reduces security");
	return decide("not-needed", "real-proc was not asked for");
}
