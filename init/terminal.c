/* terminal: see terminal.h. */
#include "init/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "init/own.h"

/* TIOCGPGRP fails with ENOTTY on a terminal that is not the caller's, ioctl_tty(2). */
pid_t terminal_foreground(int terminal)
{
	pid_t group = 0;

	if (ioctl(terminal, TIOCGPGRP, &group) < 0)
		return -errno;
	return group;
}

/*
 * In a PID namespace whose creator made no new session both groups read as 0, ours and the
 * foreground's, and may still be two.  Then a read tells: with SIGTTIN blocked the kernel answers
 * a background group with EIO, tty_ioctl(4), before it looks for data or for other readers.
 */
static bool terminal_read_allowed(void)
{
	AUTO_CLOSE int fd = open("/dev/tty", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char nothing;

	return fd >= 0 && (read(fd, &nothing, 0) == 0 || errno == EAGAIN);
}

int terminal_find(bool *ret_held)
{
	for (int fd = 0; fd <= 2; fd++) {
		pid_t group = terminal_foreground(fd);

		if (group < 0)
			continue;
		*ret_held = group == getpgrp() && (group > 0 || terminal_read_allowed());
		return fd;
	}
	*ret_held = false;
	return -1;
}

int terminal_give(int terminal, pid_t group)
{
	return ioctl(terminal, TIOCSPGRP, &group) < 0 ? -errno : 0;
}
