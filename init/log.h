/*
 * log: lines on stderr that never block and never kill.  A full or closed pipe loses the line,
 * nothing else.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

enum log_level { LOG_INFO, LOG_QUIET, LOG_DEBUG }; /* how much is shown; the first is the default */
enum log_kind { LINE_ERROR, LINE_WARNING, LINE_INFO, LINE_DEBUG };

struct log {
	int fd; /* -1: nothing is written */
	enum log_level level;
	bool own; /* the description is nobody else's, and does not block */
};

/*
 * A log on stderr; owns a description of its own where that can be had (so that O_NONBLOCK is
 * seen by nobody else).  Never fails: without stderr the log is silent.
 */
struct log log_open(enum log_level level);

/*
 * "typeclaw-init: [warning: |debug: ]TEXT\n", cut at PIPE_BUF bytes, in one write(2).  Errors and
 * warnings are always shown.  No memory is allocated, errno is kept, and a SIGPIPE of our own is
 * taken back.  Callers escape foreign bytes.
 */
void log_line(const struct log *log, enum log_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
