/* entries: the names in a directory, one after the other, with errors kept. */
#pragma once

#include <dirent.h>
#include <stdint.h>

struct entries {
	DIR *directory;
	int error; /* negative errno of the read that ended it, 0 for a true end */
};

/* Opens `path` below `dir` without following a last link.  0 or -errno. */
int entries_open(int dir, const char *path, struct entries *ret);

/* The next name, not "." or ".."; NULL at the end or after an error. */
const char *entries_next(struct entries *entries);

void entries_close(struct entries *entries);

/* The descriptor of the directory, for *at calls. */
int entries_fd(const struct entries *entries);

/* `name` as a number, digits only; -1 when it is none. */
int64_t entry_number(const char *name);

#define AUTO_ENTRIES __attribute__((cleanup(entries_close)))
