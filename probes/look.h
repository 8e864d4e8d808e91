/*
 * look: the prober as it is seen from outside, by its pid that the kernel gave us.  Nothing
 * that happens in the sandbox can change what is read here; where no /proc is shown inside,
 * this look is the proof.
 */
#pragma once

#include <sys/types.h>

#include "probes/checks.h"

/* Compares namespaces, capabilities, user map and root of `prober` with ours. */
void look_outside(pid_t prober, enum sandbox_network network, struct check_result *checks);

/* 1 when our own /proc hides processes (hidepid, proc(5)), 0 when not, or -errno. */
int look_pids_hidden(void);

/* Its decision on the text of proc_pid_mountinfo(5), pure: the last mount on /proc counts. */
bool look_hides_pids(const char *mountinfo);

/* CHECK_ROOT's decision on the text of proc_pid_mountinfo(5); pure. */
bool look_root_is_bwraps(const char *mountinfo);
