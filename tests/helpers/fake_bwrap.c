/*
 * fake_bwrap: bwraps that are not what they seem.  The last word of its own name says which:
 * the build links it as bwrap-KIND beside itself.
 *
 *	unsandboxed	runs the payload as it is, in no sandbox at all
 *	nouserns	the real bwrap, but without a user namespace (needs SYS_ADMIN)
 *	sharepid	the real bwrap, but in the pid namespace it was started in
 *	slow		the real bwrap, one second later
 *	hang		never ends; hangterm also ignores SIGTERM
 *	background	exits 0 and leaves a child behind that holds every descriptor open
 *	killed		dies of SIGKILL
 *	exit0, exitN	only exits with N
 *	keepcaps	the real bwrap, but capabilities are kept
 *	sharenet	the real bwrap, but in the network it was started in
 *	rwproc		the real bwrap, but what is bound on /proc can be written
 *	freshproc	the real bwrap, but with a fresh /proc instead of the bound one
 *	noproc		the real bwrap, but without any /proc
 *	bindproc	the real bwrap, but with the bound /proc where an empty one was asked for
 *	environ		the real bwrap, but with an environment, which its reaper shows
 *	halfway		a user and PID namespace of its own around the payload, nothing else
 *	signals		the real bwrap, after a signal to the sentinel
 *	killsentinel	the real bwrap, after the sentinel was killed
 *	garbage		writes into the payload's socket itself
 *	twice		the real bwrap, and one more message after the payload's
 *	later		exits 1 the first two times (counted beside it), then is the real bwrap
 *	holds		the real bwrap, and a child that holds every descriptor open
 *
 * Takes what the sandbox layer writes: options in argv or NUL-separated behind --args FD.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/own.h"

#define WORDS_MAX 1024
#define OPTIONS_MAX 65536

struct words {
	char *word[WORDS_MAX + 1];
	size_t n;
};

static void add(struct words *words, char *word)
{
	if (words->n == WORDS_MAX)
		exit(99);
	words->word[words->n++] = word;
	words->word[words->n] = NULL;
}

/* How many words follow an option of bwrap(1). */
static int arity(const char *option)
{
	static const char *const none[] = { "--share-net", "--new-session", "--die-with-parent",
					    "--clearenv",  "--as-pid-1",    "--disable-userns" };
	static const char *const two[] = { "--bind",        "--ro-bind",      "--bind-try",
					   "--ro-bind-try", "--dev-bind",     "--dev-bind-try",
					   "--setenv",      "--symlink",      "--file",
					   "--bind-data",   "--ro-bind-data", "--bind-fd",
					   "--ro-bind-fd",  "--chmod" };

	if (!strncmp(option, "--unshare-", 10))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (!strcmp(option, none[i]))
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(two); i++)
		if (!strcmp(option, two[i]))
			return 2;
	return 1;
}

/* The options behind --args FD, from wherever the descriptor stands. */
static void add_args(struct words *options, int fd)
{
	static char data[OPTIONS_MAX + 1];
	size_t length = 0;
	ssize_t n;

	while ((n = read(fd, data + length, OPTIONS_MAX - length)) > 0)
		length += (size_t)n;
	for (size_t at = 0; at < length; at += strlen(data + at) + 1)
		add(options, data + at);
}

/* Splits our own argv into bwrap's options, --args expanded, and the payload's command line. */
static void split(char *argv[], struct words *options, char ***ret_command)
{
	size_t i = 1;

	while (argv[i] && !strncmp(argv[i], "--", 2)) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--args")) {
			add_args(options, atoi(argv[i + 1]));
			(void)close(atoi(argv[i + 1]));
			i += 2;
			continue;
		}
		for (int left = arity(argv[i]); left >= 0 && argv[i]; left--)
			add(options, argv[i++]);
	}
	*ret_command = argv + i;
}

/* Runs the payload from where it really is: what would have been bound to its path. */
static void run_unsandboxed(const struct words *options, char *command[])
{
	const char *path = command[0];
	struct words environment = {};
	int fd = -1;

	for (size_t i = 0; i < options->n; i += 1 + (size_t)arity(options->word[i])) {
		char *const *o = options->word + i;

		if (!strcmp(o[0], "--setenv")) {
			char *variable;

			if (asprintf(&variable, "%s=%s", o[1], o[2]) < 0)
				exit(99);
			add(&environment, variable);
		} else if (arity(o[0]) == 2 && !strcmp(o[2], command[0])) {
			bool by_fd = strstr(o[0], "-data") || strstr(o[0], "-fd");

			fd = by_fd ? atoi(o[1]) : -1;
			path = by_fd ? command[0] : o[1];
		}
	}
	if (fd >= 0) {
		fexecve(fd, command, environment.word);
		/* Not to be had: a copy of it. */
	}
	execve(path, command, environment.word);
	exit(errno == ENOENT ? 127 : 126);
}

/* The real one, its options changed: `drop` left out, `put` in the place of --unshare-all. */
static void run_real(const struct words *options, char *command[], const char *drop,
		     const char *const *put)
{
	struct words out = {};
	char number[16];
	int fd = memfd_create("options", 0);
	struct words argv = {};

	for (size_t i = 0; i < options->n; i++) {
		if (put && !strcmp(options->word[i], "--unshare-all")) {
			for (size_t j = 0; put[j]; j++)
				add(&out, (char *)put[j]);
			continue;
		}
		if (!drop || strcmp(options->word[i], drop))
			add(&out, options->word[i]);
	}
	for (size_t i = 0; i < out.n; i++)
		if (write(fd, out.word[i], strlen(out.word[i]) + 1) < 0)
			exit(99);
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		exit(99);
	(void)snprintf(number, sizeof(number), "%d", fd);
	add(&argv, (char *)"bwrap");
	add(&argv, (char *)"--args");
	add(&argv, number);
	add(&argv, (char *)"--");
	for (size_t i = 0; command[i]; i++)
		add(&argv, command[i]);
	execv("/usr/bin/bwrap", argv.word);
	exit(99);
}

/* Replaces three options, `--WORD /proc /proc` or `--tmpfs /proc`, by others; NULL drops. */
static void replace_proc(struct words *options, const char *word, const char *by)
{
	struct words out = {};

	for (size_t i = 0; i < options->n;) {
		size_t n = 1 + (size_t)arity(options->word[i]);
		bool is_proc = !strcmp(options->word[i], word) &&
			       !strcmp(options->word[i + n - 1], "/proc");

		if (is_proc && by) {
			add(&out, (char *)by);
			if (arity(by) == 2)
				add(&out, (char *)"/proc");
			add(&out, (char *)"/proc");
		}
		for (size_t j = 0; !is_proc && j < n; j++)
			add(&out, options->word[i + j]);
		i += n;
	}
	*options = out;
}

/* True for a sentinel that has the same parent as we. */
static bool is_our_sentinel(const char *pid)
{
	char path[300], line[256] = {};
	int parent = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file) || !strrchr(line, ')') ||
	    sscanf(strrchr(line, ')'), ") %*c %d", &parent) != 1)
		parent = 0;
	(void)fclose(file);
	(void)snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	file = parent == getppid() ? fopen(path, "re") : NULL;
	if (!file)
		return false;
	memset(line, 0, sizeof(line));
	if (fread(line, 1, sizeof(line) - 1, file) == 0)
		line[0] = '\0';
	(void)fclose(file);
	return !strcmp(line + strlen(line) + 1, "--typeclaw-sentinel");
}

static pid_t sentinel_find(void)
{
	for (int tries = 0; tries < 300; tries++) {
		DIR *proc = opendir("/proc");
		const struct dirent *entry;
		pid_t found = 0;

		while (proc && !found && (entry = readdir(proc)) != NULL)
			if (atoi(entry->d_name) > 0 && is_our_sentinel(entry->d_name))
				found = atoi(entry->d_name);
		if (proc)
			(void)closedir(proc);
		if (found)
			return found;
		usleep(1000);
	}
	exit(99);
}

static void run_halfway(const struct words *options, char *command[])
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
		exit(99);
	if (fork() == 0)
		run_unsandboxed(options, command);
	(void)wait(NULL);
	exit(0);
}

/* Exits until it has been run twice before. */
static void run_later(const char *self)
{
	char path[512];
	struct stat status;
	int fd;

	(void)snprintf(path, sizeof(path), "%s.count", self);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || fstat(fd, &status) < 0)
		exit(99);
	(void)close(fd);
	if (status.st_size <= 2)
		exit(1);
}

static int payload_socket(char *command[])
{
	size_t n = 0;

	while (command[n])
		n++;
	return atoi(command[n - 1]);
}

/* Kinds that do something of their own around the real bwrap. */
static void run_beside(const char *kind, struct words *options, char *command[])
{
	if (!strcmp(kind, "signals"))
		(void)kill(sentinel_find(), SIGURG);
	else if (!strcmp(kind, "killsentinel"))
		(void)kill(sentinel_find(), SIGKILL);
	else if (!strcmp(kind, "holds")) {
		if (fork() == 0) {
			sleep(30);
			exit(0);
		}
	} else if (!strcmp(kind, "twice")) {
		if (fork() != 0) {
			(void)wait(NULL);
			(void)send(payload_socket(command), "again", 5, MSG_NOSIGNAL);
			exit(0);
		}
	} else if (!strcmp(kind, "garbage")) {
		(void)send(payload_socket(command), "garbage", 7, MSG_NOSIGNAL);
		exit(0);
	} else {
		return;
	}
	run_real(options, command, NULL, NULL);
}

/* Kinds that change one of the real bwrap's options. */
static void run_changed(const char *kind, struct words *options, char *command[])
{
	static const char *const with_net[] = { "--unshare-all", "--share-net", NULL };

	if (!strcmp(kind, "sharenet"))
		run_real(options, command, NULL, with_net);
	if (!strcmp(kind, "keepcaps")) {
		for (size_t i = 0; i + 1 < options->n; i++)
			if (!strcmp(options->word[i], "--cap-drop"))
				options->word[i] = (char *)"--cap-add";
	} else if (!strcmp(kind, "rwproc")) {
		replace_proc(options, "--ro-bind", "--bind");
	} else if (!strcmp(kind, "freshproc")) {
		replace_proc(options, "--ro-bind", "--proc");
	} else if (!strcmp(kind, "noproc")) {
		replace_proc(options, "--ro-bind", NULL);
	} else if (!strcmp(kind, "bindproc")) {
		replace_proc(options, "--tmpfs", "--ro-bind");
	} else if (!strcmp(kind, "environ")) {
		(void)setenv("SPAWN_TOKEN", "in the reaper's environ", 1);
	} else {
		return;
	}
	run_real(options, command, NULL, NULL);
}

/* Unsets what --unshare-user alone would do, too. */
static const char *const all_but_user[] = { "--unshare-ipc",        "--unshare-net",
					    "--unshare-pid",        "--unshare-uts",
					    "--unshare-cgroup-try", NULL };
static const char *const all_but_pid[] = { "--unshare-ipc", "--unshare-net", "--unshare-uts",
					   "--unshare-cgroup-try", NULL };

static void run_kind(const char *kind, struct words *options, char *command[])
{
	if (!strcmp(kind, "halfway"))
		run_halfway(options, command);
	run_beside(kind, options, command);
	run_changed(kind, options, command);
	if (!strcmp(kind, "unsandboxed"))
		run_unsandboxed(options, command);
	if (!strcmp(kind, "nouserns"))
		run_real(options, command, "--unshare-user", all_but_user);
	if (!strcmp(kind, "sharepid"))
		run_real(options, command, "--unshare-pid", all_but_pid);
	if (!strcmp(kind, "slow")) {
		sleep(1);
		run_real(options, command, NULL, NULL);
	}
}

int main(int argc, char *argv[])
{
	const char *dash = argc > 0 ? strrchr(argv[0], '-') : NULL;
	const char *kind = dash ? dash + 1 : "";
	struct words options = {};
	char **command;

	if (!strncmp(kind, "exit", 4))
		return atoi(kind + 4);
	if (!strcmp(kind, "killed"))
		raise(SIGKILL);
	if (!strcmp(kind, "hangterm"))
		signal(SIGTERM, SIG_IGN);
	if (!strncmp(kind, "hang", 4))
		for (;;)
			pause();
	if (!strcmp(kind, "background")) {
		if (fork() == 0)
			sleep(30);
		return 0;
	}
	split(argv, &options, &command);
	if (!strcmp(kind, "later")) {
		run_later(argv[0]);
		run_real(&options, command, NULL, NULL);
	}
	run_kind(kind, &options, command);
	(void)fprintf(stderr, "fake_bwrap: no kind named %s\n", kind);
	return 99;
}
