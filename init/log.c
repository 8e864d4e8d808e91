/* log: see log.h. */
#include "init/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/kernel.h"

/*
 * Only a pipe and a terminal can block and can be opened again.  A socket is asked not to block
 * with each message, and a file never does.
 */
struct log log_open(enum log_level level)
{
	struct log log = { .fd = STDERR_FILENO, .level = level };
	struct stat status;
	int fd;

	if (fstat(STDERR_FILENO, &status) < 0) {
		log.fd = -1;
		return log;
	}
	if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode))
		return log;
	fd = open("/proc/self/fd/2", O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return log;
	log.fd = fd;
	log.own = true;
	return log;
}

static bool log_shows(enum log_level level, enum log_kind kind)
{
	switch (kind) {
	case LINE_ERROR:
	case LINE_WARNING:
		return true;
	case LINE_INFO:
		return level != LOG_QUIET;
	case LINE_DEBUG:
		return level == LOG_DEBUG;
	}
	return true;
}

/*
 * A description that others share must not be made non-blocking: they would see it.  So it is
 * asked first; a pipe that is ready takes PIPE_BUF bytes without blocking, pipe(7).
 */
static ssize_t log_write_shared(int fd, const char *line, size_t length)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	ssize_t n = send(fd, line, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	if (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT))
		return 0;
	return write(fd, line, length);
}

/*
 * The SIGPIPE of a write goes to the writing thread itself and not to the process, so the one
 * taken here is ours and never one that somebody sent and that must be forwarded.
 */
static void log_write(const struct log *log, const char *line, size_t length)
{
	const uint64_t sigpipe = kernel_signal_bit(SIGPIPE);
	const struct timespec now = {};
	int saved = errno;
	uint64_t mask = 0;
	siginfo_t info;
	ssize_t n;

	(void)kernel_sigprocmask(SIG_BLOCK, &sigpipe, &mask);
	n = log->own ? write(log->fd, line, length) : log_write_shared(log->fd, line, length);
	if (n < 0 && errno == EPIPE)
		(void)kernel_sigtimedwait(sigpipe, &info, &now);
	if (!(mask & sigpipe))
		(void)kernel_sigprocmask(SIG_SETMASK, &mask, NULL);
	errno = saved;
}

void log_line(const struct log *log, enum log_kind kind, const char *format, ...)
{
	static const char *const prefixes[] = {
		[LINE_ERROR] = "typeclaw-init: ",
		[LINE_WARNING] = "typeclaw-init: warning: ",
		[LINE_INFO] = "typeclaw-init: ",
		[LINE_DEBUG] = "typeclaw-init: debug: ",
	};
	char line[PIPE_BUF];
	va_list arguments;
	size_t length;
	int n;

	if (log->fd < 0 || !log_shows(log->level, kind))
		return;
	length = strlen(prefixes[kind]);
	memcpy(line, prefixes[kind], length);
	va_start(arguments, format);
	n = vsnprintf(line + length, sizeof(line) - length, format, arguments);
	va_end(arguments);
	if (n < 0)
		return;
	length += (size_t)n;
	if (length > sizeof(line) - 1)
		length = sizeof(line) - 1; /* a remark, not data: cut rather than lost */
	line[length] = '\n';
	log_write(log, line, length + 1);
}
