/* descriptors: which ones a child keeps.  Async-signal-safe, for between fork and exec. */
#pragma once

#include <stddef.h>

/*
 * Closes every descriptor from 3 up that is not among the `n` of `keep` (any order; -1 is
 * ignored).  close_range(2), and where that is missing one by one up to RLIMIT_NOFILE.
 */
void descriptors_close_except(const int *keep, size_t n);

/* Lets an exec pass the descriptor on.  0 or -errno of fcntl(2). */
int descriptor_pass_on(int fd);
