/*
 * facts: what this container is, read once, below a prefix directory so that a snapshot of
 * another host can be replayed.  Facts that could not be read stay zero ("unknown").
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "init/fault.h"

enum seccomp_mode { SECCOMP_UNKNOWN, SECCOMP_DISABLED, SECCOMP_STRICT, SECCOMP_FILTER };

/* The five sets, capabilities(7); bit N is capability N. */
struct capability_sets {
	uint64_t effective, permitted, inheritable, bounding, ambient;
	bool known;
};

struct facts {
	uid_t uid;
	gid_t gid;
	struct capability_sets capabilities;
	enum seccomp_mode seccomp_mode;
	unsigned int seccomp_filters;
	bool no_new_privs;
	bool initial_userns;          /* uid_map is `0 0 4294967295` */
	bool proc_mounted;            /* /proc is a procfs */
	uint64_t max_user_namespaces; /* valid with max_user_namespaces_known */
	bool max_user_namespaces_known;
};

#define FACT_CAP_SYS_ADMIN 21
#define FACT_CAP_SETFCAP 31

/* `root`: a directory descriptor, of "/" for this host.  0; -errno only for out of memory. */
int facts_read(int root, struct facts *ret, struct fault *f);

/* True when `capability` (a number of capabilities(7)) is in the effective set. */
bool facts_capable(const struct facts *facts, int capability);

const char *seccomp_mode_name(enum seccomp_mode mode); /* disabled, strict, filter, unknown */
