/* settle: see settle.h. */
#include "init/settle.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void settle(const struct inherited *inherited, int terminal)
{
	inherited_close(inherited);
	for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
		if (fd != terminal)
			(void)close(fd);
	}
	if (chdir("/") < 0) {
		/* an unsearchable root keeps the old one busy, and harms nothing else */
	}
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (inherited->environment)
		explicit_bzero(inherited->environment, inherited->environment_length);
}
