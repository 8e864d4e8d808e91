/*
 * entries: the value of TYPECLAW_SANDBOX_SYMLINKS as a list of entries.  It says which of them
 * are no entries at all; which paths they may name is for rules to say.
 */
#pragma once

#include "symlinks/links.h"

#define ENTRIES_VALUE_MAX ((size_t)128 * 1024) /* more than an environment string can hold */
#define ENTRIES_DEPTH_MAX 8
#define ENTRIES_MAX 64

/*
 * Adds one result for each entry to `report->links` (code LINK_NONE: well-formed), or sets
 * `report->code` and `detail` and adds none.  0 in both cases; -ENOMEM.
 */
int entries_read(const char *value, struct links_report *report);

/* Adds one result with copies of both strings.  0 or -ENOMEM. */
int entries_add(struct links_report *report, const char *from, const char *to);
