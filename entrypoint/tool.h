/*
 * tool: one tool call.  Options and the boot's decision in; the policy, the mounts and the
 * command line out, as plain values.  Running it is command_sandbox's.
 */
#pragma once

#include "entrypoint/command.h"
#include "entrypoint/pass.h"
#include "entrypoint/resolved.h"
#include "sandbox/homelinks.h"
#include "sandbox/profile.h"
#include "sandbox/session.h"
#include "sandbox/tighten.h"

#define TOOL_VARIABLES_MAX 256
#define TOOL_PREFIXES_MAX 64
#define TOOL_LIMITS_MAX 8

/* The options as they were given, judged one by one; strings point into argv. */
struct tool_options {
	enum policy_role role;
	const char *role_word; /* as it was given; NULL: not */
	unsigned int see;      /* of --see, else the role's */
	bool see_given;
	enum profile profile;
	bool network_given;
	enum sandbox_network network;
	const char *session;
	const char *cwd;
	uint64_t timeout_ms;
	const char *script; /* -c */
	const char *self_exe;
	const char *workspace, *home, *tmp, *cache;
	const char *prefixes[TOOL_PREFIXES_MAX];
	size_t n_prefixes;
	bool reject_metacharacters;
	bool print, json;
	bool allow_unsandboxed;
	bool deny_syscalls, hide_pids;
	struct sandbox_limit limits[TOOL_LIMITS_MAX];
	size_t n_limits;
	struct sandbox_variable variables[TOOL_VARIABLES_MAX];
	size_t n_variables;
	char *names[TOOL_VARIABLES_MAX]; /* copies that `variables` point into; owned */
	char *const *argv;               /* the command to run: the words, or sh -c SCRIPT */
	char *shell[4];
};

#define AUTO_TOOL_OPTIONS __attribute__((cleanup(tool_options_clear)))

/*
 * 0; -EINVAL with `f` for what makes no sense (a usage error); -ENOMEM.  The values of --set-env
 * are copied and then overwritten where they stood: /proc/PID/cmdline shows a process's words to
 * every other sandbox.  `ret` must stay where it is.
 */
int tool_options_read(const struct invocation *invocation, struct tool_options *ret,
		      struct fault *f);
void tool_options_clear(struct tool_options *options);

struct tool {
	const struct tool_options *options;
	const struct strategy *strategy;
	struct policy policy;
	struct homelinks links;
	struct layout layout;
	struct profile_result profile;
	struct sandbox_command command;
	struct sandbox_variable variables[TOOL_VARIABLES_MAX + PROFILE_VARIABLES_MAX];
	char *cwd;      /* inside; owned */
	char *self_exe; /* owned; NULL: none */
	int session_fd; /* -1: no session */
	int seccomp_fd; /* 0: no filter */
};

#define AUTO_TOOL __attribute__((cleanup(tool_clear)))
#define TOOL_NONE ((struct tool){ .policy = POLICY_NONE, .session_fd = -1 })

/* What the boot, or in its absence the configuration, says of paths and links; borrowed. */
struct tool_ground {
	const char *agent_dir;
	enum sandbox_network network;
	const char *bwrap;
	const char *writable_paths[CONFIG_PATHS_MAX];
	size_t n_writable_paths;
	struct document_link links[CONFIG_LINKS_MAX];
	size_t n_links;
	const char *path; /* our own PATH; may be NULL */
};

/*
 * Judges everything and lays the mounts out; with `pretend` nothing is made on disk (the folder
 * of a session, its links).  0 with `ret`, to be freed with tool_clear(), which must stay where
 * it is; -errno with `f`: the call cannot be sandboxed as it must be.
 */
int tool_resolve(const struct tool_options *options, const struct tool_ground *ground,
		 const struct strategy *strategy, bool pretend, struct tool *ret, struct fault *f);
void tool_clear(struct tool *tool);

/* The resolved policy as a person reads it, or as one line of JSON for the caller to free. */
void tool_write_text(const struct tool *tool, struct text *t);
char *tool_write_json(const struct tool *tool);
