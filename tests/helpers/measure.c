/*
 * measure: `measure COMMAND...` runs it once, quietly, and prints the microseconds of its whole
 * life, from before the fork to after the wait.  Exits 1 when the command did not exit with 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char *argv[])
{
	int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	double start = now_us();
	int status = -1;
	pid_t pid = argc > 1 ? fork() : -1;

	if (pid == 0) {
		(void)dup2(null_fd, STDOUT_FILENO);
		(void)dup2(null_fd, STDERR_FILENO);
		(void)execvp(argv[1], argv + 1);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	printf("%.1f\n", now_us() - start);
	return status == 0 ? 0 : 1;
}
