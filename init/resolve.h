/*
 * resolve: from a command's name to the file to execute, decided before the fork, so that
 * "not found" and "not executable" are told apart by what is there and not by what execvp(3)
 * happened to meet last (an unreadable directory in PATH turns ENOENT into EACCES there).
 */
#pragma once

#include <limits.h>

#include "init/fault.h"

/* What is searched when PATH is not set at all: as the docker engine does. */
#define RESOLVE_DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * `name` with a slash is taken as it is, else looked for along PATH of `envp` (an empty element
 * is the working directory, POSIX).  0 with the path in `ret`; else a negative errno with `f`:
 * -ENOENT and -ENOTDIR mean "not found", every other one "found, and cannot be executed" (-EISDIR,
 * -EACCES, -ELOOP, ...).
 */
int resolve_command(const char *name, char *const *envp, char ret[PATH_MAX], struct fault *f);
