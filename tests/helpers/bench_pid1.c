/*
 * bench_pid1: measures one life of an init as real PID 1.  `bench_pid1 KIND PROGRAM [WORD...]`
 * runs the program with a main child of ours appended and prints `ROW VALUE` lines:
 *
 *	start	exec_us: from the exec of the init to main of its child
 *	life	life_us, cpu_us, faults, with /bin/true
 *	instructions	user instructions of the init alone over that life, stepped one by one
 *	idle	wakeups in three seconds, rss_kb, pss_kb, dirty_kb
 *	reap	reap_ns: CPU of the init for each of 20,000 orphans, 1,000 at a time
 *	signals	signal_us: from kill(2) to the child, median of 300, one after the other
 *
 * Descriptor 3 is the child's way to tell us when it began, and must be passed on.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/kernel.h"

#define TELL_FD 3
#define WORDS_MAX 32
#define ORPHANS 20000
#define ORPHANS_AT_ONCE 1000
#define SIGNALS 300
#define IDLE_SECONDS 3

struct life {
	pid_t pid;
	int tell; /* what the child says */
	const int64_t *exec_at;
};

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The child: says when its main began, and then does what the kind needs. */
static int be_the_child(const char *kind)
{
	const uint64_t all = UINT64_MAX;
	int64_t now = now_ns();

	(void)kernel_sigprocmask(SIG_SETMASK, &all, NULL);
	(void)!write(TELL_FD, &now, sizeof(now));
	if (strcmp(kind, "start") == 0)
		return 0;
	for (;;) {
		siginfo_t info;
		int number = kernel_sigtimedwait(UINT64_MAX, &info, NULL);

		if (number == SIGTERM)
			return 0;
		now = now_ns();
		(void)!write(TELL_FD, &now, sizeof(now));
	}
}

static _Noreturn void become(char *words[], int go, int tell, int64_t *exec_at)
{
	char byte;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	(void)mount("proc", "/proc", "proc", 0, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(99);
	(void)dup2(tell, TELL_FD);
	*exec_at = now_ns();
	(void)execv(words[0], words);
	_exit(99);
}

static struct life begin(char *words[])
{
	int64_t *exec_at = mmap(NULL, sizeof(*exec_at), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct life life = { .exec_at = exec_at };
	int tell[2];
	int go[2];

	if (exec_at == MAP_FAILED || pipe2(tell, O_CLOEXEC) < 0 || pipe2(go, O_CLOEXEC) < 0)
		exit(99);
	life.pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL,
				  0);
	if (life.pid == 0)
		become(words, go[0], tell[1], exec_at);
	if (life.pid < 0)
		exit(99);
	life.tell = tell[0];
	(void)close(tell[1]);
	(void)!write(go[1], "", 1);
	(void)close(go[0]);
	(void)close(go[1]);
	return life;
}

static int64_t told(const struct life *life)
{
	int64_t at = 0;

	if (read(life->tell, &at, sizeof(at)) != sizeof(at)) {
		fprintf(stderr, "bench_pid1: the child did not begin\n");
		exit(99);
	}
	return at;
}

static void end(const struct life *life, struct rusage *ret_usage)
{
	int status;

	(void)wait4(life->pid, &status, 0, ret_usage);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "bench_pid1: status %x\n", (unsigned int)status);
		exit(99);
	}
}

static void measure_start(char *words[])
{
	struct life life = begin(words);
	struct rusage usage;
	int64_t at = told(&life);

	printf("exec_us %lld\n", (long long)(at - *life.exec_at) / 1000);
	end(&life, &usage);
}

static void measure_life(char *words[])
{
	struct life life = begin(words);
	struct rusage usage;

	end(&life, &usage);
	printf("life_us %lld\n", (long long)(now_ns() - *life.exec_at) / 1000);
	printf("cpu_us %ld\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
				       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	printf("faults %ld\n", usage.ru_minflt);
}

/* A virtual machine may have no counter to ask; ptrace(2) always can. */
static void measure_instructions(char *words[])
{
	unsigned long steps = 0;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)execv(words[0], words);
		_exit(99);
	}
	(void)waitpid(pid, &status, __WALL);
	while (WIFSTOPPED(status)) {
		long signal_number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);

		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, signal_number) < 0)
			break;
		steps++;
		(void)waitpid(pid, &status, __WALL);
	}
	printf("instructions %lu\n", steps);
}

/* The number behind `field` in a file of /proc/PID. */
static long field_of(pid_t pid, const char *name, const char *field)
{
	char path[64];
	char line[256];
	long value = -1;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, field, strlen(field)) == 0)
			value = strtol(line + strlen(field), NULL, 10);
	}
	if (file)
		(void)fclose(file);
	return value;
}

static void measure_idle(char *words[])
{
	struct life life = begin(words);
	struct timespec idle = { .tv_sec = IDLE_SECONDS };
	struct timespec settle = { .tv_nsec = 100000000 };
	struct rusage usage;
	long before;

	(void)told(&life);
	(void)nanosleep(&settle, NULL);
	before = field_of(life.pid, "status", "voluntary_ctxt_switches:");
	(void)nanosleep(&idle, NULL);
	printf("wakeups %ld\n", field_of(life.pid, "status", "voluntary_ctxt_switches:") - before);
	printf("rss_kb %ld\n", field_of(life.pid, "smaps_rollup", "Rss:"));
	printf("pss_kb %ld\n", field_of(life.pid, "smaps_rollup", "Pss:"));
	printf("dirty_kb %ld\n", field_of(life.pid, "smaps_rollup", "Private_Dirty:"));
	(void)kill(life.pid, SIGTERM);
	end(&life, &usage);
}

/* Nanoseconds on a CPU, as long as the process is not reaped. */
static long long cpu_ns(pid_t pid)
{
	char path[64];
	long long value = -1;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%lld", &value) != 1)
		value = -1;
	if (file)
		(void)fclose(file);
	return value;
}

/* Together with its start, which is some microseconds among a hundred thousand. */
static void measure_reap(char *words[])
{
	struct life life = begin(words);
	struct rusage usage;
	siginfo_t info;

	(void)waitid(P_PID, (id_t)life.pid, &info, WEXITED | WNOWAIT);
	printf("reap_ns %lld\n", cpu_ns(life.pid) / ORPHANS);
	end(&life, &usage);
}

static int by_value(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a;
	int64_t right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

static void measure_signals(char *words[])
{
	static int64_t took[SIGNALS];
	struct life life = begin(words);
	struct rusage usage;

	(void)told(&life);
	for (int i = 0; i < SIGNALS; i++) {
		int64_t sent = now_ns();

		(void)kill(life.pid, SIGUSR1);
		took[i] = told(&life) - sent;
	}
	qsort(took, SIGNALS, sizeof(took[0]), by_value);
	printf("signal_us %lld\n", (long long)took[SIGNALS / 2] / 1000);
	(void)kill(life.pid, SIGTERM);
	end(&life, &usage);
}

int main(int argc, char *argv[])
{
	static char self[4096];
	static char orphans[4096 + 16];
	static char count[16];
	static char at_once[16];
	char *words[WORDS_MAX + 4] = {};
	int n = argc - 2;

	if (argc == 3 && strcmp(argv[1], "--child") == 0)
		return be_the_child(argv[2]);
	if (argc < 3 || n > WORDS_MAX || readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
		return 99;
	memcpy(words, argv + 2, (size_t)n * sizeof(char *));
	(void)snprintf(orphans, sizeof(orphans), "%.*s/orphans", (int)(strrchr(self, '/') - self),
		       self);
	(void)snprintf(count, sizeof(count), "%d", ORPHANS);
	(void)snprintf(at_once, sizeof(at_once), "%d", ORPHANS_AT_ONCE);
	words[n] = self;
	words[n + 1] = (char[]){ "--child" };
	words[n + 2] = argv[1];
	if (strcmp(argv[1], "start") == 0) {
		measure_start(words);
	} else if (strcmp(argv[1], "life") == 0) {
		words[n] = (char[]){ "/bin/true" };
		words[n + 1] = NULL;
		measure_life(words);
	} else if (strcmp(argv[1], "instructions") == 0) {
		words[n] = (char[]){ "/bin/true" };
		words[n + 1] = NULL;
		measure_instructions(words);
	} else if (strcmp(argv[1], "idle") == 0) {
		measure_idle(words);
	} else if (strcmp(argv[1], "reap") == 0) {
		words[n] = orphans;
		words[n + 1] = count;
		words[n + 2] = at_once;
		measure_reap(words);
	} else if (strcmp(argv[1], "signals") == 0) {
		measure_signals(words);
	}
	return 0;
}
