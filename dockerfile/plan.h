/*
 * plan: what the engine must be told so that the sandbox works in the container, decided once,
 * as a value.  How a docker line or a Kubernetes manifest says it is plan_write's.
 *
 * Never in a plan: `--rm`, `systempaths=unconfined`, anything privileged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init/fault.h"

#define PLAN_LINKS_MAX 64           /* what the boot reads of TYPECLAW_SANDBOX_SYMLINKS */
#define PLAN_PATHS_MAX 64           /* and of TYPECLAW_SANDBOX_WRITABLE_PATHS */
#define PLAN_ENVIRONMENT_MAX 131071 /* bytes of one NAME=VALUE, execve(2) MAX_ARG_STRLEN */

struct plan_link {
	const char *from;
	const char *to;
};

/* Scoped is the narrower one; unconfined is the default because it needs no file. */
enum plan_seccomp { PLAN_SECCOMP_UNCONFINED, PLAN_SECCOMP_SCOPED };

/* What is wanted; all pointers are borrowed. */
struct plan_request {
	bool real_proc;
	const char *const *writable_paths; /* relative to the agent dir, none with a comma */
	size_t n_writable_paths;
	const struct plan_link *links;
	size_t n_links;
	enum plan_seccomp seccomp;
	const char *seccomp_file; /* PLAN_SECCOMP_SCOPED: where the engine finds the profile */
	bool apparmor_unconfined;
	bool selinux_disable;
};

enum plan_kind {
	PLAN_NOTHING,
	PLAN_SECCOMP,     /* value: "unconfined", or the profile's path */
	PLAN_CAPABILITY,  /* name: without CAP_ */
	PLAN_ENVIRONMENT, /* name and value */
	PLAN_APPARMOR,    /* unconfined */
	PLAN_SELINUX,     /* disabled */
};

struct plan_step {
	enum plan_kind kind;
	const char *name;    /* static */
	char *value;         /* owned; NULL where the kind has none */
	const char *purpose; /* what it is for, static */
	const char *cost;    /* what it gives up, static; NULL: nothing */
};

#define PLAN_STEPS_MAX 8

/* In the order of the contract (DESIGN section 11). */
struct plan {
	struct plan_step steps[PLAN_STEPS_MAX];
	size_t n_steps;
	bool real_proc;
	bool seccomp_scoped;
};

#define AUTO_PLAN __attribute__((cleanup(plan_clear)))

/*
 * Decides.  Pure.  0 with a plan that the caller owns; -EINVAL with `f` for a path with a comma,
 * an empty one, a profile's path that the engine would take for a word of its own; -E2BIG for
 * more links or a longer value than the boot takes; -EILSEQ for a link that is no UTF-8;
 * -ENOMEM.
 */
int plan_choose(const struct plan_request *request, struct plan *ret, struct fault *f);
void plan_clear(struct plan *plan);

/*
 * Base64 of the JSON [{"from":..,"to":..},...], as TYPECLAW_SANDBOX_SYMLINKS wants it; the
 * caller frees it.  Errors as above.
 */
int plan_links_value(const struct plan_link *links, size_t n_links, char **ret, struct fault *f);
