/* findings: the names of verdicts and causes, as the contract spells them. */
#include "probes/findings.h"

#include <string.h>

const char *probe_verdict_name(enum probe_verdict verdict)
{
	static const char *const names[] = {
		[PROBE_SKIPPED] = "skipped", [PROBE_INCONCLUSIVE] = "inconclusive",
		[PROBE_UNSAFE] = "unsafe",   [PROBE_UNAVAILABLE] = "unavailable",
		[PROBE_SAFE] = "safe",       [PROBE_AVAILABLE] = "available",
	};

	return names[verdict];
}

const char *probe_cause_name(enum probe_cause cause)
{
	static const char *const names[] = {
		[CAUSE_NONE] = "none",
		[CAUSE_LEAK] = "leak",
		[CAUSE_SAME_USERNS] = "same-userns",
		[CAUSE_SIGNALABLE] = "signalable",
		[CAUSE_CAPABILITY_KEPT] = "capability-kept",
		[CAUSE_PROC_WRITABLE] = "proc-writable",
		[CAUSE_TIMEOUT] = "timeout",
		[CAUSE_SENTINEL_DIED] = "sentinel-died",
		[CAUSE_CONTROL_FAILED] = "control-failed",
		[CAUSE_SETUP_FAILED] = "setup-failed",
		[CAUSE_BWRAP_MISSING] = "bwrap-missing",
		[CAUSE_BWRAP_REFUSED] = "bwrap-refused",
		[CAUSE_USERNS_BLOCKED] = "userns-blocked",
		[CAUSE_USERNS_LIMIT] = "userns-limit",
		[CAUSE_MOUNT_BLOCKED] = "mount-blocked",
		[CAUSE_PIVOT_ROOT_BLOCKED] = "pivot-root-blocked",
		[CAUSE_UMOUNT_BLOCKED] = "umount-blocked",
		[CAUSE_UID_MAP_BLOCKED] = "uid-map-blocked",
		[CAUSE_MASKED_PROC] = "masked-proc",
		[CAUSE_NO_SYS_ADMIN] = "no-sys-admin",
		[CAUSE_RESOURCE] = "resource",
	};

	return names[cause];
}

bool probe_verdict_parse(const char *name, enum probe_verdict *ret)
{
	for (enum probe_verdict verdict = PROBE_SKIPPED; verdict <= PROBE_AVAILABLE; verdict++) {
		if (strcmp(name, probe_verdict_name(verdict)) == 0) {
			*ret = verdict;
			return true;
		}
	}
	return false;
}

bool probe_cause_parse(const char *name, enum probe_cause *ret)
{
	for (enum probe_cause cause = CAUSE_NONE; cause <= CAUSE_RESOURCE; cause++) {
		if (strcmp(name, probe_cause_name(cause)) == 0) {
			*ret = cause;
			return true;
		}
	}
	return false;
}
