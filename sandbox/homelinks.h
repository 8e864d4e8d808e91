/*
 * homelinks: the configured links as a tool sees them: `from` below the sandbox's own HOME, to a
 * folder that it may write.  An entry that bwrap would die on is dropped, never fatal.
 */
#pragma once

#include "sandbox/layout.h"

#define SANDBOX_HOME "/tmp"

/* Zero: nobody judged it, so that it is not made.  All but HOMELINK_TAKEN are reasons. */
enum homelink_verdict {
	HOMELINK_UNJUDGED,
	HOMELINK_TAKEN,
	HOMELINK_BAD_FROM,     /* not absolute and not ~/, climbing, too long */
	HOMELINK_READ_ONLY,    /* below what is mounted read-only, or is no place for links */
	HOMELINK_IN_AGENT,     /* at, below or above the agent folder */
	HOMELINK_OVERLAPS,     /* at, below or above an earlier link */
	HOMELINK_NOT_WRITABLE, /* its target is no writable folder of this call */
	HOMELINK_OCCUPIED,     /* something else stands there in the session's /tmp */
};

/* "taken", "not-writable", ...: the word that stands in --json. */
const char *homelink_verdict_name(enum homelink_verdict verdict);

struct homelink {
	const char *from; /* as configured; borrowed */
	const char *to;
	char *path;   /* where it is inside; NULL when it is nowhere; owned */
	char *target; /* what it says; owned */
	enum homelink_verdict verdict;
};

struct homelinks {
	struct homelink *list;
	size_t n;
};

#define AUTO_HOMELINKS __attribute__((cleanup(homelinks_clear)))

/* Judges one more link against the policy.  0; -ENOMEM. */
int homelinks_add(struct homelinks *links, const struct policy *policy, const char *from,
		  const char *to);

/*
 * Makes those that were taken: by bwrap, or, where /tmp is the folder of a session, in that
 * folder by ourselves.  A tool of the same session may write there while we do, so it is walked
 * from `session_fd` and never through a link.  `session_fd` -1: no session.
 */
void homelinks_place(struct homelinks *links, int session_fd, struct layout *layout);
void homelinks_clear(struct homelinks *links);
