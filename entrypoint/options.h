/*
 * options: the one table of options.  It feeds the parser, --help and the man pages, so they
 * cannot disagree.  For `run` and `sandbox`, which carry somebody else's command line, options
 * end at the first word that is none: `run sh -c x` works.  The others take them anywhere:
 * `probe proc-bind --json`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "init/fault.h"
#include "init/text.h"

/* One bit a command; an option names the commands that take it. */
enum command_bit {
	COMMAND_RUN = 1 << 0,
	COMMAND_LINK = 1 << 1,
	COMMAND_PROBE = 1 << 2,
	COMMAND_STRATEGY = 1 << 3,
	COMMAND_SANDBOX = 1 << 4,
	COMMAND_CONFIG = 1 << 5,
	COMMAND_HELP = 1 << 6,
	COMMAND_PLAN = 1 << 7,
	COMMAND_DOCTOR = 1 << 8,
	COMMAND_DOCKERFILE = 1 << 9,
	COMMAND_ANY = (1 << 10) - 1,
};

enum option_id {
	OPTION_NONE,
	OPTION_HELP,
	OPTION_CONFIG,
	OPTION_SET, /* and every shorthand for a configuration key */
	OPTION_JSON,
	OPTION_DRY_RUN,
	OPTION_REFRESH,
	OPTION_SUBREAPER,
	OPTION_PARENT_DEATH,
	OPTION_WARN_ON_REAP,
	OPTION_AGENT_DIR,
	OPTION_FORMAT,
	OPTION_NULL,
	OPTION_NAME,
	OPTION_EXPLAIN,
	OPTION_SECCOMP,
	OPTION_SECCOMP_FILE,
	OPTION_SECCOMP_BASE,
	OPTION_APPARMOR,
	OPTION_SELINUX,
	OPTION_BASE,
	OPTION_CMD,
	OPTION_PACKAGE,
	OPTION_NO_PACKAGES,
	OPTION_BINARY_FROM,
	OPTION_STRICT,
	OPTION_QUICK,
	OPTION_QUIET,
	OPTION_COLOR,
	OPTION_MESSAGE,
	OPTION_SYSROOT,
	OPTION_ROLE,
	OPTION_SEE,
	OPTION_PROFILE,
	OPTION_NETWORK,
	OPTION_SESSION,
	OPTION_SET_ENV,
	OPTION_INHERIT_ENV,
	OPTION_CWD,
	OPTION_TIMEOUT,
	OPTION_ALLOW_PREFIX,
	OPTION_REJECT_METACHARACTERS,
	OPTION_PRINT,
	OPTION_SCRIPT,
	OPTION_SELF_EXE,
	OPTION_WORKSPACE,
	OPTION_HOME,
	OPTION_TMP,
	OPTION_CACHE,
	OPTION_ALLOW_UNSANDBOXED,
	OPTION_DENY_SYSCALLS,
	OPTION_HIDE_PIDS,
	OPTION_LIMIT,
};

struct option {
	enum option_id id;
	char letter;          /* 0: none */
	const char *name;     /* without the dashes; NULL: none */
	const char *argument; /* what --help calls it; NULL: takes none */
	unsigned int commands;
	const char *help;
	const char *key;   /* shorthand: the configuration key it sets, SECTION.KEY */
	const char *value; /* shorthand: the value, where the option takes no argument */
};

/* One option as it was given; `value` points into argv, or is NULL. */
struct option_use {
	const struct option *option;
	const char *value;
};

/* Those that watch no child need no blocked signals: Ctrl-C and a closed pipe just end them. */
#define COMMAND_WITHOUT_CHILDREN \
	(COMMAND_LINK | COMMAND_CONFIG | COMMAND_HELP | COMMAND_PLAN | COMMAND_DOCKERFILE)

/* Commands whose words are another program's command line. */
#define COMMAND_CARRIERS (COMMAND_RUN | COMMAND_SANDBOX)

#define OPTION_USES_MAX 256
#define OPTION_WORDS_MAX 16 /* of commands that carry none */

struct arguments {
	struct option_use uses[OPTION_USES_MAX]; /* in the order they were given */
	size_t n_uses;
	char **rest; /* the words that are no options, NULL-terminated; borrowed, or `words` */
	int n_rest;
	char *words[OPTION_WORDS_MAX + 1];
};

extern const struct option option_table[];
extern const size_t option_count;

/*
 * Reads the options of `command` from the words of argv.  0; -EINVAL with `f` (a usage error),
 * and `*ret` is untouched.  `*ret` must not be copied: it may point into itself.
 */
int options_parse(enum command_bit command, char **words, struct arguments *ret, struct fault *f);

/* Was the option given; its last value, or NULL. */
bool arguments_has(const struct arguments *arguments, enum option_id id);
const char *arguments_value(const struct arguments *arguments, enum option_id id);

/* Adds the help lines of the options that `command` takes. */
void options_write_help(enum command_bit command, struct text *t);
