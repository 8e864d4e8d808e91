/*
 * sigsend: `sigsend PID SIGNAL[=VALUE][xCOUNT]...` sends signals, with a value by
 * rt_sigqueueinfo(2).  Knows 32 and 33, which kill(1) and glibc do not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/signals.h"

static int send_one(pid_t pid, int number, const char *value)
{
	siginfo_t info = { .si_signo = number, .si_code = SI_QUEUE };

	if (!value)
		return kill(pid, number);
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = (int)strtol(value, NULL, 10);
	return kernel_sigqueueinfo(pid, number, &info);
}

int main(int argc, char *argv[])
{
	for (int i = 2; i < argc; i++) {
		char *times = strrchr(argv[i], 'x');
		long count = times ? strtol(times + 1, NULL, 10) : 1;
		char *value;
		int number;

		if (times)
			*times = '\0';
		value = strchr(argv[i], '=');
		if (value)
			*value++ = '\0';
		number = signal_parse(argv[i]);
		while (number > 0 && count-- > 0) {
			if (send_one((pid_t)strtol(argv[1], NULL, 10), number, value) < 0) {
				perror("sigsend");
				return 1;
			}
		}
		if (number < 0)
			return 99;
	}
	return 0;
}
