/*
 * document: the JSON texts of the contract: the strategy document that children read, and what
 * `link`, `probe` print.  And the strict reader of our own document.
 */
#pragma once

#include "entrypoint/config.h"
#include "entrypoint/strategy.h"
#include "probes/findings.h"
#include "symlinks/links.h"

/* Who wrote a document, so that a reader can tell whether that boot is still the running one. */
struct identity {
	pid_t pid;
	uint64_t start_ticks; /* field 22 of /proc/PID/stat, proc(5) */
	uint64_t pid_ns;      /* inode of /proc/PID/ns/pid */
};

/* All that a boot found out and decided; borrowed. */
struct document_source {
	const struct identity *identity;
	const struct config *config;
	const char *bwrap; /* NULL: none that may be used */
	const struct links_report *links;
	const struct facts *facts;
	const struct findings *findings;
	const struct strategy *strategy;
};

/* One line with its newline, for the caller to free; NULL when out of memory. */
char *document_write(const struct document_source *source);
char *document_write_links(const struct links_report *report);
char *document_write_probe(const struct strategy *strategy, const struct findings *findings);

struct document_link {
	char *from;
	char *to;
};

/* What a reader of the document goes by. */
struct document {
	struct identity identity;
	enum sandbox_proc proc;
	enum strategy_reason reason;
	bool real_proc_asked;
	enum sandbox_usable usable;
	enum probe_cause usable_cause;
	enum sandbox_network network;
	char *bwrap; /* NULL: null */
	char *agent_dir;
	char *because;
	char *writable_paths[CONFIG_PATHS_MAX];
	size_t n_writable_paths;
	struct document_link links[CONFIG_LINKS_MAX]; /* those that the boot made */
	size_t n_links;
};

#define AUTO_DOCUMENT __attribute__((cleanup(document_clear)))

/*
 * Reads a strategy document strictly: anything missing, of another type or of another schema is
 * -EINVAL, and `*ret` is untouched.  document_clear() frees what is in it.
 */
int document_read(const char *bytes, size_t length, struct document *ret);
void document_clear(struct document *document);

/*
 * Reads back what document_write_probe() wrote, as a snapshot of a host keeps it: verdicts,
 * causes, errnos, evidence and times of both probes, without their checks.  0; -EINVAL.
 */
int document_read_probe(const char *bytes, size_t length, struct findings *ret);
