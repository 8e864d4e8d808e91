/*
 * sabotage: `sabotage PID` makes a waiting process execute an invalid instruction as soon as its
 * system call returns: a real fault, as a bug of its own would be.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
static const unsigned char invalid[] = { 0x0f, 0x0b }; /* ud2 */
#else
static const unsigned char invalid[] = { 0, 0, 0, 0 }; /* udf #0 */
#endif

static int open_of(const char *pid, const char *name, int flags)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	return open(path, flags | O_CLOEXEC);
}

int main(int argc, char *argv[])
{
	char text[512] = "";
	const char *last;
	int fd;

	if (argc != 2)
		return 99;
	fd = open_of(argv[1], "syscall", O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 99;
	last = strrchr(text, ' '); /* the program counter, proc(5) */
	if (!last)
		return 99;
	fd = open_of(argv[1], "mem", O_WRONLY);
	return pwrite(fd, invalid, sizeof(invalid), (off_t)strtoull(last, NULL, 16)) !=
	       (ssize_t)sizeof(invalid);
}
