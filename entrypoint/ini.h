/*
 * ini: one INI file as a list of (section, key, value, line), through inih and a pre-scan that
 * refuses what inih would quietly bend: it cuts lines at 200 bytes and goes on, takes indented
 * lines as a continuation, splits keys at ':' as well, and tells no line number.
 */
#pragma once

#include <stddef.h>

#include "init/fault.h"

#define INI_FILE_MAX 65536
#define INI_LINE_MAX 190

/* One assignment; the strings live only as long as the call they are given to. */
struct ini_assignment {
	const char *section;
	const char *key;
	const char *value;
	unsigned int line;
};

/*
 * Reads `length` bytes of INI text, a NUL behind them, and hands each assignment in file order
 * to `handle`; a result below zero ends the reading.  `name` is the file's name for messages.
 * 0; -EINVAL with "NAME:LINE: what is wrong" in `f`; or what the handler returned.
 */
int ini_read(const char *name, const char *bytes, size_t length,
	     int (*handle)(void *user, const struct ini_assignment *assignment, struct fault *f),
	     void *user, struct fault *f);
