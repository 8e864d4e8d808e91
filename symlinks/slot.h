/*
 * slot: what is at a name in a folder now, and whether it is ours to replace.  Looks only.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "symlinks/place.h"

/* What the link `name` says, NUL-terminated.  0, or -errno of readlink(2): -EINVAL is no link. */
int slot_read(int dir, const char *name, char ret[PATH_MAX]);

/* True when `name` is a link that says `says`.  Two such links are one as good as the other. */
bool slot_says(int dir, const char *name, const char *says);

/*
 * May the link `name`, which says `says`, be replaced?  One that points below the agent folder
 * is ours, one that leads nowhere is nobody's.  Any doubt (a loop, no permission to look, a
 * stranger's link in a sticky folder) keeps it.
 */
bool slot_may_replace(const struct place *place, const char *name, const char *says);

/* As place_judge(), with what the link says in `found` when it is replaced. */
enum link_code slot_judge(const struct place *place, char found[PATH_MAX], struct text *detail);

/* "ACTION NAME: errno's text", and error. */
enum link_code slot_error(const struct place *place, int error, const char *action,
			  struct text *detail);
