/*
 * zones: places below the agent folder, each judged before anything is mounted there.
 *
 * Everything below the agent folder is hostile: a tool may have planted links in it or swap them
 * while we look.  A path is walked one component at a time from a descriptor, never through a
 * link, and what was judged stays open, so that exactly this is what gets bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ZONES_MAX 512
#define ZONE_PATH_MAX 1023
#define ZONE_NAME_MAX 255
#define ZONE_AVOIDED_MAX 32

enum zone_kind { ZONE_NOTHING, ZONE_DIRECTORY, ZONE_FILE };

/* Zero is the strictest: what nobody judged is not taken.  All but ZONE_TAKEN are reasons. */
enum zone_verdict {
	ZONE_UNJUDGED,
	ZONE_TAKEN,
	ZONE_EMPTY,
	ZONE_ABSOLUTE,
	ZONE_DOTDOT,
	ZONE_AGENT_ROOT, /* the agent folder itself, under whatever name */
	ZONE_TOO_LONG,
	ZONE_FORBIDDEN, /* at or under .git .env secrets.json sessions memory ... */
	ZONE_MISSING,
	ZONE_LINK,       /* it, or a folder on the way to it */
	ZONE_WRONG_KIND, /* neither folder nor regular file, or not the one it should be */
	ZONE_HIDDEN,     /* at or under a mask, which it would open again */
	ZONE_DUPLICATE,
	ZONE_INSTALL, /* read-only while a package install runs */
	ZONE_UNREADABLE,
};

/* "taken", "missing", "link", ...: the word that stands in --json. */
const char *zone_verdict_name(enum zone_verdict verdict);

struct zone {
	char *path; /* absolute, below the agent folder, normal; as it was written if not taken */
	enum zone_kind kind;
	enum zone_verdict verdict;
	bool covered; /* below another zone of the list that is taken: needs no mount of its own */
	int fd;       /* O_PATH, what was judged; owned; -1 when not taken */
};

struct zones {
	struct zone *list; /* in the order of adding */
	size_t n;
};

/* What a file is, whatever it is called (a file system may fold case, or be bound twice). */
struct zone_identity {
	dev_t device;
	ino_t inode;
};

/* The agent folder, as all zones of a call see it. */
struct zone_ground {
	int fd; /* O_PATH; owned */
	struct zone_identity root;
	const char *path;                               /* absolute, without a slash at its end */
	struct zone_identity avoided[ZONE_AVOIDED_MAX]; /* forbidden roots, then masks */
	size_t n_forbidden;
	size_t n_avoided;
};

#define AUTO_ZONES __attribute__((cleanup(zones_clear)))
#define AUTO_GROUND __attribute__((cleanup(zone_ground_close)))

/*
 * Opens the agent folder and remembers what its forbidden roots are.  The path to it is the
 * operator's, so links in it are followed.  0; -errno of open(2); -EINVAL for a relative path.
 */
int zone_ground_open(const char *agent_dir, struct zone_ground *ret);
void zone_ground_close(struct zone_ground *ground);

/* What `masks` took is hidden from now on under every name.  0; -E2BIG; -errno of fstat(2). */
int zone_ground_hide(struct zone_ground *ground, const struct zones *masks);

/*
 * Judges `path`, relative to the agent folder, as a zone of `kind` (ZONE_NOTHING: a folder or a
 * regular file) and adds it with the verdict.  With `free` the forbidden roots may be named: for
 * masks and protections.  0, also for what is not taken; -ENOMEM; -E2BIG over ZONES_MAX.
 */
int zones_add(struct zones *zones, const struct zone_ground *ground, const char *path,
	      enum zone_kind kind, bool free);

/* Turns every taken zone that is at or under a taken one of `masks` into ZONE_HIDDEN. */
void zones_subtract(struct zones *zones, const struct zones *masks);

/* Marks the zones that are below another taken directory of the same list. */
void zones_mark_covered(struct zones *zones);

/* The taken zone of that absolute path, or NULL. */
const struct zone *zones_find(const struct zones *zones, const char *path);

/* True when `path` is `root` or below it; both absolute and normal. */
bool zone_path_is_below(const char *path, const char *root);

void zones_clear(struct zones *zones);
