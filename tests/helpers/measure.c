/*
 * measure: one sample of what an init costs, on one line of numbers.  tests/bench/run takes many
 * of them in turn and prints medians and ratios.  The init is the real PID 1 of a fresh PID
 * namespace, so this needs root.
 *
 *	measure life INIT...		wall us, user+sys us, minor faults, user instructions
 *	measure plain COMMAND...	the same of a command that is no PID 1
 *	measure start INIT...		us from the fork to the child's main ("stamp" is added)
 *	measure idle SECONDS INIT...	RSS, PSS, private dirty kB, context switches ("sit" is added)
 *	measure orphans COUNT INIT...	ns of PID 1 for each of COUNT orphans ("spawn" is added)
 *	measure reap-calls COUNT INIT...	system calls of PID 1 an orphan, one after the other
 *	measure signal-calls COUNT INIT...	system calls of PID 1 a forwarded signal
 *
 * Instructions are `-` where the machine has no counter for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "init/kernel.h"

#define TALK_FD 60 /* the payload's end of the pipe to us, inherited through the init */
#define WORDS_MAX 64
#define DEADLINE_MS 120000

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static _Noreturn void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* The payloads; each tells of itself by bytes on TALK_FD. */

static int payload_stamp(void)
{
	uint64_t now = now_ns();

	return write(TALK_FD, &now, sizeof(now)) == (ssize_t)sizeof(now) ? 0 : 1;
}

static int payload_sit(void)
{
	uint64_t set = kernel_signal_bit(SIGUSR1);
	siginfo_t info;

	(void)kernel_sigprocmask(SIG_BLOCK, &set, NULL);
	for (;;) {
		if (write(TALK_FD, "r", 1) != 1)
			return 1;
		while (kernel_sigtimedwait(set, &info, NULL) < 0)
			;
	}
}

/* One orphan: it ends when its parent has, so that the init is the one to reap it. */
static void spawn_orphan(void)
{
	int gate[2];
	char byte;
	pid_t pid;

	if (pipe(gate) < 0)
		give_up("pipe");
	pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			(void)close(gate[1]);
			_exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
		}
		_exit(0);
	}
	(void)close(gate[0]);
	(void)waitpid(pid, NULL, 0);
	(void)close(gate[1]);
}

static int payload_spawn(long count)
{
	char byte;

	if (write(TALK_FD, "r", 1) != 1 || read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	for (long i = 0; i < count; i++)
		spawn_orphan();
	if (write(TALK_FD, "d", 1) != 1)
		return 1;
	return payload_sit();
}

/* The init under measurement. */

struct subject {
	pid_t pid;
	int talk; /* our end */
	int go;	  /* its standard input */
	uint64_t started_ns;
	int counter; /* perf event, -1: none */
};

static int counter_open(pid_t pid)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct subject subject_start(char **words, int namespaces)
{
	int talk[2], go[2], hold[2];
	struct subject subject = {};
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	char byte;

	if (pipe2(talk, O_CLOEXEC) < 0 || pipe2(go, O_CLOEXEC) < 0 || pipe2(hold, O_CLOEXEC) < 0)
		give_up("pipe");
	subject.pid = (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
	if (subject.pid < 0)
		give_up("clone (as root?)");
	if (subject.pid == 0) {
		(void)dup2(talk[1], TALK_FD);
		(void)dup2(go[0], STDIN_FILENO);
		(void)dup2(null_fd, STDERR_FILENO);
		(void)dup2(null_fd, STDOUT_FILENO);
		(void)close(hold[1]);
		(void)!read(hold[0], &byte, 1);
		(void)execv(words[0], words);
		_exit(99);
	}
	subject.counter = counter_open(subject.pid);
	(void)close(talk[1]);
	(void)close(go[0]);
	(void)close(hold[0]);
	subject.talk = talk[0];
	subject.go = go[1];
	subject.started_ns = now_ns();
	(void)close(hold[1]);
	return subject;
}

static void subject_expect(const struct subject *subject, char wanted)
{
	char byte = 0;

	if (read(subject->talk, &byte, 1) != 1 || byte != wanted) {
		(void)fprintf(stderr, "measure: the payload did not answer\n");
		exit(1);
	}
}

static void subject_end(const struct subject *subject)
{
	(void)kill(subject->pid, SIGKILL);
	while (waitpid(subject->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void measure_life(char **words, int namespaces)
{
	struct subject subject = subject_start(words, namespaces);
	struct rusage usage;
	uint64_t instructions = 0;
	int status;

	if (wait4(subject.pid, &status, 0, &usage) < 0 || status != 0)
		give_up("the init did not end with 0");
	printf("%.1f ", (double)(now_ns() - subject.started_ns) / 1000);
	printf("%ld %ld ",
	       (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
		       usage.ru_stime.tv_usec,
	       usage.ru_minflt);
	if (subject.counter >= 0 &&
	    read(subject.counter, &instructions, sizeof(instructions)) == sizeof(instructions))
		printf("%llu\n", (unsigned long long)instructions);
	else
		printf("-\n");
}

static void measure_start(char **words)
{
	struct subject subject = subject_start(words, CLONE_NEWPID);
	uint64_t stamp = 0;

	if (read(subject.talk, &stamp, sizeof(stamp)) != (ssize_t)sizeof(stamp))
		give_up("no stamp");
	printf("%.1f\n", (double)(stamp - subject.started_ns) / 1000);
	while (waitpid(subject.pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The number behind `key` in a file of /proc/PID; -1 when it is not there. */
static long proc_number(pid_t pid, const char *file, const char *key)
{
	char path[64], text[8192];
	const char *at;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	at = strstr(text, key);
	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

static long switches(pid_t pid)
{
	return proc_number(pid, "status", "\nvoluntary_ctxt_switches:") +
	       proc_number(pid, "status", "\nnonvoluntary_ctxt_switches:");
}

static void measure_idle(unsigned int seconds, char **words)
{
	struct subject subject = subject_start(words, CLONE_NEWPID);
	const struct timespec settle = { .tv_nsec = 200000000 };
	long before, rss, pss, dirty;

	subject_expect(&subject, 'r');
	(void)nanosleep(&settle, NULL); /* what it still does after the exec of its child */
	before = switches(subject.pid);
	(void)sleep(seconds); /* idle is a length of time: nothing to wait for */
	rss = proc_number(subject.pid, "smaps_rollup", "\nRss:");
	pss = proc_number(subject.pid, "smaps_rollup", "\nPss:");
	dirty = proc_number(subject.pid, "smaps_rollup", "\nPrivate_Dirty:");
	printf("%ld %ld %ld %ld\n", rss, pss, dirty, switches(subject.pid) - before);
	subject_end(&subject);
}

static void measure_orphans(long count, char **words)
{
	struct subject subject = subject_start(words, CLONE_NEWPID);
	long before;

	subject_expect(&subject, 'r');
	before = proc_number(subject.pid, "schedstat", "");
	(void)!write(subject.go, "g", 1);
	subject_expect(&subject, 'd');
	printf("%.1f\n",
	       (double)(proc_number(subject.pid, "schedstat", "") - before) / (double)count);
	subject_end(&subject);
}

/*
 * Counts the system calls of PID 1 by ptrace(2) until `poke` says that there is no more to do.
 * Every call stops twice, at its entry and at its exit; -EINTR restarts count as they are.
 */
static long count_calls(const struct subject *subject, long count, bool signals)
{
	uint64_t deadline = kernel_now_ms() + DEADLINE_MS;
	long stops = 0, sent = 0;
	bool done = false;
	char byte = 'r'; /* of the payload's first word, which the caller has read */

	(void)fcntl(subject->talk, F_SETFL, O_NONBLOCK);
	if (ptrace(PTRACE_SEIZE, subject->pid, 0, PTRACE_O_TRACESYSGOOD) < 0 ||
	    ptrace(PTRACE_INTERRUPT, subject->pid, 0, 0) < 0)
		give_up("ptrace");
	if (!signals)
		(void)!write(subject->go, "g", 1);
	while (!done && kernel_now_ms() < deadline) {
		int status;
		pid_t pid = waitpid(subject->pid, &status, __WALL | WNOHANG);
		int number;

		if (read(subject->talk, &byte, 1) == 1)
			done = !signals || sent == count;
		if (signals && (byte == 'r') && sent < count) {
			byte = 0;
			sent++;
			(void)kill(subject->pid, SIGUSR1);
		}
		if (pid == 0) {
			(void)sched_yield();
			continue;
		}
		if (pid < 0 || !WIFSTOPPED(status))
			give_up("the init ended");
		number = WSTOPSIG(status);
		if (number == (SIGTRAP | 0x80))
			stops++;
		if (ptrace(PTRACE_SYSCALL, subject->pid, 0,
			   number == (SIGTRAP | 0x80) || status >> 16 ? 0 : number) < 0)
			give_up("ptrace");
	}
	return stops / 2;
}

static void measure_calls(long count, char **words, bool signals)
{
	struct subject subject = subject_start(words, CLONE_NEWPID);

	subject_expect(&subject, 'r');
	printf("%.2f\n", (double)count_calls(&subject, count, signals) / (double)count);
	subject_end(&subject);
}

static int payload(int argc, char *argv[])
{
	if (strcmp(argv[1], "stamp") == 0)
		return payload_stamp();
	if (strcmp(argv[1], "sit") == 0)
		return payload_sit();
	if (strcmp(argv[1], "spawn") == 0 && argc > 2)
		return payload_spawn(strtol(argv[2], NULL, 10));
	return -1;
}

int main(int argc, char *argv[])
{
	char *words[WORDS_MAX] = {}, self[4096] = {};
	bool counted;
	int n = 0;
	int r = argc > 1 ? payload(argc, argv) : -1;

	if (r >= 0)
		return r;
	if (argc < 3 || argc > WORDS_MAX - 4 ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 2;
	counted = strcmp(argv[1], "life") != 0 && strcmp(argv[1], "start") != 0 &&
		  strcmp(argv[1], "plain") != 0;
	for (int i = counted ? 3 : 2; i < argc; i++)
		words[n++] = argv[i];
	if (strcmp(argv[1], "life") == 0 || strcmp(argv[1], "plain") == 0) {
		measure_life(words, argv[1][0] == 'l' ? CLONE_NEWPID : 0);
		return 0;
	}
	words[n++] = self;
	if (strcmp(argv[1], "start") == 0) {
		words[n] = (char *)"stamp";
		measure_start(words);
	} else if (strcmp(argv[1], "idle") == 0) {
		words[n] = (char *)"sit";
		measure_idle((unsigned int)strtoul(argv[2], NULL, 10), words);
	} else if (strcmp(argv[1], "signal-calls") == 0) {
		words[n] = (char *)"sit";
		measure_calls(strtol(argv[2], NULL, 10), words, true);
	} else {
		words[n++] = (char *)"spawn";
		words[n] = argv[2];
		if (strcmp(argv[1], "orphans") == 0)
			measure_orphans(strtol(argv[2], NULL, 10), words);
		else
			measure_calls(strtol(argv[2], NULL, 10), words, false);
	}
	return 0;
}
