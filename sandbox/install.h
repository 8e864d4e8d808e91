/*
 * install: a package install in the agent folder.  It must make and rename files at the root, so
 * the root becomes writable and everything else in it is bound read-only again, found by listing
 * it.  Any doubt means the ordinary jail.
 */
#pragma once

#include "sandbox/zones.h"

/* Zero: nobody asked, so it is the ordinary jail. */
enum install_verdict {
	INSTALL_NOT_ASKED,
	INSTALL_TAKEN,
	INSTALL_LINK,       /* a link at the root: it cannot be bound, so it could be replaced */
	INSTALL_WRONG_KIND, /* a socket, a fifo, a file where a folder belongs */
	INSTALL_TOO_MANY,   /* more entries than can be bound */
	INSTALL_UNREADABLE,
};

/* "not-asked", "taken", "link", ... */
const char *install_verdict_name(enum install_verdict verdict);

struct install {
	enum install_verdict verdict;
	char *culprit;          /* the entry that made it the ordinary jail; NULL: none did */
	struct zones writable;  /* node_modules: a mount of its own, so that nobody renames it */
	struct zones protected; /* bound read-only again; .git and node_modules/typeclaw too */
};

/*
 * Lists the agent folder.  0 with the verdict in `*ret`, whose lists are empty unless it is
 * INSTALL_TAKEN; -ENOMEM.
 */
int install_read(const struct zone_ground *ground, struct install *ret);

/* Turns every taken zone that an install does not write into ZONE_INSTALL. */
void install_restrict(const struct zone_ground *ground, struct zones *writable);
void install_clear(struct install *install);
