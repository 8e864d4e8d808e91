/*
 * own: what is acquired is released by its declaration; what leaves is taken.
 *
 *	AUTO_CLOSE int fd = open(...);
 *	...
 *	*ret_fd = fd_take(&fd);		the caller closes it from here on
 *
 * close(2) is never retried: on Linux the descriptor is gone whatever it returns.
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static inline void own_close(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = saved;
}

static inline void own_free(void *pointer)
{
	free(*(void **)pointer);
}

#define AUTO_CLOSE __attribute__((cleanup(own_close)))
#define AUTO_FREE __attribute__((cleanup(own_free)))

/* Gives the descriptor away: *fd is -1 afterwards. */
static inline int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Closes *fd, if it is one, and leaves -1. */
static inline void fd_close(int *fd)
{
	own_close(fd);
	*fd = -1;
}

/* Gives the memory away: *pointer is NULL afterwards. */
#define pointer_take(pointer)                               \
	({                                                  \
		__typeof__(*(pointer)) taken_ = *(pointer); \
		*(pointer) = NULL;                          \
		taken_;                                     \
	})

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
