/* bwrap_version: see bwrap_version.h. */
#include "probes/bwrap_version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/descriptors.h"
#include "init/kernel.h"
#include "init/own.h"

#define DEADLINE_MS 1000
#define WORD "bubblewrap "

static _Noreturn void version_become(const char *path, int out)
{
	static char name[] = "bwrap";
	static char option[] = "--version";
	char *const argv[] = { name, option, NULL };
	char *const envp[] = { NULL };
	const uint64_t none = 0;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
		_exit(1);
	descriptors_close_except(NULL, 0);
	(void)kernel_sigprocmask(SIG_SETMASK, &none, NULL);
	(void)execve(path, argv, envp);
	_exit(1);
}

/* Reads up to the end, the deadline or a full buffer; the length, or -ETIMEDOUT, -errno. */
static ssize_t version_listen(int fd, char *said, size_t size)
{
	uint64_t deadline = kernel_now_ms() + DEADLINE_MS;
	size_t length = 0;

	while (length < size) {
		struct pollfd event = { .fd = fd, .events = POLLIN };
		uint64_t now = kernel_now_ms();
		ssize_t n;

		if (now >= deadline || poll(&event, 1, (int)(deadline - now)) == 0)
			return -ETIMEDOUT;
		n = read(fd, said + length, size - length);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			break;
		length += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)length;
}

static int version_parse(const char *said, char ret[BWRAP_VERSION_MAX])
{
	size_t length;

	if (strncmp(said, WORD, strlen(WORD)) != 0)
		return -EBADMSG;
	said += strlen(WORD);
	length = strspn(said, "0123456789.");
	if (length == 0 || length >= BWRAP_VERSION_MAX || (said[length] && said[length] != '\n'))
		return -EBADMSG;
	memcpy(ret, said, length);
	ret[length] = '\0';
	return 0;
}

int bwrap_version_read(const char *path, char ret[BWRAP_VERSION_MAX])
{
	AUTO_CLOSE int theirs = -1;
	AUTO_CLOSE int ours = -1;
	char said[64] = "";
	int ends[2];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	ours = ends[0];
	theirs = ends[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		version_become(path, theirs);
	fd_close(&theirs);
	n = version_listen(ours, said, sizeof(said) - 1);
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return n < 0 ? (int)n : version_parse(said, ret);
}
