/*
 * config: the effective configuration: defaults <- INI <- environment <- options.
 *
 * One table of keys says for each its section, default and kind; a value is judged by the same
 * row wherever it comes from, and carries its origin.  A source is taken only when all of it is
 * good.
 */
#pragma once

#include <stdbool.h>

#include "entrypoint/options.h"
#include "init/log.h"
#include "init/supervise.h"
#include "probes/probes.h"
#include "symlinks/links.h"

#define CONFIG_DEFAULT_PATH "/etc/typeclaw/init.ini"
#define CONFIG_PATH_VARIABLE "TYPECLAW_INIT_CONFIG"
#define CONFIG_LINKS_VARIABLE "TYPECLAW_SANDBOX_SYMLINKS"
#define CONFIG_LINKS_MAX 64
#define CONFIG_PATHS_MAX 64

enum config_key {
	KEY_AGENT_DIR,
	KEY_AGENT_HOME,
	KEY_SANDBOX_REAL_PROC,
	KEY_SANDBOX_BWRAP,
	KEY_SANDBOX_NETWORK,
	KEY_SANDBOX_FAIL_IF_UNAVAILABLE,
	KEY_SANDBOX_WRITABLE_PATHS,
	KEY_SYMLINKS_FAIL_IF_REFUSED,
	KEY_PROBES_RETRY_BACKOFF_MS,
	KEY_PROBES_ATTEMPT_TIMEOUT_MS,
	KEY_PROBES_BUDGET_MS,
	KEY_INIT_FORWARD,
	KEY_INIT_REWRITE,
	KEY_INIT_WAIT,
	KEY_INIT_KILL_GRACE_MS,
	KEY_INIT_STOP_TIMEOUT_MS,
	KEY_INIT_EXIT_OK,
	KEY_INIT_LOG,
	KEY_COUNT,
};

/* A value as it was written, and where: "default", "FILE:LINE", "environment NAME", "option". */
struct setting {
	char *text;
	char *origin;
};

struct config_link {
	char *from;
	char *to;
	char *origin;
};

struct config {
	const char *agent_dir;
	const char *home;  /* NULL: neither configured nor in the environment */
	const char *bwrap; /* NULL: the usual places */
	bool real_proc;
	enum sandbox_network network;
	bool fail_if_unavailable;
	bool fail_if_refused;
	const char *writable_paths[CONFIG_PATHS_MAX];
	size_t n_writable_paths;
	uint64_t retry_backoff_ms[PROBES_RETRIES_MAX];
	size_t n_retries;
	uint64_t attempt_timeout_ms;
	uint64_t budget_ms;
	struct supervise_options init;
	enum log_level log;
	const char *links_value; /* TYPECLAW_SANDBOX_SYMLINKS as it is; may be NULL */
	struct config_link links[CONFIG_LINKS_MAX];
	size_t n_links;
	char *remark; /* what to say about a bad file at the default place; NULL: nothing */

	struct setting settings[KEY_COUNT]; /* what the fields above were read from */
	char *lists[KEY_COUNT];		    /* split copies that list fields point into */
};

#define AUTO_CONFIG __attribute__((cleanup(config_clear)))

/*
 * Reads all sources.  0 with `*ret`, which config_clear() frees; -EINVAL, -ENOENT, ... with a
 * message in `f` that names file and line, variable or option, and what is allowed.
 * `lenient`: a bad file at the default place is no error (for `run`): the defaults are taken,
 * ret->remark says so, and every fail_if_* that the file mentions counts as true.
 */
int config_read(const struct arguments *arguments, char *const *environment, bool lenient,
		struct config *ret, struct fault *f);
void config_clear(struct config *config);

/*
 * Judges the --set options and the shorthands alone, so that a bad one is a usage error before
 * anything is read.  0; -EINVAL, -ENOMEM with a message in `f`.
 */
int config_judge_options(const struct arguments *arguments, struct fault *f);

/* Adds the effective configuration as INI, each value with its origin. */
void config_write(const struct config *config, struct text *t);

/* The value of an environment variable, or NULL. */
const char *environment_get(char *const *environment, const char *name);
