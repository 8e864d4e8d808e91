/*
 * refuse: runs a command for which system calls fail, without a debugger.
 *
 *	refuse openat2=ENOSYS,renameat2=EINVAL -- CMD [ARG...]
 *	refuse 'renameat2/4&2=EINVAL' -- CMD	only RENAME_EXCHANGE (bit 2 of argument 4)
 *
 * Every such call of the command and of all its children fails; calls.h says how a rule is
 * written.  To fail only the Nth occurrence, and to count, there is `inject`.  The filter is a
 * seccomp(2) filter: the command sees itself as filtered (and, without CAP_SYS_ADMIN, with
 * no_new_privs).  It ends as the command ends, or with 99 when it could not be run so.
 */
#include <stdio.h>

#include "tests/helpers/calls.h"

int main(int argc, char **argv)
{
	struct call_rules rules = {};
	int r;

	if (argc < 4 || strcmp(argv[2], "--") != 0 || !calls_parse(argv[1], &rules)) {
		(void)fprintf(stderr,
			      "usage: refuse CALL[/ARG&MASK]=ERRNO[,...] -- CMD [ARG...]\n");
		return 99;
	}
	for (size_t i = 0; i < rules.n; i++) {
		if (rules.rule[i].first == 0)
			continue;
		(void)fprintf(stderr, "refuse: occurrences are for inject\n");
		return 99;
	}
	r = calls_install(&rules, false, -1);
	if (r < 0) {
		(void)fprintf(stderr, "refuse: install the filter: %s\n", strerror(-r));
		return 99;
	}
	(void)execvp(argv[3], argv + 3);
	(void)fprintf(stderr, "refuse: run %s: %s\n", argv[3], strerror(errno));
	return 99;
}
