/*
 * start_and_term: `start_and_term CYCLES SEED PROGRAM [ARG...]` starts a program as PID 1 of a
 * fresh PID namespace CYCLES times and sends it a TERM at a random moment of its first 3 ms.  Each
 * cycle must end within DEADLINE_MS, and by 143.  Prints
 *
 *	cycles N early N lost N hung N other N
 *
 * early: the kernel dropped the TERM because PID 1 had not executed an instruction yet (it has no
 * handler and has not blocked it: signal(7), pid_namespaces(7)); no program can help that, and a
 * second TERM follows.  lost: the signals were blocked, and it was lost all the same.  Exits 1
 * when any was lost, hung or ended otherwise.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/kernel.h"

#define WINDOW_US 3000
#define DEADLINE_MS 10000
#define LOST_AFTER_MS 1000

struct tally {
	unsigned long early, lost, hung, other;
};

/* True when SIGTERM is blocked in the process, or waited for: then it cannot be dropped. */
static bool holds_term(pid_t pid)
{
	char path[64];
	char text[4096];
	char *field;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		(void)close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	field = strstr(text, "SigBlk:");
	return field && (strtoull(field + 7, NULL, 16) & kernel_signal_bit(SIGTERM));
}

static bool ends_within(int pidfd, int milliseconds)
{
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };

	return poll(&ended, 1, milliseconds) == 1;
}

static pid_t start(char *argv[])
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0);

	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)execv(argv[0], argv);
	_exit(99);
}

/* Until the exec has happened: the image is another one then. */
static void await_exec(pid_t pid, const char *program)
{
	char path[64];
	char link[4096];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	for (;;) {
		ssize_t n = readlink(path, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		if (n <= 0 || strcmp(link, program) == 0)
			return;
	}
}

static void cycle(char *argv[], const char *program, struct tally *tally)
{
	struct timespec delay = { .tv_nsec = (random() % WINDOW_US) * 1000 };
	pid_t pid = start(argv);
	int pidfd = kernel_pidfd_open(pid);
	bool held;
	int status;

	if (pid < 0 || pidfd < 0) {
		perror("start_and_term");
		exit(99);
	}
	await_exec(pid, program);
	(void)nanosleep(&delay, NULL);
	held = holds_term(pid);
	(void)kill(pid, SIGTERM);
	if (!ends_within(pidfd, LOST_AFTER_MS)) {
		tally->lost += held;
		tally->early += !held;
		(void)kill(pid, SIGTERM);
		if (!ends_within(pidfd, DEADLINE_MS)) {
			tally->hung++;
			(void)kill(pid, SIGKILL);
		}
	}
	(void)close(pidfd);
	(void)waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 143)
		tally->other++;
}

int main(int argc, char *argv[])
{
	struct tally tally = {};
	char *program = argc > 3 ? realpath(argv[3], NULL) : NULL;
	long cycles = program ? strtol(argv[1], NULL, 10) : 0;

	if (cycles <= 0)
		return 99;
	srandom((unsigned int)strtoul(argv[2], NULL, 10));
	for (long i = 0; i < cycles; i++)
		cycle(argv + 3, program, &tally);
	printf("cycles %ld early %lu lost %lu hung %lu other %lu\n", cycles, tally.early,
	       tally.lost, tally.hung, tally.other);
	free(program);
	return tally.lost + tally.hung + tally.other > 0;
}
