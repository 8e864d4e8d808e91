/*
 * profile: two ready-made sandboxes that are not about a role: `public-bot`, which sees programs
 * and two folders and nothing else, and `trusted-maintenance`, which sees the whole system
 * read-only but for what is secret.
 */
#pragma once

#include "sandbox/layout.h"

/* Zero: none; the role decides. */
enum profile { PROFILE_NONE, PROFILE_PUBLIC_BOT, PROFILE_TRUSTED_MAINTENANCE };

/* "public-bot", "trusted-maintenance"; PROFILE_NONE for every other word. */
enum profile profile_parse(const char *word);
const char *profile_name(enum profile profile);

#define PROFILE_VARIABLES_MAX 8

/* Host folders by the option that names them; NULL: not given. */
struct profile_request {
	enum profile profile;
	const char *workspace;       /* on /workspace */
	const char *home;            /* on /home/sandbox */
	const char *tmp;             /* on /tmp */
	const char *cache;           /* at its own path; trusted-maintenance only */
	const char *path;            /* the caller's PATH, may be NULL */
	const struct policy *policy; /* the agent folder, kept out or with its secrets hidden */
};

/* What a profile makes of a command beside mounts; strings are the layout's. */
struct profile_result {
	enum sandbox_base base;
	enum sandbox_network network;
	const char *cwd;
	struct sandbox_variable variables[PROFILE_VARIABLES_MAX];
	size_t n_variables;
};

/*
 * Adds the profile's mounts to `layout`.  0 with `*ret`; -EINVAL with `f`, which names the option
 * whose folder is not absolute, does not exist, is no folder, or would show what must be hidden;
 * -errno with `f`.
 */
int profile_lay(const struct profile_request *request, struct layout *layout,
		struct profile_result *ret, struct fault *f);
