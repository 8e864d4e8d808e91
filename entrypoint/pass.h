/*
 * pass: the steps of the boot, left to right, each filling its part of one struct.  `run` takes
 * all of them; the other commands are truncations of it, so they cannot disagree.
 */
#pragma once

#include "entrypoint/command.h"
#include "entrypoint/document.h"
#include "probes/host.h"

struct pass {
	struct config config;
	struct links_report links;
	struct facts facts;
	struct host_facts host; /* only after pass_read_host() */
	char *bwrap;            /* NULL: none that may be used */
	struct findings findings;
	struct strategy strategy;
	struct identity identity;
};

#define AUTO_PASS __attribute__((cleanup(pass_clear)))

/* argv, environment, INI -> config.  Errors are config_read()'s. */
int pass_read_config(struct pass *pass, const struct invocation *invocation, bool lenient,
		     struct fault *f);

/* config -> link results.  0; -ENOMEM. */
int pass_place_links(struct pass *pass, bool dry_run, struct fault *f);

/* /proc, libcap -> facts, bwrap, identity.  0; -ENOMEM. */
int pass_read_facts(struct pass *pass, struct fault *f);

/* /proc, /sys, marks of engines -> host: for those who explain.  0; -ENOMEM. */
int pass_read_host(struct pass *pass, struct fault *f);

/* config, facts -> findings -> strategy.  0; the signal that stopped it; -errno. */
int pass_probe(struct pass *pass, bool real_proc, bool proc_bind, struct fault *f);

/* All of it -> the strategy document, for the caller to free; NULL when out of memory. */
char *pass_write_document(const struct pass *pass);

/* `probe` and `strategy`: 0 real-proc or proc-bind, 10 tmpfs for good, 20 tmpfs unverified. */
int strategy_status(enum sandbox_proc proc, enum strategy_reason reason);

void pass_clear(struct pass *pass);
