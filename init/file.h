/*
 * file: whole small files, read below a directory and written without surprises.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads all of `path` below the directory descriptor `dir` (AT_FDCWD allowed) into
 * memory that the caller frees; a NUL follows the last byte.  A link as the last
 * component is not followed.  -EFBIG when there is more than `max` bytes, else the
 * errno of open(2) (ELOOP for a link) or read(2).  FIFOs and devices are refused with
 * -EINVAL instead of being waited for.  Either output may be NULL.
 */
int file_slurp(int dir, const char *path, size_t max, char **ret_data, size_t *ret_length);

/* The same of an open descriptor from its start, by pread(2); the offset stays where it is. */
int file_slurp_fd(int fd, size_t max, char **ret_data, size_t *ret_length);

/* Writes all bytes; 0 or -errno of write(2).  Blocks as long as the descriptor does. */
int file_write_all(int fd, const void *bytes, size_t length);

/* True when `fd` lies on a procfs, fstatfs(2); a fake /proc on disk or tmpfs is not one. */
bool file_is_procfs(int fd);
