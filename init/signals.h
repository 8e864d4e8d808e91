/*
 * signals: names and numbers, and which ones may be forwarded.  The kernel's numbers, 1 to 64:
 * RTMIN is 34 as everybody means it (glibc and musl keep 32 and 33 for themselves), RTMAX 64.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SIGNAL_RTMIN 34
#define SIGNAL_RTMAX 64
#define SIGNAL_NAME_MAX 16

/*
 * "TERM", "SIGTERM", "15", "RTMIN+3", "SIGRTMAX-2", in either case.  The number (1 to 64), or
 * -EINVAL.  "0" is no signal.
 */
int signal_parse(const char *text);

/* "SIGTERM", "SIGRTMIN+3", or "signal 32" for what has no name; always terminated. */
void signal_name(int signal_number, char ret[SIGNAL_NAME_MAX]);

/* False for what cannot be caught or is about our own children: KILL, STOP, CHLD. */
bool signal_is_forwardable(int signal_number);
