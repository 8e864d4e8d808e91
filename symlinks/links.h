/*
 * links: the step of the boot that makes the configured symlinks `from -> AGENT_DIR/to`.
 *
 * A pass of its own: value --base64--> bytes --JSON--> entries --rules--> specs --place-->
 * results.  A bad entry is refused, said and skipped; it never blocks the next one.  Nothing
 * that is not a link is ever touched, and no link is ever followed below the agent folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init/fault.h"

/* What became of an entry, or (ENV_*) of the whole value.  Zero: nothing was said yet. */
enum link_code {
	LINK_NONE,
	LINK_CREATED,
	LINK_UNCHANGED,
	LINK_REPLACED,
	LINK_OCCUPIED,
	LINK_FOREIGN_LINK,
	LINK_RACED,
	LINK_TARGET_IS_LINK,
	LINK_TARGET_NOT_DIRECTORY,
	LINK_PARENT_IS_LINK,
	LINK_PARENT_NOT_DIRECTORY,
	LINK_PARENT_WRITABLE,
	LINK_NAME_TOO_LONG,
	LINK_TO_EMPTY,
	LINK_TO_ABSOLUTE,
	LINK_TO_DOTDOT,
	LINK_TO_AGENT_ROOT,
	LINK_TO_FORBIDDEN,
	LINK_FROM_EMPTY,
	LINK_FROM_NOT_ABSOLUTE,
	LINK_FROM_DOTDOT,
	LINK_FROM_IN_AGENT,
	LINK_FROM_IS_HOME,
	LINK_FROM_SYSTEM_ROOT,
	LINK_HOME_UNUSABLE,
	LINK_NUL,
	LINK_DUPLICATE_FROM,
	LINK_ENTRY_NOT_OBJECT,
	LINK_ENTRY_MISSING_FROM,
	LINK_ENTRY_MISSING_TO,
	LINK_ENTRY_BAD_TYPE,
	LINK_ERROR,
	LINK_ENV_BAD_BASE64,
	LINK_ENV_BAD_JSON,
	LINK_ENV_NOT_ARRAY,
	LINK_ENV_TOO_DEEP,
	LINK_ENV_TOO_LONG,
};

/* The word of the contract ("created", "target-is-link", "env-bad-json"); "none" for LINK_NONE. */
const char *link_code_name(enum link_code code);

/* True for created, unchanged and replaced: the link is there and right. */
bool link_code_done(enum link_code code);

/* One configured link, as it was written; NUL-terminated. */
struct link_entry {
	const char *from;
	const char *to;
};

struct links_request {
	const char *value;                   /* TYPECLAW_SANDBOX_SYMLINKS; NULL or "": none */
	const struct link_entry *configured; /* [symlinks] of the INI, in file order */
	size_t n_configured;
	const char *agent_dir; /* absolute */
	const char *home;      /* HOME or [agent] home, unchecked; may be NULL */
	const char *self;      /* absolute path of this binary, NULL when unknown */
	bool dry_run;          /* judge everything, write nothing */
};

/* One entry and what became of it.  Strings are owned by the report; foreign bytes in
 * `detail` are escaped, `from` and `to` are as given (`*_length`: they may hold a NUL). */
struct link_result {
	enum link_code code;
	char *from; /* NULL when the entry had none */
	size_t from_length;
	char *to; /* NULL when the entry had none */
	size_t to_length;
	char *path;   /* where the link is, or would be; NULL when that could not be told */
	char *target; /* what it says, or would say; NULL likewise */
	char *detail; /* what was found where; NULL when the code says it all */
};

struct links_report {
	enum link_code code; /* LINK_ENV_*: the whole value was unreadable; else LINK_NONE */
	char *detail;        /* with `code`: what and where, escaped */
	struct link_result *links;
	size_t n_links;
	unsigned int created, unchanged, replaced, refused;
};

#define AUTO_LINKS __attribute__((cleanup(links_report_clear)))

/*
 * Reads, checks and places all links.  0 with a report (refusals are results, not errors), or
 * -ENOMEM; `*ret` is owned by the caller, links_report_clear() frees it.
 */
int links_place(const struct links_request *request, struct links_report *ret, struct fault *f);
void links_report_clear(struct links_report *report);
