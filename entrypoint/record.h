/*
 * record: /run/typeclaw/strategy.json, the copy of the strategy document for `docker exec` and
 * for sandbox calls that did not inherit the descriptor.  It survives `docker restart`, so
 * a reader believes it only while the init that wrote it is still the one that runs.
 */
#pragma once

#include "entrypoint/document.h"

#define RECORD_PATH "/run/typeclaw/strategy.json"

/* This process, as a document names it.  0, or -errno where /proc cannot say. */
int identity_read_self(struct identity *ret);

/* 0 while the process that `identity` names runs, in our own pid namespace; -ESTALE; -errno. */
int identity_verify(const struct identity *identity);

/* Removes an old record before anything is probed.  0, also when there was none; -errno. */
int record_remove(void);

/*
 * Writes a new one: /run/typeclaw made 0755 when missing, temporary name, rename(2).  -EPERM
 * when the folder is a link or somebody else's; -EROFS, -EACCES: nowhere to write it.
 */
int record_write(const char *document, size_t length);

/*
 * Reads it: a regular file, no link, root's or our own, writable by nobody else, and so its
 * folder.  -ENOENT; -EPERM when it fails that; -errno.  Whether its init still runs is
 * identity_verify()'s question.
 */
int record_read(char **ret_document, size_t *ret_length);
