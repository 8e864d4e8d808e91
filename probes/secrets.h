/*
 * secrets: what the prober tries to read of others through the /proc that it is shown.  One
 * byte read or one link resolved is a leak; an error that is not a plain denial is a doubt.
 */
#pragma once

#include "probes/prober.h"

/* Every entry of the live sentinel, and a search for the nonce in all that can be read. */
void secrets_of_sentinel(const struct prober_question *question, struct check_result *checks);

/* In a fresh procfs: no process with the sentinel's tag. */
void secrets_sentinel_absent(const struct prober_question *question, struct check_result *checks);

/* The environ of every other process and task that is shown. */
void secrets_of_others(const struct prober_question *question, struct check_result *checks);
