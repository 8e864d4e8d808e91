/*
 * kin: every process that is left of what we started, signalled as one.  As PID 1 that is the
 * whole PID namespace, kill(2) with -1; else it is our children, adopted ones included, found in
 * /proc, because -1 would hit processes of others.
 */
#pragma once

/*
 * Sends the signal to all of them.  How many were reached is not told; -ESRCH when nobody is
 * left, -ENOENT when we are not PID 1 and there is no list of children (no /proc, or a kernel
 * without CONFIG_PROC_CHILDREN), else 0.
 */
int kin_signal(int signal_number);
