/*
 * termination: the line that Kubernetes shows as the reason why a container ended.
 */
#pragma once

#define TERMINATION_LOG "/dev/termination-log"
#define TERMINATION_MESSAGE_MAX 4096 /* what Kubernetes keeps */

/*
 * Appends `message` and a newline to `path`, if that is there: a regular file, reached by no link
 * as its last component; nothing is created and nothing waited for.  0; -ENOENT where nobody
 * asked for it; -ELOOP for a link, -EINVAL for what is no regular file, -E2BIG for a message over
 * the limit, else the errno of open(2) or write(2).
 */
int termination_write(const char *path, const char *message);
