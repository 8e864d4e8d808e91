/*
 * rules: which paths an entry may name.  Pure text: nothing here looks at the file system, so
 * what the paths turn out to be is for walk and place to find out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init/text.h"
#include "symlinks/links.h"

#define RULES_COMPONENT_MAX 255 /* NAME_MAX, pathname(7) */
#define RULES_PATH_MAX 1023

/* Temporary names of the placing step begin so; an entry may not. */
#define RULES_SPARE_PREFIX ".typeclaw-link."

/* All paths normalised (rules_normalise). */
struct rules {
	const char *agent_dir;
	const char *home; /* NULL: HOME cannot be used */
	const char *self; /* this binary; NULL: unknown */
};

/*
 * Adds `path` to `ret` as "/a/b": without "//", "." and a trailing slash; "" for "/" and ".".
 * 0; -EINVAL for a ".." segment; -ENAMETOOLONG for a component over RULES_COMPONENT_MAX or a
 * result over RULES_PATH_MAX.  Whether `path` was absolute is for the caller to ask.
 */
int rules_normalise(const char *path, size_t length, struct text *ret);

/* The names right below the agent folder that no link may lead to; NULL ends them. */
extern const char *const rules_forbidden[];

/* True when `path` is `folder` or below it; both normalised. */
bool rules_at_or_below(const char *path, const char *folder);

/*
 * Judges `from`, and adds the normalised absolute path to the empty `ret`.  LINK_NONE when it
 * is accepted, else why not; `ret` is then of no use.
 */
enum link_code rules_from(const struct rules *rules, const char *from, size_t length,
			  struct text *ret);

/* Judges `to`, and adds what the link is to say to the empty `ret`.  As rules_from(). */
enum link_code rules_to(const struct rules *rules, const char *to, size_t length, struct text *ret);
