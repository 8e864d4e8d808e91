/*
 * doctor_catalogue: what can be wrong with a container, as one table: how it is recognised, what
 * to tell, and how to mend it with docker, podman or Kubernetes, narrowest change first, each
 * with what it costs in security.  Pure.  What no row fits is told word for word by the caller.
 */
#pragma once

#include <stdbool.h>

#include "probes/facts.h"
#include "probes/findings.h"
#include "probes/host.h"

/* `target` is docker, podman, kubernetes, host, image or config. */
struct fix {
	const char *target;
	const char *change; /* for an engine: flags, or the line of a pod's YAML, as it is typed */
	const char *cost;
};

/*
 * The rows E.. are those of tests/vectors/environment-failures.json; the order is that of the
 * search: what is narrower stands before what is wider.
 */
enum catalogue_id {
	CATALOGUE_NOTHING,
	CATALOGUE_GVISOR,
	CATALOGUE_ECI,
	CATALOGUE_ORBSTACK,
	CATALOGUE_SYSCTL_CLONE,
	CATALOGUE_MAX_USERNS,
	CATALOGUE_CAPDROP_SETFCAP,
	CATALOGUE_HIDEPID,
	CATALOGUE_SECCOMP_UNSHARE,
	CATALOGUE_SECCOMP_CLONE,
	CATALOGUE_SECCOMP_MOUNT,
	CATALOGUE_SECCOMP_PIVOT,
	CATALOGUE_SECCOMP_UMOUNT,
	CATALOGUE_APPARMOR_USERNS,
	CATALOGUE_APPARMOR_NET,
	CATALOGUE_APPARMOR_MOUNT,
	CATALOGUE_SELINUX,
	CATALOGUE_ROOTFS,
	CATALOGUE_REALPROC_MOUNT,
	CATALOGUE_REALPROC_NOCAP,
	CATALOGUE_PROC_MASKED,
	CATALOGUE_K8S_PROCMOUNT,
	CATALOGUE_LOADER,
	CATALOGUE_SOURCE,
	CATALOGUE_MASK_TARGET,
	CATALOGUE_SYMLINK,
	CATALOGUE_SETGROUPS,
	CATALOGUE_ZOMBIES,
	CATALOGUE_BWRAP_MISSING,
	CATALOGUE_BWRAP_REFUSED,
	CATALOGUE_BWRAP_CAPABILITIES,
	CATALOGUE_BWRAP_UNSOUND,
	CATALOGUE_PROC_LEAK,
	CATALOGUE_PROC_WRITABLE,
	CATALOGUE_LOAD,
	CATALOGUE_NOT_PROBED,
	CATALOGUE_UNNEEDED_GRANT,
	CATALOGUE_PIDS_LIMIT,
	CATALOGUE_AGENT_MISSING,
	CATALOGUE_LINK_REFUSED,
	CATALOGUE_LINK_LOST,
	CATALOGUE_CONFIG_BAD,
	CATALOGUE_RECORD_DIFFERS,
	CATALOGUE_RECORD_STALE,
	CATALOGUE_ENVIRON_OPEN,
	CATALOGUE_COUNT,
};

#define CATALOGUE_PATTERNS 3

struct catalogue_row {
	const char *id;
	const char *tell;        /* half a sentence: what is wrong */
	unsigned int causes;     /* 1U << enum probe_cause; 0: known by its text only */
	int error;               /* the errno that it comes with; 0: any */
	unsigned int needs;      /* conditions that must all hold, WHEN_* */
	const struct fix *fixes; /* ends with one without target; never NULL */
	const char *patterns[CATALOGUE_PATTERNS]; /* pattern_find() of what tools print */
};

#define WHEN_FILTER (1U << 0) /* a seccomp filter is installed */
#define WHEN_NO_FILTER (1U << 1)
#define WHEN_ROOT (1U << 2)
#define WHEN_NO_SETFCAP (1U << 3)
#define WHEN_SYS_ADMIN (1U << 4)
#define WHEN_APPARMOR (1U << 5)        /* confined by a profile */
#define WHEN_APPARMOR_USERNS (1U << 6) /* the host restricts user namespaces */
#define WHEN_SELINUX (1U << 7)
#define WHEN_USERNS_CLONE_OFF (1U << 8)
#define WHEN_CHILD_USERNS (1U << 9) /* not in the initial user namespace */
#define WHEN_HIDEPID (1U << 10)
#define WHEN_GVISOR (1U << 11)
#define WHEN_ORBSTACK (1U << 12)
#define WHEN_SYSBOX (1U << 13)
#define WHEN_USER_CAPABILITIES (1U << 14) /* not root, and capabilities in force */

unsigned int catalogue_conditions(const struct facts *facts, const struct host_facts *host);

/* CATALOGUE_NOTHING gives NULL. */
const struct catalogue_row *catalogue_row(enum catalogue_id id);

/* The row that explains a finding under these conditions, by cause, else by text; or NULL. */
const struct catalogue_row *catalogue_find(const struct probe_finding *finding,
					   unsigned int conditions);

/* The same by cause and positive errno alone (0: not known). */
const struct catalogue_row *catalogue_find_cause(enum probe_cause cause, int error,
						 unsigned int conditions);

/*
 * The next row after `from` (start with CATALOGUE_NOTHING) one of whose patterns stands in
 * `text`; CATALOGUE_COUNT when there is none.
 */
enum catalogue_id catalogue_find_text(enum catalogue_id from, const char *text);

/*
 * Does `pattern` stand somewhere in `text`?  `*` is any run of characters, `{one,two}` either
 * word; everything else is itself.
 */
bool pattern_find(const char *pattern, const char *text);
