/* status: numbers out of a proc_pid_status(5) text, strictly. */
#pragma once

#include <stdint.h>

/*
 * The word at position `index` (0 is the first) of the line `NAME:`, in `base` 10 or 16.
 * 0; -ENOENT without such a line or word; -EBADMSG when it is no number.
 */
int status_number(const char *status, const char *name, unsigned int index, int base,
		  uint64_t *ret);
