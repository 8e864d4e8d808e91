/*
 * paced_signals: `paced_signals COUNT PROGRAM [ARG...]` runs a program as PID 1 of a fresh PID
 * namespace, with this one as its main child, and sends it COUNT signals, each after the one
 * before has arrived: a real-time one with its number queued, every 16th time USR1.  Prints
 *
 *	sent N arrived N rss BEFORE AFTER kB
 *
 * and exits 1 when one did not arrive, or not with its value, or when PID 1 grew.  The program
 * must pass on descriptor 3, over which the child tells what came.
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
#include <unistd.h>

#include "init/kernel.h"
#include "init/signals.h"

#define TELL_FD 3
#define ARRIVES_WITHIN_MS 5000
#define WORDS_MAX 64

static int be_the_child(void)
{
	const uint64_t all = UINT64_MAX;
	int value = -1;

	(void)kernel_sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;) {
		siginfo_t info = {};
		int number;

		if (write(TELL_FD, &value, sizeof(value)) != sizeof(value))
			return 99;
		number = kernel_sigtimedwait(UINT64_MAX, &info, NULL);
		if (number == SIGTERM)
			return 0;
		value = number == SIGUSR1 ? -2 : info.si_value.sival_int;
	}
}

static long resident_kb(pid_t pid)
{
	char path[64];
	long size = 0;
	long resident = -1;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%ld %ld", &size, &resident) != 2)
		resident = -1;
	if (file)
		(void)fclose(file);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* What the child got last, or -99. */
static int told(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int value;

	if (poll(&ready, 1, ARRIVES_WITHIN_MS) != 1 ||
	    read(fd, &value, sizeof(value)) != sizeof(value))
		return -99;
	return value;
}

static bool send_one(pid_t pid, int fd, int i)
{
	siginfo_t info = { .si_signo = SIGNAL_RTMIN, .si_code = SI_QUEUE };

	if (i % 16 == 0)
		return kill(pid, SIGUSR1) == 0 && told(fd) == -2;
	info.si_value.sival_int = i;
	return kernel_sigqueueinfo(pid, SIGNAL_RTMIN, &info) == 0 && told(fd) == i;
}

static pid_t start(char *argv[], int argc, int tell)
{
	char *words[WORDS_MAX + 3];
	char self[] = "/proc/self/exe";
	static char path[4096];
	ssize_t n = readlink(self, path, sizeof(path) - 1);
	pid_t pid;

	if (n <= 0 || argc > WORDS_MAX)
		exit(99);
	memcpy(words, argv, (size_t)argc * sizeof(char *));
	words[argc] = path;
	words[argc + 1] = (char[]){ "--child" };
	words[argc + 2] = NULL;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0);
	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)dup2(tell, TELL_FD);
	(void)execv(words[0], words);
	_exit(99);
}

int main(int argc, char *argv[])
{
	int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
	int arrived = 0;
	long before;
	long after;
	int ends[2];
	pid_t pid;
	int status;

	if (argc == 2 && strcmp(argv[1], "--child") == 0)
		return be_the_child();
	if (argc < 3 || pipe2(ends, O_CLOEXEC) < 0)
		return 99;
	pid = start(argv + 2, argc - 2, ends[1]);
	(void)close(ends[1]);
	if (told(ends[0]) != -1)
		return 99;
	while (arrived < 1000 && arrived < count && send_one(pid, ends[0], arrived))
		arrived++;
	before = resident_kb(pid);
	while (arrived < count && send_one(pid, ends[0], arrived))
		arrived++;
	after = resident_kb(pid);
	(void)kill(pid, SIGTERM);
	(void)waitpid(pid, &status, 0);
	printf("sent %d arrived %d rss %ld %ld kB\n", count, arrived, before, after);
	return arrived != count || after > before || status != 0;
}
