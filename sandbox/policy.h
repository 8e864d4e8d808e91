/*
 * policy: what one tool call may see and write of the agent folder.  Role or capability in, plain
 * lists out; the world is looked at only to judge each path (zones.h).
 *
 * The order in which the lists are mounted is the promise: the agent folder read-only, masks,
 * then writable zones, so that a zone under a mask is dropped before it could be opened again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init/fault.h"
#include "sandbox/install.h"
#include "sandbox/zones.h"

/* Zero is the strictest: an unknown or missing role is a guest. */
enum policy_role { ROLE_GUEST, ROLE_MEMBER, ROLE_TRUSTED, ROLE_OWNER };

/* What a caller may see, one bit each; no bit is a guest. */
enum policy_see {
	SEE_PRIVATE =
		1 << 0, /* workspace/ memory/ sessions/, and write workspace/ and root files */
	SEE_SECRETS = 1 << 1, /* .env secrets.json */
};

/* "guest", "member", "trusted", "owner"; anything else, NULL too, is ROLE_GUEST. */
enum policy_role policy_role_parse(const char *word);
const char *policy_role_name(enum policy_role role);
bool policy_role_known(const char *word);

/* The bits of a role, of policy_see. */
unsigned int policy_role_sees(enum policy_role role);

/* Trusted and owner: their calls are not sandboxed at all. */
bool policy_role_unsandboxed(enum policy_role role);

/* Reads "private,secrets".  0, or -EINVAL for a word that is neither; "" is no bit. */
int policy_see_parse(const char *words, unsigned int *ret);

struct policy_request {
	const char *agent_dir; /* absolute */
	unsigned int see;
	const char *const *writable_paths; /* configured, relative to the agent folder */
	size_t n_writable_paths;
	const char *const *link_targets; /* the `to` of every configured link */
	size_t n_link_targets;
	bool install;   /* the command is one package install and nothing else */
	bool read_only; /* no writable zones at all */
	bool optional;  /* without an agent folder there is nothing to hide or open */
};

struct policy {
	char *agent_dir; /* without needless slashes */
	struct zone_ground ground;
	struct zones hidden;    /* what is not there needs no mask and is not in the list */
	struct zones writable;  /* those taken, and the others with their reason */
	struct install install; /* taken: the agent folder is writable but for its lists */
};

#define AUTO_POLICY __attribute__((cleanup(policy_clear)))

/* The start of every struct policy. */
#define POLICY_NONE ((struct policy){ .ground = { .fd = -1 } })

/*
 * Resolves what the request means here and now.  0 with `*ret`, to be freed with
 * policy_clear(); -EPERM with `f` when something that must be hidden cannot be (a link, or a file
 * system that folds case); -EINVAL for an agent folder that is relative, climbs or is /; -errno
 * with `f`.
 */
int policy_resolve(const struct policy_request *request, struct policy *ret, struct fault *f);
void policy_clear(struct policy *policy);
