/*
 * mountinfo: the lines of proc_pid_mountinfo(5), one at a time.  Pure: the text is the caller's,
 * and is taken apart in place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Points into the text; octal escapes are undone. */
struct mount_line {
	char *root;    /* which part of its file system is shown */
	char *point;   /* where */
	char *options; /* of this mount: "ro,nosuid" */
	char *type;    /* "overlay" */
	char *source;
	char *super; /* of the file system: "rw,hidepid=2" */
};

/*
 * Takes the next line off `*cursor`.  1 with `*ret`; 0 at the end; -EINVAL for a line that is
 * none (the cursor stands behind it).
 */
int mountinfo_next(char **cursor, struct mount_line *ret);

/* True when the comma-separated `options` name it. */
bool mount_has_option(const char *options, const char *name);

/* The value of `name=`, up to a comma or the end, and its length; NULL when there is none. */
const char *mount_option_value(const char *options, const char *name, size_t *ret_length);
