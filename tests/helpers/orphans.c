/*
 * orphans: `orphans COUNT AT_ONCE` makes COUNT orphans, in batches that all end in one moment,
 * and waits until the reaper above has none of them left: "left N after MS ms" where N is how
 * many processes beside PID 1 and this one there are in /proc.  Exits 1 when some are left after
 * DEADLINE_MS.
 */
#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/kernel.h"

#define DEADLINE_MS 1000

/* Each orphan waits for the other end of the pipe to close. */
static void make_batch(long count)
{
	int gate[2];
	char byte;

	if (pipe(gate) < 0)
		exit(99);
	for (long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("orphans: fork");
			_exit(99);
		}
		if (pid == 0) {
			pid_t orphan = fork();

			if (orphan == 0) {
				(void)close(gate[1]);
				_exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
			}
			_exit(orphan < 0 ? 99 : 0);
		}
		(void)waitpid(pid, NULL, 0);
	}
	(void)close(gate[0]);
	(void)close(gate[1]);
}

static int others(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	while (proc && (entry = readdir(proc))) {
		long pid = isdigit((unsigned char)entry->d_name[0])
				   ? strtol(entry->d_name, NULL, 10)
				   : 0;

		n += pid > 1 && pid != getpid();
	}
	if (proc)
		(void)closedir(proc);
	return n;
}

int main(int argc, char *argv[])
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 500;
	long at_once = argc > 2 ? strtol(argv[2], NULL, 10) : 100;
	uint64_t start;
	int left;

	for (long made = 0; made < count; made += at_once)
		make_batch(at_once < count - made ? at_once : count - made);
	start = kernel_now_ms();
	while ((left = others()) > 0 && kernel_now_ms() - start < DEADLINE_MS)
		(void)poll(NULL, 0, 2);
	printf("left %d after %llu ms\n", left, (unsigned long long)(kernel_now_ms() - start));
	return left > 0;
}
