/*
 * killmid: kills a command in the middle of its life, many times, and counts what it leaves.
 *
 *	killmid SIGNAL COUNT SPAN_US -- CMD [ARG...]
 *
 * Each time the command gets SIGNAL (a number) after a random part of SPAN_US.  Then everything
 * that descends from it must end by itself within 5 s; what does not is a stray.  Last line:
 * `COUNT rounds, N strays, slowest end US us`, where the end is that of the command and of all
 * that it started.  Exit 0 without a stray, else 1; 99 when it could not be run so.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/text.h"

#define PATIENCE_US 5000000

static uint64_t now_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Waits for SIGCHLD at most so long. */
static void wait_us(uint64_t us)
{
	const struct timespec wait = { .tv_sec = (time_t)(us / 1000000),
				       .tv_nsec = (long)(us % 1000000) * 1000 };

	(void)kernel_sigtimedwait(kernel_signal_bit(SIGCHLD), NULL, &wait);
}

/* Reaps until nothing is left: 0; how many are left after PATIENCE_US (and are killed then). */
static unsigned int reap_all(void)
{
	uint64_t end = now_us() + PATIENCE_US;
	unsigned int strays = 0;

	for (;;) {
		pid_t ended = waitpid(-1, NULL, WNOHANG | __WALL);

		if (ended < 0)
			return strays;
		if (ended > 0)
			continue;
		if (now_us() < end) {
			wait_us(end - now_us());
			continue;
		}
		strays++;
		(void)fprintf(stderr, "killmid: left something behind\n");
		return strays;
	}
}

static void round_start(char *argv[], int signal_number, uint64_t after_us)
{
	const struct timespec wait = { .tv_nsec = (long)after_us * 1000 };
	pid_t pid = fork();

	if (pid < 0)
		exit(99);
	if (pid == 0) {
		uint64_t none = 0;
		int null = open("/dev/null", O_WRONLY);

		(void)dup2(null, STDOUT_FILENO);
		(void)kernel_sigprocmask(SIG_SETMASK, &none, NULL);
		(void)execvp(argv[0], argv);
		_exit(99);
	}
	(void)nanosleep(&wait, NULL);
	(void)kill(pid, signal_number);
}

int main(int argc, char *argv[])
{
	uint64_t signal_number, count, span_us, slowest = 0, all = ~UINT64_C(0);
	unsigned int strays = 0;

	if (argc < 6 || strcmp(argv[4], "--") != 0 ||
	    number_parse(argv[1], 1, 64, &signal_number) < 0 ||
	    number_parse(argv[2], 1, 1000000, &count) < 0 ||
	    number_parse(argv[3], 1, 999999, &span_us) < 0)
		return 99;
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	(void)kernel_sigprocmask(SIG_SETMASK, &all, NULL);
	for (uint64_t i = 0; i < count && strays == 0; i++) {
		uint64_t begun;

		round_start(argv + 5, (int)signal_number, (uint64_t)random() % span_us);
		begun = now_us();
		strays += reap_all();
		if (now_us() - begun > slowest)
			slowest = now_us() - begun;
	}
	(void)printf("%llu rounds, %u strays, slowest end %llu us\n", (unsigned long long)count,
		     strays, (unsigned long long)slowest);
	return strays ? 1 : 0;
}
