/*
 * prober: this binary inside the sandbox.  Says hello, is told what to look for, looks, sends
 * one record, and waits to be dismissed, so that it can be looked at from outside meanwhile.
 */
#pragma once

#include <stdint.h>

#include "probes/checks.h"
#include "probes/nonce.h"

#define PROBER_WORD "--typeclaw-prober"

/* RECORD_HELLO */
struct prober_hello {
	uint64_t zero;
};

/* RECORD_LOOK */
struct prober_question {
	struct nonce nonce;
	int32_t sentinel;    /* its pid outside */
	int32_t self;        /* the prober's pid outside */
	int32_t shape;       /* enum sandbox_proc */
	int32_t may_signal;  /* the PID namespace is ours: try a signal, the sentinel witnesses */
	int32_t pids_hidden; /* the container's /proc has hidepid: ENOENT and EPERM are denials */
	int32_t zero;
	uint64_t environ_address;
};

/* RECORD_SEEN, with the nonce's key. */
struct prober_answer {
	struct check_result checks[CHECK_COUNT];
};

/* True for the checks that are the prober's to make. */
bool prober_makes(enum check check);

/* The hidden command; its exit status. */
int prober_main(int fd);
