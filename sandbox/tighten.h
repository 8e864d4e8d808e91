/*
 * tighten: what a tool can be denied beyond the sandbox.  Off unless asked, because each costs
 * something; `cost` says what.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "init/fault.h"
#include "sandbox/sandbox.h"

/*
 * The words that --help and --print show beside the options.  The filter is a classic BPF
 * program, seccomp(2), which bwrap loads just before the tool starts.
 */
#define TIGHTEN_SYSCALLS_COST \
	"no nested sandboxes (browsers), mounts, debuggers, keyrings, io_uring, 32 bit programs"
#define TIGHTEN_PIDS_COST "ps shows only what the tool itself started"
#define TIGHTEN_LIMIT_COST "programs that need more fail, often without saying why"

/*
 * Writes the filter into a memory file: no new namespaces, no mounts, no ptrace, keyrings or
 * io_uring (EPERM; clone3 ENOSYS, so that libc falls back to clone, whose flags can be seen).
 * 0 with the descriptor, which the caller closes; -errno with `f`.
 */
int tighten_syscalls(int *ret_fd, struct fault *f);

/* The same program as numbers, for whoever wants to judge it: its length in bytes. */
size_t tighten_program(void *ret, size_t size);

/*
 * Reads "NAME=VALUE": nproc, nofile, as, fsize, cpu (seconds), stack; bytes where not counted.
 * 0; -EINVAL with what is allowed in `f`.
 */
int tighten_limit_parse(const char *word, struct sandbox_limit *ret, struct fault *f);

/*
 * Does /proc hide the processes that a reader may not ptrace, proc(5), hidepid=4?  proc-bind shows
 * the container's own /proc, so only whoever mounted that can have hidden them.
 */
bool tighten_pids_hidden(const char *mountinfo);
