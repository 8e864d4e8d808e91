/*
 * handoff: the strategy document in a sealed memfd, handed to the child by descriptor number.
 *
 * Seals prove that nobody changed the bytes, not who wrote them: an ancestor of the reader can
 * forge name and seals.  The ID (device and inode) tells a stale number from the real one.
 */
#pragma once

#include <stddef.h>

#include "init/fault.h"

#define HANDOFF_NAME "typeclaw-strategy"
#define HANDOFF_MAX 65536
#define HANDOFF_FD_VARIABLE "TYPECLAW_STRATEGY_FD"
#define HANDOFF_ID_VARIABLE "TYPECLAW_STRATEGY_ID"

struct handoff {
	int fd;	     /* read-only where /proc allows, CLOEXEC; owned by the caller */
	char id[48]; /* "st_dev:st_ino", decimal, as `stat -Lc %d:%i` prints it */
};

/*
 * Puts `length` bytes into a memfd, mode 0444, sealed against every change (memfd_create(2),
 * F_ADD_SEALS of fcntl(2)), and moves it to the first free number of 7 8 6 5 4 9, else the
 * lowest from 10 (dash cannot name those, 3 is LISTEN_FDS').  0; -EFBIG over HANDOFF_MAX;
 * -errno with `f`.
 */
int handoff_seal(const char *document, size_t length, struct handoff *ret, struct fault *f);

/*
 * Reads the document behind the words of the two variables (either may be NULL).  0 with the
 * bytes, NUL added, for the caller to free; -ENOENT: none was handed out; -ESTALE: the number is
 * another file now; -EPERM: not sealed; -EFBIG; -errno.  The offset is not used or moved.
 */
int handoff_read(const char *fd_word, const char *id_word, char **ret_document,
		 size_t *ret_length);
