/* bwrap_version: what `bwrap --version` says.  It makes no namespace. */
#pragma once

#include <stddef.h>

#define BWRAP_VERSION_MAX 32

/*
 * Runs `path`, which sandbox_bwrap_find() has judged, with an empty environment and without our
 * descriptors, and waits for at most a second.  0 with the number ("0.8.0"); -ETIMEDOUT;
 * -EBADMSG when it said something else; -errno of fork(2).
 */
int bwrap_version_read(const char *path, char ret[BWRAP_VERSION_MAX]);
