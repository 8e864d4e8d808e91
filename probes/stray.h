/*
 * stray: the end of everything that an attempt has started.  The runner is a subreaper, so that
 * every descendant is its child sooner or later.
 */
#pragma once

#include <sys/types.h>

/*
 * Kills and reaps until there is no child left.  `known` (n of them, 0 is none) are killed even
 * where /proc cannot be read.
 */
void stray_end_all(const pid_t *known, size_t n);

/* In init: kills and reaps the children that belong to session `session`. */
void stray_end_session(pid_t session);
