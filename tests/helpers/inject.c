/*
 * inject: runs a command of which chosen system calls fail at chosen occurrences, and counts.
 *
 *	inject [--report FILE] mkdirat=EIO@3 -- CMD [ARG...]	the third mkdirat fails
 *	inject [--report FILE] clone=EAGAIN@2+ -- CMD		the second and all later ones
 *	inject renameat2=KILL@1 -- CMD		killed just before its first renameat2
 *
 * Occurrences are counted over the command and all its children together, in the order in which
 * the kernel sees them; the command's own execve is the first one of execve.  calls.h says how
 * a rule is written.  A sweep goes through occurrences 1, 2, ... until the report says that
 * nothing was injected:
 *
 *	for ((n = 1; ; n++)); do
 *		inject --report r "pipe2=EMFILE@$n" -- typeclaw-init probe
 *		... judge what it did ...
 *		grep -q ' injected=0' r && break
 *	done
 *
 * With --spare the calls that a program of that name makes are neither counted nor failed.
 * FILE gets a line for each rule: `RULE seen=K injected=K`.  It ends as the command ends (128+N
 * for signal N), with 98 when the command took more than 60 s for a step and was killed, or 99
 * when it could not be run so.
 */
#include <fcntl.h>
#include <stdio.h>

#include "tests/helpers/injector.h"

#define STEP_MS 60000

static int usage(void)
{
	(void)fprintf(stderr, "usage: inject [--report FILE] [--spare PROGRAM] "
			      "CALL[/ARG&MASK]=ERRNO|KILL[@N[+]][,...] -- CMD [ARG...]\n");
	return 99;
}

static int run_child(const struct call_rules *rules, int socket_fd, char **argv)
{
	int r = injector_join(rules, socket_fd);

	if (r < 0) {
		(void)fprintf(stderr, "inject: install the filter: %s\n", strerror(-r));
		return 99;
	}
	(void)execvp(argv[0], argv);
	(void)fprintf(stderr, "inject: run %s: %s\n", argv[0], strerror(errno));
	return 99;
}

static void write_report(const char *path, const char *text, const struct call_rules *rules)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return;
	for (size_t i = 0; i < rules->n; i++) {
		(void)fprintf(file, "%.*s seen=%lu injected=%lu\n", (int)strcspn(text, ","), text,
			      rules->rule[i].seen, rules->rule[i].injected);
		text += strcspn(text, ",") + 1;
	}
	(void)fclose(file);
}

int main(int argc, char **argv)
{
	struct call_rules rules = {};
	const char *report = NULL, *spare = NULL;
	int status = 0, pair[2], r;
	pid_t child;

	for (; argc > 3 && strncmp(argv[1], "--", 2) == 0; argv += 2, argc -= 2) {
		if (strcmp(argv[1], "--report") == 0)
			report = argv[2];
		else if (strcmp(argv[1], "--spare") == 0)
			spare = argv[2];
		else
			return usage();
	}
	if (argc < 4 || strcmp(argv[2], "--") != 0 || !calls_parse(argv[1], &rules))
		return usage();
	rules.spare = spare;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 99;
	child = fork();
	if (child == 0)
		_exit(run_child(&rules, pair[1], argv + 3));
	(void)close(pair[1]);
	if (child < 0)
		return 99;
	r = injector_serve(&rules, pair[0], child, STEP_MS, &status);
	if (report)
		write_report(report, argv[1], &rules);
	if (r == -ETIMEDOUT)
		return 98;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
