/*
 * owner: a folder that belongs, from its birth, to whom its parent belongs.
 */
#pragma once

#include <sys/types.h>

/*
 * mkdirat(2) of `name` (one component) below the O_PATH descriptor `dir`, as the owner and
 * group of `dir` as far as this process may take them on, setfsuid(2).  There is no moment at
 * which the folder belongs to somebody else, and no chown whose object could be swapped: a
 * chown after the mkdir could be led to a folder of root's that was renamed into the place.
 * 0 or -errno of mkdir(2) or fstat(2).
 */
int owner_mkdir(int dir, const char *name, mode_t mode);
