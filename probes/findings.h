/*
 * findings: what the probes say.  Plain values; a probe never fails, what went wrong in it is
 * evidence.  Zero is "nobody looked" everywhere, and is never good enough for anything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum probe_verdict {
	PROBE_SKIPPED, /* nobody asked */
	PROBE_INCONCLUSIVE,
	PROBE_UNSAFE,      /* proc-bind: a secret was seen, or a boundary seen missing */
	PROBE_UNAVAILABLE, /* real-proc: the kernel said no */
	PROBE_SAFE,        /* proc-bind, tmpfs: complete positive proof */
	PROBE_AVAILABLE,   /* real-proc: the whole chain worked, with the same proof */
};

/* In the order of the contract. */
enum probe_cause {
	CAUSE_NONE,
	CAUSE_LEAK,
	CAUSE_SAME_USERNS,
	CAUSE_SIGNALABLE,
	CAUSE_CAPABILITY_KEPT,
	CAUSE_PROC_WRITABLE,
	CAUSE_TIMEOUT,
	CAUSE_SENTINEL_DIED,
	CAUSE_CONTROL_FAILED,
	CAUSE_SETUP_FAILED,
	CAUSE_BWRAP_MISSING,
	CAUSE_BWRAP_REFUSED,
	CAUSE_USERNS_BLOCKED,
	CAUSE_USERNS_LIMIT,
	CAUSE_MOUNT_BLOCKED,
	CAUSE_PIVOT_ROOT_BLOCKED,
	CAUSE_UMOUNT_BLOCKED,
	CAUSE_UID_MAP_BLOCKED,
	CAUSE_MASKED_PROC,
	CAUSE_NO_SYS_ADMIN,
	CAUSE_RESOURCE,
};

const char *probe_verdict_name(enum probe_verdict verdict);
const char *probe_cause_name(enum probe_cause cause);

/* The way back: false for a word that is none, with `*ret` untouched. */
bool probe_verdict_parse(const char *name, enum probe_verdict *ret);
bool probe_cause_parse(const char *name, enum probe_cause *ret);

/* One named check; its id is a row of the one table in probes/checks.c. */
struct probe_check {
	const char *id; /* const, from the table */
	bool ok;
	int error;       /* positive errno, 0 for none */
	char detail[96]; /* escaped, "" for none */
};

#define PROBE_CHECKS_MAX 32

struct probe_finding {
	enum probe_verdict verdict;
	enum probe_cause cause;
	bool final; /* waiting cannot change it: a kernel refusal, a bwrap that is missing or
		       refused */
	int error;  /* positive errno, 0 for none */
	char evidence[256]; /* one sentence, escaped */
	unsigned int attempts;
	uint64_t elapsed_ms;
	struct probe_check checks[PROBE_CHECKS_MAX];
	size_t n_checks;
};

/* Can a sandbox run at all here (the tmpfs shape or a stronger one ran and held)? */
enum sandbox_usable { USABLE_UNKNOWN, USABLE_NO, USABLE_YES };

struct findings {
	struct probe_finding real_proc;
	struct probe_finding proc_bind;
	struct probe_finding tmpfs; /* asked only when no stronger shape held */
};
