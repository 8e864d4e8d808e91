/*
 * log: lines on stderr that never block and never kill.  A full or closed pipe loses the line,
 * nothing else.
 */
#pragma once

#include <stdarg.h>

enum log_level { LOG_INFO, LOG_QUIET, LOG_DEBUG }; /* how much is shown; the first is the default */
enum log_kind { LINE_ERROR, LINE_WARNING, LINE_INFO, LINE_DEBUG };

struct log {
	int fd; /* -1: nothing is written */
	enum log_level level;
};

/*
 * A log on stderr; owns a description of its own where that can be had (so that O_NONBLOCK is
 * seen by nobody else).  Never fails: without stderr the log is silent.
 */
struct log log_open(enum log_level level);

/* "typeclaw-init: [warning: ]TEXT\n", at most PIPE_BUF bytes, in one write(2). */
void log_line(const struct log *log, enum log_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
