/*
 * probe_child: a main child that tells what it was given.  Lines on stdout, one write each.
 *
 *	state		its mask, dispositions, group, terminal, limits, descriptors, cwd, umask
 *	signals [END]	"ready", then a line for every signal that comes, `NUMBER CODE VALUE`, until
 *			END (TERM) came; exits 0
 *	count SIGNAL	"ready", then counts SIGNAL until TERM came and prints how many
 *	job		"up"; stops as the terminal wants, says "back" when continued, exits 7 by
 *INT leave		leaves its process group, which is empty then, and goes on as `signals`
 *	crowd N STATUS	"ready" with N orphans that end with it; reads a line; exits STATUS
 *	drip N		"ready"; reads a line; makes N orphans, each when the one before is reaped
 *	end SIGNAL	ends itself by SIGNAL (without a core)
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/signals.h"

static uint64_t ignored_signals(void)
{
	uint64_t set = 0;

	for (int i = 1; i <= KERNEL_SIGNALS; i++) {
		struct {
			void *handler;
			unsigned long flags;
			void *restorer;
			uint64_t mask;
		} action = {};

		if (KERNEL_CALL(SYS_rt_sigaction, i, NULL, &action, sizeof(uint64_t)) == 0 &&
		    action.handler == (void *)SIG_IGN)
			set |= kernel_signal_bit(i);
	}
	return set;
}

static void show_terminal(void)
{
	pid_t group = 0;

	if (ioctl(STDIN_FILENO, TIOCGPGRP, &group) < 0)
		printf("terminal none\n");
	else
		printf("terminal %s\n", group == getpgrp() ? "foreground" : "background");
}

/* All that are open, but for the one that `run` adds by contract. */
static void show_descriptors(void)
{
	const char *added = getenv("TYPECLAW_STRATEGY_FD");

	printf("fds");
	for (int fd = 0; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 && (!added || fd != (int)strtol(added, NULL, 10)))
			printf(" %d", fd);
	}
	printf("\n");
}

static int show_state(void)
{
	struct rlimit core = {};
	char cwd[4096] = "?";
	uint64_t mask = 0;
	uint64_t pending = 0;
	mode_t mode = umask(0);

	(void)kernel_sigprocmask(SIG_SETMASK, NULL, &mask);
	(void)KERNEL_CALL(SYS_rt_sigpending, &pending, sizeof(pending));
	(void)getrlimit(RLIMIT_CORE, &core);
	printf("mask %016llx\nignored %016llx\npending %016llx\n", (unsigned long long)mask,
	       (unsigned long long)ignored_signals(), (unsigned long long)pending);
	printf("leader %s\n", getpgrp() == getpid() ? "yes" : "no");
	show_terminal();
	printf("core %lld %lld\n", (long long)core.rlim_cur, (long long)core.rlim_max);
	printf("cwd %s\numask %03o\n", getcwd(cwd, sizeof(cwd)), mode);
	show_descriptors();
	return 0;
}

static void block_all(void)
{
	const uint64_t all = UINT64_MAX;

	setvbuf(stdout, NULL, _IOLBF, 0);
	(void)kernel_sigprocmask(SIG_SETMASK, &all, NULL);
	printf("ready\n");
}

static int show_signals(int end)
{
	block_all();
	for (;;) {
		siginfo_t info = {};
		int number = kernel_sigtimedwait(UINT64_MAX, &info, NULL);

		if (number <= 0)
			continue;
		printf("%d %d %d\n", number, info.si_code,
		       info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
		if (number == end)
			return 0;
	}
}

static int be_a_job(void)
{
	const uint64_t waited = kernel_signal_bit(SIGCONT) | kernel_signal_bit(SIGINT);

	setvbuf(stdout, NULL, _IOLBF, 0);
	(void)kernel_sigprocmask(SIG_SETMASK, &waited, NULL);
	printf("up\n");
	for (;;) {
		siginfo_t info = {};
		int number = kernel_sigtimedwait(waited, &info, NULL);

		if (number == SIGCONT)
			printf("back\n");
		if (number == SIGINT)
			return 7;
	}
}

static int count_signal(int counted)
{
	unsigned long count = 0;

	block_all();
	for (;;) {
		siginfo_t info = {};
		int number = kernel_sigtimedwait(UINT64_MAX, &info, NULL);

		if (number == counted)
			count++;
		if (number == SIGTERM) {
			printf("counted %lu\n", count);
			return 0;
		}
	}
}

static int end_by(int number)
{
	const uint64_t none = 0;

	(void)signal(number, SIG_DFL);
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){});
	(void)kernel_sigprocmask(SIG_SETMASK, &none, NULL);
	(void)kill(getpid(), number);
	return 99;
}

/* Into the group of a child of ours, which is then nobody's leader but its own. */
static int leave_group(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	if (setpgid(pid, pid) < 0 || setpgid(0, pid) < 0)
		return 99;
	return show_signals(SIGTERM);
}

static int crowd(long count, int status)
{
	char byte;
	int gate[2];

	if (pipe(gate) < 0)
		return 99;
	for (long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (fork() == 0) {
				(void)close(gate[1]);
				_exit(read(gate[0], &byte, 1) != 0);
			}
			_exit(0);
		}
		(void)waitpid(pid, NULL, 0);
	}
	(void)!write(STDOUT_FILENO, "ready\n", 6);
	(void)!read(STDIN_FILENO, &byte, 1);
	return status;
}

/* The orphan's number comes over a pipe; it ends when we have it. */
static void drip_one(void)
{
	int told[2];
	pid_t orphan = 0;
	pid_t pid;

	if (pipe(told) < 0)
		_exit(99);
	pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			orphan = getpid();
			(void)!write(told[1], &orphan, sizeof(orphan));
		}
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
	(void)!read(told[0], &orphan, sizeof(orphan));
	while (kill(orphan, 0) == 0)
		(void)poll(NULL, 0, 1);
	(void)close(told[0]);
	(void)close(told[1]);
}

static int drip(long count)
{
	char byte;

	(void)!write(STDOUT_FILENO, "ready\n", 6);
	(void)!read(STDIN_FILENO, &byte, 1);
	while (count-- > 0)
		drip_one();
	return 0;
}

int main(int argc, char *argv[])
{
	int number = SIGTERM;

	if (argc == 3 && strcmp(argv[1], "drip") == 0)
		return drip(strtol(argv[2], NULL, 10));
	if (argc == 3)
		number = signal_parse(argv[2]);
	if (argc < 2 || number < 0)
		return 99;
	if (strcmp(argv[1], "state") == 0)
		return show_state();
	if (strcmp(argv[1], "signals") == 0)
		return show_signals(number);
	if (strcmp(argv[1], "job") == 0)
		return be_a_job();
	if (strcmp(argv[1], "count") == 0)
		return count_signal(number);
	if (strcmp(argv[1], "leave") == 0)
		return leave_group();
	if (strcmp(argv[1], "crowd") == 0 && argc == 4)
		return crowd(strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10));
	if (strcmp(argv[1], "end") == 0)
		return end_by(number);
	return 99;
}
