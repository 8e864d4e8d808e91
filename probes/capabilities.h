/*
 * capabilities: the five sets of a process, out of its status file, or of ourselves by libcap
 * where there is no /proc.  The only file that includes libcap's header is capabilities.c.
 */
#pragma once

#include "probes/facts.h"

/* Reads the Cap* lines of a proc_pid_status(5) text.  0; -EBADMSG when one is missing or bad. */
int capabilities_parse(const char *status, struct capability_sets *ret);

/* Asks the kernel about this process, capget(2) and prctl(2).  0 or -errno. */
int capabilities_read_self(struct capability_sets *ret);
