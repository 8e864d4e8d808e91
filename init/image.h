/*
 * image: the head of a program file, to say why the kernel would not run it: a script without
 * `#!`, or an interpreter or loader that is missing.  Read only after execve(2) failed.
 */
#pragma once

#include <limits.h>

enum image_kind { IMAGE_UNKNOWN, IMAGE_BARE_SCRIPT, IMAGE_SCRIPT, IMAGE_ELF };

struct image {
	enum image_kind kind;
	char interpreter[256]; /* of IMAGE_SCRIPT and IMAGE_ELF; "" for none; not escaped */
};

/*
 * IMAGE_BARE_SCRIPT: no `#!`, and the first line is text as far as shells look (no NUL in it, and
 * no ELF), an empty file too.  What cannot be read is IMAGE_UNKNOWN.
 */
struct image image_read(const char *path);
