/*
 * session: a /tmp that the tool calls of one session share, a folder of its own on our side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init/fault.h"
#include "init/text.h"

#define SESSION_ID_MAX 128
#define SESSION_ROOT "/tmp/typeclaw-session"

/* [A-Za-z0-9._-]{1,128}, and neither "." nor "..". */
bool session_id_valid(const char *id);

/*
 * Where a path that a tool names lies on our side: below the session's folder when it is /tmp or
 * below it, taken from the agent folder when it is relative.  Pure, by the letters alone.
 * 0 with the path in `ret_path`; 1 when it is no path of the session's /tmp (nor one of an agent
 * folder that itself lies in /tmp); -EINVAL for a bad ID; -ENOMEM.
 */
int session_path(const char *agent_dir, const char *id, const char *path, struct text *ret_path);

/*
 * Makes the folder where it is missing and opens it, O_PATH: 0700, ours, no link on the way.  0
 * with the descriptor, which the caller closes; -EINVAL for a bad ID; -EPERM when it is not ours
 * alone; -errno; all with `f`.
 */
int session_open(const char *id, int *ret_fd, struct fault *f);
