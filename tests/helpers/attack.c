/*
 * attack KEY-TAIL AGENT-DIR: tries, from inside of a sandbox, everything that it must not be able
 * to do, and prints one row each:
 *
 *	NAME held [DETAIL]	it could not
 *	NAME BROKEN DETAIL	it could
 *	NAME open|closed	what the contract leaves open (proc1-net)
 *
 * attack --keyring COMMAND...: runs it with a key in its session keyring.
 * attack --search-keyring: that row alone; the others must never be tried outside of a container.
 *
 * The key that it looks for is 's' and KEY-TAIL, so that its own words do not hold it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "init/own.h"

#define READ_MAX (1 << 20)

static char key[128];
static const char *agent;
static char found[512];

static void row(const char *name, bool broken, const char *detail)
{
	printf("%s %s %s\n", name, broken ? "BROKEN" : "held", detail);
	(void)fflush(stdout);
}

/* True when the file holds the key. */
static bool file_holds_key(const char *path)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	AUTO_FREE char *bytes = malloc(READ_MAX);
	size_t length = 0;
	ssize_t n;

	while (fd >= 0 && length < READ_MAX &&
	       (n = read(fd, bytes + length, READ_MAX - length)) > 0)
		length += (size_t)n;
	if (!memmem(bytes, length, key, strlen(key)))
		return false;
	(void)snprintf(found, sizeof(found), "%s", path);
	return true;
}

/* Looks for the key in /proc/PID/FILE of every process and thread. */
static void read_every(const char *name, const char *file)
{
	DIR *proc = opendir("/proc");
	bool broken = false;
	char path[600];
	int seen = 0;

	for (struct dirent *entry; proc && (entry = readdir(proc));) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		seen++;
		(void)snprintf(path, sizeof(path), "/proc/%s/%s", entry->d_name, file);
		broken |= file_holds_key(path);
		(void)snprintf(path, sizeof(path), "/proc/%s/task/%s/%s", entry->d_name,
			       entry->d_name, file);
		broken |= file_holds_key(path);
	}
	if (proc)
		(void)closedir(proc);
	(void)snprintf(path, sizeof(path), "%d processes seen", seen);
	row(name, broken, broken ? found : path);
}

/* What a process outside has open, is in, and is: one link that resolves to it is a leak. */
static void follow_every(void)
{
	static const char *const names[] = {
		"root", "cwd", "exe", "fd/0", "fd/3", "fd/7", "ns/mnt"
	};
	char own[64], path[300], says[300];
	ssize_t own_length = readlink("/proc/self/ns/user", own, sizeof(own));
	bool broken = false;

	for (int pid = 1; pid < 400 && own_length > 0; pid++) {
		ssize_t n;

		(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
		n = readlink(path, says, sizeof(says));
		if (n == own_length && memcmp(says, own, (size_t)n) == 0)
			continue; /* in here with us */
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, names[i]);
			n = readlink(path, says, sizeof(says) - 1);
			if (n > 0)
				(void)snprintf(found, sizeof(found), "%s", path);
			broken |= n > 0;
		}
		(void)snprintf(path, sizeof(path), "/proc/%d/root%s/.env", pid, agent);
		broken |= file_holds_key(path);
	}
	row("links-of-others", broken, broken ? found : "");
}

static void undo_masks(const char *name)
{
	static const char *const masks[] = { ".env", "secrets.json", "memory", "sessions",
					     "workspace" };
	bool broken = false;
	char path[300];

	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", agent, masks[i]);
		(void)umount2(path, 0);
		(void)umount2(path, MNT_DETACH);
		broken |= file_holds_key(path);
		(void)snprintf(path, sizeof(path), "%s/%s/secret", agent, masks[i]);
		broken |= file_holds_key(path);
	}
	row(name, broken, broken ? found : strerror(errno));
}

static void remount_writable(const char *name)
{
	static const char *const places[] = { "/usr", "/etc", "/proc", "/" };
	bool broken = mount(NULL, agent, NULL, MS_REMOUNT | MS_BIND, NULL) == 0;
	int error = errno;
	char path[300];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (mount(NULL, places[i], NULL, MS_REMOUNT | MS_BIND, NULL) == 0)
			broken = true;
	(void)snprintf(path, sizeof(path), "%s/planted", agent);
	if (open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0)
		broken = true;
	row(name, broken, strerror(error));
}

static void write_sysctl(const char *name)
{
	static const char *const paths[] = {
		"/proc/sys/kernel/hostname",     "/proc/sys/vm/swappiness",
		"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
		"/proc/1/oom_score_adj",         "/proc/self/oom_score_adj"
	};
	bool broken = false;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		AUTO_CLOSE int fd = open(paths[i], O_WRONLY | O_CLOEXEC);

		if (fd >= 0)
			(void)snprintf(found, sizeof(found), "%s", paths[i]);
		broken |= fd >= 0;
	}
	row(name, broken, broken ? found : strerror(errno));
}

static void count_descriptors(void)
{
	bool broken = false;

	for (int fd = 3; fd < 4096; fd++) {
		if (fcntl(fd, F_GETFD) >= 0) {
			(void)snprintf(found, sizeof(found), "%d", fd);
			broken = true;
		}
	}
	row("inherited-fds", broken, broken ? found : "");
}

/* Typing for our caller into the terminal that we have from it, tty_ioctl(4). */
static void type_for_caller(void)
{
	bool broken = false;
	char typed = 'x';

	for (int fd = 0; fd < 3; fd++)
		broken |= ioctl(fd, TIOCSTI, &typed) == 0;
	if (open("/dev/tty", O_RDWR | O_CLOEXEC) >= 0)
		broken = true;
	row("tiocsti", broken, strerror(errno));
}

/* All the same from a user namespace of our own, where every capability is ours. */
static void nest(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
			row("nested-userns", false, strerror(errno));
			_exit(0);
		}
		undo_masks("nested-umount");
		remount_writable("nested-remount");
		write_sysctl("nested-sysctl");
		(void)umount2("/proc", MNT_DETACH);
		row("nested-proc",
		    mount("proc", "/proc", "proc", 0, NULL) == 0 &&
			    access("/proc/1/environ", R_OK) == 0,
		    strerror(errno));
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
}

/* Every pid number there may be outside, but none of a process in here. */
static void signal_outside(void)
{
	bool broken = false;
	long reached = 0;

	for (int pid = 3; pid < 40000; pid++) {
		if (pid == getpid() || pid == getppid() || kill(pid, 0) < 0)
			continue;
		reached++;
		if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0) {
			(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
			(void)snprintf(found, sizeof(found), "traced %d", pid);
		}
	}
	broken = reached > 2; /* the shell that started us, and its like */
	(void)snprintf(found, sizeof(found), "%ld reached", reached);
	row("signals-outside", broken, found);
}

static int look_at_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)where;
	if (kind == FTW_F && S_ISREG(status->st_mode) && status->st_size < READ_MAX)
		(void)file_holds_key(path);
	return 0;
}

static void search_everything(void)
{
	static const char *const trees[] = { "/etc",  "/tmp",  "/dev", "/run",
					     "/root", "/home", "/var" };

	found[0] = '\0';
	(void)nftw(agent, look_at_one, 32, FTW_PHYS);
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
		(void)nftw(trees[i], look_at_one, 32, FTW_PHYS);
	row("key-in-files", found[0] != '\0', found);
}

static void make_device(void)
{
	bool broken = mknod("/tmp/device", S_IFBLK | 0600, makedev(8, 0)) == 0 ||
		      mknod("/tmp/memory", S_IFCHR | 0600, makedev(1, 1)) == 0;

	row("mknod", broken, strerror(errno));
}

/* The keyring of whoever started the sandbox, keyctl(2): search it for the key by its name. */
static void search_keyring(void)
{
	char bytes[256];
	long id = syscall(SYS_keyctl, 10 /* KEYCTL_SEARCH */, -3 /* the session's */, "user",
			  "typeclaw-test", 0);

	row("keyring", id > 0 && syscall(SYS_keyctl, 11, id, bytes, sizeof(bytes)) > 0,
	    strerror(errno));
}

static void look_at_net(void)
{
	int fd = open("/proc/1/net/dev", O_RDONLY | O_CLOEXEC);

	printf("proc1-net %s\n", fd >= 0 ? "open" : "closed");
	if (fd >= 0)
		(void)close(fd);
}

static int run_with_keyring(char *argv[])
{
	if (syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, NULL) < 0 ||
	    syscall(SYS_add_key, "user", "typeclaw-test", "sesame", 6, -3) < 0)
		return 3;
	(void)execvp(argv[0], argv);
	return 127;
}

int main(int argc, char *argv[])
{
	if (argc > 2 && strcmp(argv[1], "--keyring") == 0)
		return run_with_keyring(argv + 2);
	if (argc == 2 && strcmp(argv[1], "--search-keyring") == 0) {
		search_keyring();
		return 0;
	}
	if (argc != 3)
		return 2;
	(void)snprintf(key, sizeof(key), "s%s", argv[1]);
	agent = argv[2];
	read_every("environ", "environ");
	read_every("cmdline", "cmdline");
	read_every("maps-mem", "auxv");
	follow_every();
	undo_masks("umount");
	remount_writable("remount");
	write_sysctl("sysctl");
	count_descriptors();
	type_for_caller();
	make_device();
	search_keyring();
	search_everything();
	look_at_net();
	signal_outside();
	nest();
	return 0;
}
