/* stray: see stray.h. */
#include "probes/stray.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/file.h"
#include "init/own.h"
#include "init/text.h"
#include "probes/entries.h"

#define STAT_MAX 4096
#define CHILDREN_MAX 65536
#define PAUSE_MS 2    /* between two looks while a killed process is still being torn down */
#define LOOKS_MAX 500 /* one that the kernel cannot end must not hold init for ever */

/* Parent and session of a process, proc_pid_stat(5); its name may hold anything but is last ')'. */
static int process_family(int proc, const char *pid, pid_t *ret_parent, pid_t *ret_session)
{
	AUTO_FREE char *text = NULL;
	char path[32];
	const char *after;
	uint64_t parent, group, session;
	struct word state;
	int r;

	(void)snprintf(path, sizeof(path), "%s/stat", pid);
	r = file_slurp(proc, path, STAT_MAX, &text, NULL);
	if (r < 0)
		return r;
	after = strrchr(text, ')');
	after += after ? 1 : 0;
	if (!after || !word_next(&after, &state) ||
	    word_next_number(&after, 0, INT_MAX, &parent) < 0 ||
	    word_next_number(&after, 0, INT_MAX, &group) < 0 ||
	    word_next_number(&after, 0, INT_MAX, &session) < 0)
		return -EBADMSG;
	*ret_parent = (pid_t)parent;
	*ret_session = (pid_t)session;
	return 0;
}

/* Kills every child of ours, of one session or (0) of any; how many there were. */
static unsigned int kill_children_slowly(pid_t session)
{
	AUTO_ENTRIES struct entries processes = {};
	unsigned int n = 0;
	const char *name;

	if (entries_open(AT_FDCWD, "/proc", &processes) < 0)
		return 0;
	while ((name = entries_next(&processes)) != NULL) {
		int64_t pid = entry_number(name);
		pid_t parent;
		pid_t its_session;

		if (pid <= 0 ||
		    process_family(entries_fd(&processes), name, &parent, &its_session) < 0)
			continue;
		if (parent != getpid() || (session && its_session != session))
			continue;
		(void)kill((pid_t)pid, SIGKILL);
		n++;
	}
	return n;
}

/*
 * The same of all sessions by the kernel's own list (CONFIG_PROC_CHILDREN, proc_pid_task(5)).
 * It may miss one while another exits, but then that other one is there to be waited for, and
 * the caller looks again.
 */
static void kill_children(void)
{
	AUTO_FREE char *children = NULL;
	char path[64];
	char *rest;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	if (file_slurp(AT_FDCWD, path, CHILDREN_MAX, &children, NULL) < 0) {
		(void)kill_children_slowly(0);
		return;
	}
	rest = children;
	for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
		int64_t pid = entry_number(word);

		if (pid > 0)
			(void)kill((pid_t)pid, SIGKILL);
	}
}

static bool reap_all_known(const pid_t *known, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (known[i] > 0)
			(void)kill(known[i], SIGKILL);
	}
	for (size_t i = 0; i < n; i++) {
		while (known[i] > 0 && waitpid(known[i], NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	return waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD;
}

void stray_end_all(const pid_t *known, size_t n)
{
	if (reap_all_known(known, n))
		return;
	do {
		kill_children();
	} while (waitpid(-1, NULL, __WALL) >= 0 || errno == EINTR);
}

void stray_end_session(pid_t session)
{
	for (int look = 0; look < LOOKS_MAX && kill_children_slowly(session) > 0; look++) {
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		(void)poll(NULL, 0, PAUSE_MS);
	}
}
