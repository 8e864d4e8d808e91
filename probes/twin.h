/*
 * twin: a process exec'ed from this binary exactly as the main child will be, so that what can
 * be done to it can be done to the agent.  One is the sentinel, which holds the nonce and
 * witnesses signals; the other is the control, which must be able to read it.  Both die with
 * the runner: their socket hangs up, and the kernel kills them (PR_SET_PDEATHSIG).
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "probes/capabilities.h"
#include "probes/nonce.h"

#define TWIN_WORD_SENTINEL "--typeclaw-sentinel"
#define TWIN_WORD_CONTROL "--typeclaw-control"

/* What a twin says of itself, RECORD_TWIN; all of it must be equal for them to be twins. */
struct twin_nature {
	uint32_t uids[4]; /* real, effective, saved, file system */
	uint32_t gids[4];
	uint64_t groups; /* a hash */
	uint64_t capabilities[5];
	int32_t no_new_privs;
	int32_t dumpable;
};

struct twin_hello {
	struct twin_nature nature;
	uint64_t environ_address; /* where the nonce lies in it */
};

/* RECORD_READ */
struct control_question {
	int32_t pid;
	struct nonce nonce;
};

/* RECORD_ANSWER: 0 the nonce was there and nothing else; -errno otherwise. */
struct control_answer {
	int32_t result;
};

/* RECORD_WITNESS */
struct witness {
	uint64_t received; /* bit N-1 is signal N */
	int32_t sender;    /* of the first one, 0 for none or a stranger's namespace */
	int32_t zero;
};

struct twin {
	pid_t pid;
	int fd; /* socket */
};

/*
 * Starts a twin from `exe_fd`; `nonce` for the sentinel, NULL for the control.  0, or -errno of
 * fork(2) or socketpair(2); a failed exec hangs the socket up.
 */
int twin_start(int exe_fd, const struct nonce *nonce, struct twin *ret);

/* The nature of the calling process.  0 or -errno. */
int twin_nature_read(struct twin_nature *ret);

/* The hidden commands; their exit status. */
int twin_sentinel_main(int fd);
int twin_control_main(int fd);
