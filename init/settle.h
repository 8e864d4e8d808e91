/*
 * settle: what this process lets go of once the main child runs.  It supervises from here on and
 * needs nothing of what it was started with.
 */
#pragma once

#include "init/inherit.h"

/*
 * Closes the inherited descriptors and those of 0 and 1 that are not `terminal` (-1: both), so
 * that a pipe's other end sees what the child does; 2 stays for the log.  Leaves the working
 * directory busy for nobody.  Overwrites the environment block and is not dumpable afterwards,
 * proc(5): /proc/PID/environ of an init is readable to its own uid otherwise.  A process that is
 * not root can no longer open its own /proc/self files then, so this comes last.
 */
void settle(const struct inherited *inherited, int terminal);
