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
 *
 * Takes what the sandbox layer writes: options in argv or NUL-separated behind --args FD.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
					    "--clearenv", "--as-pid-1", "--disable-userns" };
	static const char *const two[] = { "--bind", "--ro-bind", "--bind-try", "--ro-bind-try",
					   "--dev-bind", "--dev-bind-try", "--setenv", "--symlink",
					   "--file", "--bind-data", "--ro-bind-data", "--bind-fd",
					   "--ro-bind-fd", "--chmod" };

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

/* Unsets what --unshare-user alone would do, too. */
static const char *const all_but_user[] = { "--unshare-ipc", "--unshare-net", "--unshare-pid",
					    "--unshare-uts", "--unshare-cgroup-try", NULL };
static const char *const all_but_pid[] = { "--unshare-ipc", "--unshare-net", "--unshare-uts",
					   "--unshare-cgroup-try", NULL };

static void run_kind(const char *kind, const struct words *options, char *command[])
{
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
	run_kind(kind, &options, command);
	(void)fprintf(stderr, "fake_bwrap: no kind named %s\n", kind);
	return 99;
}
