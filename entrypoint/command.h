/*
 * command: one row a command.  `main` looks the row up, the options are parsed by their table,
 * and the row's function does the rest and returns the exit status.
 */
#pragma once

#include "entrypoint/options.h"
#include "init/inherit.h"
#include "init/log.h"

/* Exit statuses of the contract, DESIGN section 4. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_REFUSED = 1, /* link: an entry was refused; doctor: a check failed */
	EXIT_USAGE = 2,
	EXIT_NOT_RUN = 3,       /* could not run; strategy: no document */
	EXIT_UNSAFE = 10,       /* probe: a leak was seen; strategy: tmpfs for good */
	EXIT_UNAVAILABLE = 11,  /* probe real-proc: the kernel said no */
	EXIT_INCONCLUSIVE = 20, /* probe: no verdict; strategy: tmpfs, unverified */
	EXIT_OURS = 125,        /* run, sandbox: our own failure */
};

/* What a command is given; everything borrowed from main. */
struct invocation {
	const struct command *command;
	const struct arguments *arguments;
	const struct inherited *inherited;
	char **environment;
};

struct command {
	const char *name;
	enum command_bit bit;
	const char *usage;   /* what follows the name */
	const char *summary; /* one line */
	const char *details; /* further lines of its help, or NULL */
	enum exit_status usage_status;
	enum exit_status not_run_status;
	int (*run)(const struct invocation *invocation);
};

extern const struct command command_table[];
extern const size_t command_count;

/* The row, or NULL. */
const struct command *command_find(const char *name);

/* Parses the words after the command's name and runs it; the exit status. */
int command_start(const struct command *command, char **words, const struct inherited *inherited,
		  char **environment);

/* Says what went wrong on stderr and returns `status`.  `command` may be NULL. */
int command_fail(const struct command *command, const struct fault *f, enum exit_status status);

/* The same for words that make no sense: with where help is, and the command's usage status. */
int command_misused(const struct command *command, const struct fault *f);

/* Writes to stdout; 0, or the command's "could not run" status after saying why. */
int command_print(const struct command *command, struct text *t);

int command_run(const struct invocation *invocation);
int command_link(const struct invocation *invocation);
int command_probe(const struct invocation *invocation);
int command_strategy(const struct invocation *invocation);
int command_sandbox(const struct invocation *invocation);
int command_config(const struct invocation *invocation);
int command_plan(const struct invocation *invocation);
int command_dockerfile(const struct invocation *invocation);
int command_doctor(const struct invocation *invocation);
int command_help(const struct invocation *invocation);
