/*
 * sandbox: the bwrap command line as a value.  policy -> command line -> exec; the probes run
 * exactly what `typeclaw-init sandbox` runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "init/fault.h"
#include "init/text.h"

/* How /proc is shown; zero is the strictest. */
enum sandbox_proc { SANDBOX_PROC_TMPFS, SANDBOX_PROC_BIND, SANDBOX_PROC_REAL };
enum sandbox_network { SANDBOX_NETWORK_NONE, SANDBOX_NETWORK_INHERIT };

/* "tmpfs", "proc-bind", "real-proc": the strategy's name. */
const char *sandbox_proc_name(enum sandbox_proc proc);

/*
 * Finds bwrap and judges it: absolute path, regular, owned by root or us, neither it nor a
 * directory above it writable by group or others, not setuid, not at or below `agent_dir`.
 * `configured` NULL: /usr/bin/bwrap, then /usr/local/bin/bwrap.  0 with the path, which the
 * caller frees; -ENOENT when there is none; -EPERM when it is refused, with the reason in `f`.
 */
int sandbox_bwrap_find(const char *configured, const char *agent_dir, char **ret_path,
		       struct fault *f);

/*
 * Does this bwrap know --bind-fd, which binds what a descriptor stands for?  It came with 0.10 and
 * was taken back into many older ones, so the program's own text is asked.  False in doubt.
 */
bool sandbox_bwrap_binds_descriptors(const char *path);

/*
 * One command to run.  All pointers are borrowed.  `mounts` is appended after the fixed part;
 * the last operation on a path wins.
 */
enum sandbox_mount_kind {
	SANDBOX_MOUNT_NONE,
	SANDBOX_MOUNT_RO_BIND,
	SANDBOX_MOUNT_BIND,
	SANDBOX_MOUNT_TMPFS,
	SANDBOX_MOUNT_RO_FD,      /* --perms 0555 --ro-bind-data fd path: a copy of what fd holds */
	SANDBOX_MOUNT_SYMLINK,    /* source is the link's text */
	SANDBOX_MOUNT_RO_BIND_FD, /* what the O_PATH descriptor stands for, whatever its name is */
	SANDBOX_MOUNT_BIND_FD,
	SANDBOX_MOUNT_EMPTY_FILE, /* an empty file; fd must read as empty: one of /dev/null */
};

struct sandbox_mount {
	enum sandbox_mount_kind kind;
	const char *source;
	const char *path;
	int fd;
};

/* What stands below everything else in the sandbox. */
enum sandbox_base {
	SANDBOX_BASE_SYSTEM, /* /usr and /etc, and /bin /sbin /lib /lib64 where they exist */
	SANDBOX_BASE_BARE,   /* nothing: the mounts bring it */
	SANDBOX_BASE_ROOT,   /* all of /, read-only */
};

struct sandbox_variable {
	const char *name;
	const char *value;
};

struct sandbox_limit {
	int resource; /* RLIMIT_*, setrlimit(2) */
	uint64_t value;
};

struct sandbox_command {
	const char *bwrap;
	enum sandbox_proc proc;
	enum sandbox_network network;
	const struct sandbox_mount *mounts;
	size_t n_mounts;
	const struct sandbox_variable *variables; /* PATH HOME LANG have defaults */
	size_t n_variables;
	const char *cwd;     /* inside; NULL: / */
	char *const *argv;   /* the tool; NULL-terminated */
	const int *keep_fds; /* passed on to the tool at their own numbers, beside 0 1 2 */
	size_t n_keep_fds;
	const int *stdio;     /* three descriptors that become 0 1 2; NULL: as they are */
	int status_fd;        /* bwrap writes its --json-status-fd there; 0: nowhere */
	uint64_t signal_mask; /* what the tool starts with, bit N-1 is signal N */
	enum sandbox_base base;
	const struct sandbox_limit *limits; /* for bwrap and the tool, soft and hard */
	size_t n_limits;
	int seccomp_fd;      /* a cBPF program for the tool, read from its start; 0: none */
	bool hide_pids;      /* real-proc: the tool sees only what it may ptrace */
	uint64_t timeout_ms; /* sandbox_run(): then everything is killed; 0: never */
};

#define SANDBOX_STATUS_TIMEOUT 124 /* as timeout(1) */

/*
 * Writes bwrap's options, NUL-separated, as they travel by --args FD.  Pure.  Descriptors that
 * a mount needs stand in it by number, so they must be open without CLOEXEC in the child only.
 */
int sandbox_options_write(const struct sandbox_command *command, struct text *ret_options,
			  struct fault *f);

/* What a command that could not be started failed at; zero: bwrap was exec'ed. */
enum sandbox_step {
	SANDBOX_STEP_NONE,
	SANDBOX_STEP_FORK,    /* fork(2), or clone(2) of the new PID and mount namespace */
	SANDBOX_STEP_PRIVATE, /* making the mounts private, mount(2) */
	SANDBOX_STEP_PROC,    /* mounting the fresh procfs */
	SANDBOX_STEP_MASK,    /* masking again what was masked in the old one */
	SANDBOX_STEP_DESCRIPTORS,
	SANDBOX_STEP_EXEC,
	SANDBOX_STEP_LIMITS, /* setrlimit(2) */
};

struct sandbox_failure {
	enum sandbox_step step;
	int error; /* positive errno */
};

struct sandbox_process {
	pid_t pid;      /* bwrap, or for real-proc the first process of its PID namespace */
	int failure_fd; /* what sandbox_failure_read() reads; owned by the caller */
};

/*
 * Starts the command and returns at once.  The process dies with this one (PR_SET_PDEATHSIG,
 * and bwrap's --die-with-parent).  0; -errno with `f` when not even the fork worked.
 */
int sandbox_start(const struct sandbox_command *command, struct sandbox_process *ret,
		  struct fault *f);

/*
 * Waits until the exec of bwrap has worked or not: 0 with *ret, whose step is
 * SANDBOX_STEP_NONE when it worked; -errno of read(2).
 */
int sandbox_failure_read(int failure_fd, struct sandbox_failure *ret);

/* "mount a fresh /proc": what a step does, for a message. */
const char *sandbox_step_name(enum sandbox_step step);

/*
 * Runs the command and waits for it: for real-proc in a fresh PID and mount namespace with a
 * fresh procfs whose masked entries are masked again, else directly.  bwrap gets an EMPTY
 * environment.  NEVER runs the tool any other way.  >= 0: the exit status as the contract maps
 * it (128+N by signal, SANDBOX_STATUS_TIMEOUT); -errno with `f` when the sandbox could not be set
 * up.  What the tool leaves behind is killed; when it was stopped (at the deadline, by a signal)
 * it is also gone on return.
 */
int sandbox_run(const struct sandbox_command *command, struct fault *f);
