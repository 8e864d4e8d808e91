/*
 * home: what `~` stands for, judged once.
 */
#pragma once

#include "init/text.h"

/*
 * Judges `home` (NULL: not set): absolute, a folder reached through no link, ours or root's and
 * closed to others all the way, not at or below `agent_dir` (normalised).  "/" is only root's.
 * Adds the normalised path to the empty `ret` and returns 0, or -EINVAL with why and what to do
 * in `why`; `ret` is then of no use.
 */
int home_read(const char *home, const char *agent_dir, struct text *ret, struct text *why);
