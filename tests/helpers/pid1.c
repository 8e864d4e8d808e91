/*
 * pid1: `pid1 [OPTION...] PROGRAM [ARG...]` runs a program as the real PID 1 of a fresh PID and
 * mount namespace with its own /proc, as a container engine would, in a state of the test's
 * choice.  Exits as that PID 1 did, 128+N by a signal.  As root, or in a user namespace of its
 * own.  PID 1 does not outlive this program.
 *
 *	-n		no namespaces: an ordinary child
 *	-p FILE		write its outer pid there before it is exec'ed
 *	-b LIST		block signals (names, numbers or "all", comma separated)
 *	-i LIST		ignore signals
 *	-q LIST		let signals be pending (they must be blocked as well)
 *	-c FD		close; -k FD open /dev/null there; -x FD the same with CLOEXEC
 *	-l NAME=SOFT	limit: core, nofile, nproc, sigpending
 *	-t		leader of a session whose terminal is descriptor 0
 *	-P		an empty /proc; -R a read-only root
 *	-u UID		as this user and group, without capabilities
 *	-e CALL=ERRNO	let a system call fail (a few have names, others go by number)
 *	-S		a socket as descriptor 0
 *	-D CAP		without this capability (a number), for good
 *	-E		an empty environment
 *	-0		with argc 0
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/own.h"
#include "init/signals.h"

#define FAILING_MAX 8
#define FDS_MAX 16

struct setup {
	bool socket, plain, terminal, no_proc, read_only, no_environment, no_words;
	const char *pid_file;
	uint64_t blocked, ignored, pending;
	int closed[FDS_MAX], kept[FDS_MAX], cloexec[FDS_MAX];
	int n_closed, n_kept, n_cloexec;
	uid_t uid;
	struct {
		int number, error;
	} failing[FAILING_MAX];
	int n_failing;
	int dropped; /* capability, 0 for none */
};

static const struct {
	const char *name;
	int number;
} calls[] = {
	{ "clone3", SYS_clone3 },
	{ "pidfd_open", SYS_pidfd_open },
	{ "pidfd_send_signal", SYS_pidfd_send_signal },
	{ "signalfd4", SYS_signalfd4 },
	{ "close_range", SYS_close_range },
	{ "faccessat2", SYS_faccessat2 },
	{ "prctl", SYS_prctl },
	{ "getdents64", SYS_getdents64 },
	{ "rt_sigqueueinfo", SYS_rt_sigqueueinfo },
	{ "setpgid", SYS_setpgid },
	{ "memfd_create", SYS_memfd_create },
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "pid1: %s: %s\n", what, strerror(errno));
	_exit(99);
}

static uint64_t read_signals(char *list)
{
	uint64_t set = 0;

	if (strcmp(list, "all") == 0)
		return UINT64_MAX;
	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		int number = signal_parse(word);

		if (number < 0)
			die(word);
		set |= kernel_signal_bit(number);
	}
	return set;
}

static void read_limit(char *text)
{
	static const struct {
		const char *name;
		int number;
	} limits[] = {
		{ "core", RLIMIT_CORE },
		{ "nofile", RLIMIT_NOFILE },
		{ "nproc", RLIMIT_NPROC },
		{ "sigpending", RLIMIT_SIGPENDING },
	};
	char *value = strchr(text, '=');
	struct rlimit limit;

	for (size_t i = 0; value && i < ARRAY_SIZE(limits); i++) {
		if (strncmp(text, limits[i].name, (size_t)(value - text)) != 0)
			continue;
		(void)getrlimit(limits[i].number, &limit);
		limit.rlim_cur = strtoul(value + 1, NULL, 10);
		if (setrlimit(limits[i].number, &limit) < 0)
			die(text);
		return;
	}
	die(text);
}

static void read_failing(struct setup *setup, char *text)
{
	char *value = strchr(text, '=');
	int number = -1;

	if (!value || setup->n_failing == FAILING_MAX)
		die(text);
	*value++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (strcmp(text, calls[i].name) == 0)
			number = calls[i].number;
	}
	setup->failing[setup->n_failing].number = number < 0 ? (int)strtol(text, NULL, 10) : number;
	setup->failing[setup->n_failing++].error = (int)strtol(value, NULL, 10);
}

static void note_fd(int *list, int *n, const char *text)
{
	if (*n == FDS_MAX)
		die("too many descriptors");
	list[(*n)++] = (int)strtol(text, NULL, 10);
}

static void read_option(struct setup *setup, int option, char *value)
{
	switch (option) {
	case 'n':
		setup->plain = true;
		break;
	case 'p':
		setup->pid_file = value;
		break;
	case 'b':
		setup->blocked |= read_signals(value);
		break;
	case 'i':
		setup->ignored |= read_signals(value);
		break;
	case 'q':
		setup->pending |= read_signals(value);
		break;
	case 'c':
		note_fd(setup->closed, &setup->n_closed, value);
		break;
	case 'k':
		note_fd(setup->kept, &setup->n_kept, value);
		break;
	case 'x':
		note_fd(setup->cloexec, &setup->n_cloexec, value);
		break;
	case 'l':
		read_limit(value);
		break;
	case 't':
		setup->terminal = true;
		break;
	case 'P':
		setup->no_proc = true;
		break;
	case 'R':
		setup->read_only = true;
		break;
	case 'u':
		setup->uid = (uid_t)strtoul(value, NULL, 10);
		break;
	case 'e':
		read_failing(setup, value);
		break;
	case 'S':
		setup->socket = true;
		break;
	case 'D':
		setup->dropped = (int)strtol(value, NULL, 10);
		break;
	case 'E':
		setup->no_environment = true;
		break;
	case '0':
		setup->no_words = true;
		break;
	default:
		exit(99);
	}
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	(void)close(fd);
}

static void make_mounts(const struct setup *setup)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		die("make / private");
	if (mount(setup->no_proc ? "tmpfs" : "proc", "/proc", setup->no_proc ? "tmpfs" : "proc",
		  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		die("mount /proc");
	if (!setup->read_only)
		return;
	if (mount("/", "/", NULL, MS_BIND, NULL) < 0 || chdir("/") < 0 || chroot(".") < 0 ||
	    mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
		die("make / read-only");
}

/* Makes each listed call fail with its errno. */
static void make_calls_fail(const struct setup *setup)
{
	struct sock_filter code[2 + 2 * FAILING_MAX];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;

	if (setup->n_failing == 0)
		return;
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (int i = 0; i < setup->n_failing; i++) {
		unsigned int number = (unsigned int)setup->failing[i].number;
		unsigned int error = (unsigned int)setup->failing[i].error;

		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
		code[n++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		die("install a seccomp filter");
}

static void make_descriptors(const struct setup *setup)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int pair[2];

	if (setup->socket && (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 ||
			      dup2(pair[0], STDIN_FILENO) < 0))
		die("make a socket");
	for (int i = 0; i < setup->n_kept; i++)
		(void)dup2(null, setup->kept[i]);
	for (int i = 0; i < setup->n_cloexec; i++)
		(void)dup3(null, setup->cloexec[i], O_CLOEXEC);
	for (int i = 0; i < setup->n_closed; i++)
		(void)close(setup->closed[i]);
}

static void make_signals(const struct setup *setup)
{
	static const unsigned long standard[4]; /* the kernel's struct sigaction, SIG_DFL */
	const uint64_t all = UINT64_MAX;

	(void)kernel_sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 1; i <= KERNEL_SIGNALS; i++) {
		/* Also 32 and 33, which glibc's posix_spawn (make's) leaves ignored and hides. */
		(void)KERNEL_CALL(SYS_rt_sigaction, i, standard, NULL, sizeof(uint64_t));
		if (setup->ignored & kernel_signal_bit(i))
			(void)signal(i, SIG_IGN);
		if (setup->pending & kernel_signal_bit(i))
			(void)kill(getpid(), i);
	}
	(void)kernel_sigprocmask(SIG_SETMASK, &setup->blocked, NULL);
}

static _Noreturn void become(const struct setup *setup, char *argv[], int go)
{
	static char *nothing[] = { NULL };
	/* by descriptor: another user may not be allowed to walk to a build directory */
	int program = setup->uid ? open(argv[0], O_PATH | O_CLOEXEC) : -1;
	char byte;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(99);
	if (!setup->plain)
		make_mounts(setup);
	if (setup->terminal && (setsid() < 0 || ioctl(STDIN_FILENO, TIOCSCTTY, 0) < 0))
		die("take the terminal");
	if (setup->dropped && prctl(PR_CAPBSET_DROP, setup->dropped, 0, 0, 0) < 0)
		die("drop a capability");
	if (setup->uid &&
	    (setgroups(0, NULL) < 0 || setgid(setup->uid) < 0 || setuid(setup->uid) < 0))
		die("change the user");
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	make_descriptors(setup);
	make_calls_fail(setup);
	make_signals(setup);
	if (setup->no_environment)
		environ = nothing;
	if (program >= 0)
		(void)kernel_exec_fd(program, argv, environ);
	(void)execvp(argv[0], setup->no_words ? nothing : argv);
	die(argv[0]);
}

static void map_ids(pid_t pid, uid_t uid, gid_t gid)
{
	char path[64];
	char text[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/setgroups", pid);
	write_text(path, "deny");
	(void)snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	(void)snprintf(text, sizeof(text), "0 %u 1", uid);
	write_text(path, text);
	(void)snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	(void)snprintf(text, sizeof(text), "0 %u 1", gid);
	write_text(path, text);
}

static void tell_pid(const char *file, pid_t pid)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d\n", pid);
	if (file)
		write_text(file, text);
}

int main(int argc, char *argv[])
{
	struct setup setup = {};
	unsigned long flags = SIGCHLD;
	int option;
	int status;
	int go[2];
	pid_t pid;

	while ((option = getopt(argc, argv, "+np:b:i:q:c:k:x:l:tPRu:e:SD:E0")) >= 0)
		read_option(&setup, option, optarg);
	if (!argv[optind] || pipe2(go, O_CLOEXEC) < 0)
		return 99;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!setup.plain)
		flags |= CLONE_NEWPID | CLONE_NEWNS | (geteuid() != 0 ? CLONE_NEWUSER : 0);
	pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, 0);
	if (pid == 0) {
		(void)close(go[1]);
		become(&setup, argv + optind, go[0]);
	}
	if (pid < 0)
		die("clone");
	if (flags & CLONE_NEWUSER)
		map_ids(pid, getuid(), getgid());
	tell_pid(setup.pid_file, pid);
	if (write(go[1], "", 1) != 1)
		die("start");
	(void)close(go[0]);
	(void)close(go[1]);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			die("waitpid");
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
