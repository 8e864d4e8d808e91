/*
 * self: this very program as a payload inside a sandbox.  Where the program's file is visible
 * below /usr it is run from there, elsewhere it is bound in by path, and when its file is gone
 * it is copied in by descriptor.
 */
#pragma once

#include <limits.h>

#include "sandbox/sandbox.h"

/* The hidden command of sandbox_run(): says why a tool could not be exec'ed. */
#define SELF_WORD_LOCATE "--typeclaw-locate"
#define SELF_NOT_EXECUTABLE 126
#define SELF_NOT_FOUND 127

struct self {
	int fd;                     /* /proc/self/exe, for reading; owned */
	char path[PATH_MAX];        /* the program inside the sandbox */
	char source[PATH_MAX];      /* what `mount` points to */
	struct sandbox_mount mount; /* SANDBOX_MOUNT_NONE: none is needed */
};

#define AUTO_SELF __attribute__((cleanup(self_clear)))

/* 0; -errno when /proc/self/exe cannot be opened (no /proc). */
int self_find(struct self *ret);

/*
 * Shows the program inside at the path that it has outside, where it has one: a bwrap that does
 * not sandbox then runs it all the same, and is seen.
 */
void self_keep_path(struct self *self);
void self_clear(struct self *self);

/*
 * The hidden command, run inside after bwrap failed to exec `tool`: 127 when there is none on
 * PATH, 126 when there is one that
 * could not be executed.
 */
int self_locate(const char *tool);
