/*
 * terminal: whose is the controlling terminal, and giving its foreground away and back.  A
 * terminal that was not ours is never touched.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * The descriptor among 0, 1, 2 that is our controlling terminal, or -1; `*ret_held` tells whether
 * our process group is in its foreground, tcgetpgrp(3).
 */
int terminal_find(bool *ret_held);

/* The foreground group of `terminal`, or -errno. */
pid_t terminal_foreground(int terminal);

/*
 * Puts `group` into the foreground, tcsetpgrp(3).  SIGTTOU must be blocked, as all signals are
 * here, or a background group is stopped by it.  Async-signal-safe.  0 or -errno.
 */
int terminal_give(int terminal, pid_t group);
