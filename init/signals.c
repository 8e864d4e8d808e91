/* signals: see signals.h. */
#include "init/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"

static const struct {
	const char *name;
	int number;
} signal_names[] = {
	{ "HUP", SIGHUP },
	{ "INT", SIGINT },
	{ "QUIT", SIGQUIT },
	{ "ILL", SIGILL },
	{ "TRAP", SIGTRAP },
	{ "ABRT", SIGABRT },
	{ "BUS", SIGBUS },
	{ "FPE", SIGFPE },
	{ "KILL", SIGKILL },
	{ "USR1", SIGUSR1 },
	{ "SEGV", SIGSEGV },
	{ "USR2", SIGUSR2 },
	{ "PIPE", SIGPIPE },
	{ "ALRM", SIGALRM },
	{ "TERM", SIGTERM },
	{ "STKFLT", SIGSTKFLT },
	{ "CHLD", SIGCHLD },
	{ "CONT", SIGCONT },
	{ "STOP", SIGSTOP },
	{ "TSTP", SIGTSTP },
	{ "TTIN", SIGTTIN },
	{ "TTOU", SIGTTOU },
	{ "URG", SIGURG },
	{ "XCPU", SIGXCPU },
	{ "XFSZ", SIGXFSZ },
	{ "VTALRM", SIGVTALRM },
	{ "PROF", SIGPROF },
	{ "WINCH", SIGWINCH },
	{ "IO", SIGIO },
	{ "PWR", SIGPWR },
	{ "SYS", SIGSYS },
	{ "RTMIN", SIGNAL_RTMIN },
	{ "RTMAX", SIGNAL_RTMAX },
	/* other names of the same; the first one of a number is the one that is shown */
	{ "IOT", SIGABRT },
	{ "POLL", SIGIO },
	{ "CLD", SIGCHLD },
};

/* What follows RTMIN or RTMAX: nothing, or an offset that stays within the two. */
static int signal_parse_offset(const char *text, int base)
{
	uint64_t offset;

	if (*text == '\0')
		return base;
	if (*text != (base == SIGNAL_RTMIN ? '+' : '-'))
		return -EINVAL;
	if (number_parse(text + 1, 0, SIGNAL_RTMAX - SIGNAL_RTMIN, &offset) < 0)
		return -EINVAL;
	return base == SIGNAL_RTMIN ? base + (int)offset : base - (int)offset;
}

int signal_parse(const char *text)
{
	uint64_t number;

	if (number_parse(text, 1, KERNEL_SIGNALS, &number) == 0)
		return (int)number;
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	if (strncasecmp(text, "RTMIN", 5) == 0)
		return signal_parse_offset(text + 5, SIGNAL_RTMIN);
	if (strncasecmp(text, "RTMAX", 5) == 0)
		return signal_parse_offset(text + 5, SIGNAL_RTMAX);
	for (size_t i = 0; i < ARRAY_SIZE(signal_names); i++) {
		if (strcasecmp(text, signal_names[i].name) == 0)
			return signal_names[i].number;
	}
	return -EINVAL;
}

void signal_name(int signal_number, char ret[SIGNAL_NAME_MAX])
{
	for (size_t i = 0; i < ARRAY_SIZE(signal_names); i++) {
		if (signal_names[i].number == signal_number) {
			(void)snprintf(ret, SIGNAL_NAME_MAX, "SIG%s", signal_names[i].name);
			return;
		}
	}
	if (signal_number > SIGNAL_RTMIN && signal_number < SIGNAL_RTMAX)
		(void)snprintf(ret, SIGNAL_NAME_MAX, "SIGRTMIN+%d", signal_number - SIGNAL_RTMIN);
	else
		(void)snprintf(ret, SIGNAL_NAME_MAX, "signal %d", signal_number);
}

bool signal_is_forwardable(int signal_number)
{
	return signal_number != SIGKILL && signal_number != SIGSTOP && signal_number != SIGCHLD;
}
