/*
 * spec: one entry whose paths the rules have accepted, judged on the disk and carried out.
 *
 * Both sides are looked at before anything is written, so that a refusal leaves no trace; only
 * then are the target folder, the parents of the link and the link itself made, in this order.
 */
#pragma once

#include <stdbool.h>

#include "init/text.h"
#include "symlinks/links.h"

/* All paths normalised (rules.h) and borrowed. */
struct spec {
	const char *path;   /* where the link is to be */
	const char *target; /* what it is to say; below agent_dir */
	const char *agent_dir;
	const char *home; /* NULL: unusable */
	bool dry_run;     /* judge only */
};

/* The result of the entry, with what was found where in `detail` when it was refused. */
enum link_code spec_place(const struct spec *spec, struct text *detail);
