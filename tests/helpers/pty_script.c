/*
 * pty_script: `pty_script [-s] CMD [ARG...] <SCRIPT` runs a command on a pseudo-terminal and
 * talks to it.  With -s the command leads a session of its own on that terminal; without, it has
 * the terminal open and no more (pid1 -t takes it).  What it writes is copied to stdout.  The
 * script, a line each:
 *
 *	expect TEXT	wait until TEXT was written, after what was expected before
 *	send TEXT	type it; \n, \\ and \xNN are known
 *	size ROWS COLS	change the window
 *	hangup		close our end
 *
 * At the end of the script the command is waited for.  Exits as it did, 128+N by a signal; 99
 * when a step did not come true within ten seconds, after which the command is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/kernel.h"

#define STEP_MS 10000
#define OUTPUT_MAX 65536

struct session {
	pid_t pid;
	int master;
	char output[OUTPUT_MAX];
	size_t length;
	size_t seen; /* up to here, what was expected */
};

static _Noreturn void fail(const struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static _Noreturn void fail(const struct session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "pty_script: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
	if (session->pid > 0)
		(void)kill(session->pid, SIGKILL);
	exit(99);
}

/* Reads what there is, within the deadline; false at the end of it all. */
static bool pump(struct session *session, uint64_t deadline)
{
	uint64_t now = kernel_now_ms();
	struct pollfd ready = { .fd = session->master, .events = POLLIN };
	ssize_t n;

	if (poll(&ready, 1, deadline > now ? (int)(deadline - now) : 0) <= 0)
		fail(session, "nothing came in time");
	n = read(session->master, session->output + session->length,
		 sizeof(session->output) - session->length - 1);
	if (n <= 0)
		return false;
	(void)!write(STDOUT_FILENO, session->output + session->length, (size_t)n);
	session->length += (size_t)n;
	session->output[session->length] = '\0';
	return true;
}

static void expect(struct session *session, const char *text)
{
	uint64_t deadline = kernel_now_ms() + STEP_MS;

	for (;;) {
		const char *found = strstr(session->output + session->seen, text);

		if (found) {
			session->seen = (size_t)(found - session->output) + strlen(text);
			return;
		}
		if (!pump(session, deadline))
			fail(session, "the terminal closed before \"%s\"", text);
	}
}

static void type(const struct session *session, const char *text)
{
	for (; *text; text++) {
		char byte = *text;

		if (text[0] == '\\' && text[1] == 'n') {
			byte = '\n';
			text++;
		} else if (text[0] == '\\' && text[1] == '\\') {
			text++;
		} else if (text[0] == '\\' && text[1] == 'x' && text[2] && text[3]) {
			char hex[] = { text[2], text[3], '\0' };

			byte = (char)strtol(hex, NULL, 16);
			text += 3;
		}
		if (write(session->master, &byte, 1) != 1)
			fail(session, "cannot type");
	}
}

static void resize(const struct session *session, const char *text)
{
	struct winsize size = {};
	char *rest;

	size.ws_row = (unsigned short)strtoul(text, &rest, 10);
	size.ws_col = (unsigned short)strtoul(rest, NULL, 10);
	if (ioctl(session->master, TIOCSWINSZ, &size) < 0)
		fail(session, "cannot resize");
}

static void step(struct session *session, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "expect ", 7) == 0) {
		expect(session, line + 7);
	} else if (strncmp(line, "send ", 5) == 0) {
		type(session, line + 5);
	} else if (strncmp(line, "size ", 5) == 0) {
		resize(session, line + 5);
	} else if (strcmp(line, "hangup") == 0) {
		(void)close(session->master);
		session->master = -1;
	} else if (line[0]) {
		fail(session, "unknown step: %s", line);
	}
}

static _Noreturn void become(const char *slave, bool leader, char *argv[])
{
	int fd;

	if (leader)
		(void)setsid();
	fd = open(slave, O_RDWR | (leader ? 0 : O_NOCTTY));
	if (fd < 0 || dup2(fd, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(99);
	if (fd > 2)
		(void)close(fd);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)execvp(argv[0], argv);
	_exit(99);
}

/* After the script: everything that is still written, then the status. */
static int finish(struct session *session)
{
	uint64_t deadline = kernel_now_ms() + STEP_MS;
	int status;

	while (session->master >= 0 && pump(session, deadline))
		;
	while (waitpid(session->pid, &status, WNOHANG) == 0) {
		if (kernel_now_ms() > deadline)
			fail(session, "the command does not end");
		(void)poll(NULL, 0, 5);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char *argv[])
{
	static struct session session;
	bool leader = argc > 1 && strcmp(argv[1], "-s") == 0;
	char slave[64];
	char line[1024];

	session.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (session.master < 0 || grantpt(session.master) < 0 || unlockpt(session.master) < 0 ||
	    ptsname_r(session.master, slave, sizeof(slave)) != 0 || argc < 2 + leader)
		fail(&session, "cannot open a terminal: %s", strerror(errno));
	session.pid = fork();
	if (session.pid == 0)
		become(slave, leader, argv + 1 + leader);
	while (fgets(line, sizeof(line), stdin))
		step(&session, line);
	return finish(&session);
}
