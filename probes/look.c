/* look: see look.h. */
#include "probes/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/file.h"
#include "init/own.h"
#include "init/text.h"
#include "probes/capabilities.h"
#include "probes/status.h"

#define MOUNTINFO_MAX ((size_t)4 << 20)
#define LOOK_FILE_MAX ((size_t)1 << 20)

/* 1 the namespace differs from ours, 0 it is the same one, or -errno. */
static int namespace_differs(int process, const char *name)
{
	struct stat theirs;
	struct stat ours;
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	if (stat(path, &ours) < 0)
		return -errno;
	if (fstatat(process, path + strlen("/proc/self/"), &theirs, 0) < 0)
		return -errno;
	return ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
}

static void look_at_namespace(int process, const char *name, enum check check,
			      struct check_result *checks)
{
	int r = namespace_differs(process, name);

	if (checks[check].state == CHECK_BAD)
		return;
	if (r <= 0)
		check_set(checks, check, r == 0 ? CHECK_BAD : CHECK_DOUBT, r, "%s", name);
	else if (checks[check].state != CHECK_DOUBT)
		check_set(checks, check, CHECK_OK, 0, "%s", "");
}

static void look_at_namespaces(int process, enum sandbox_network network,
			       struct check_result *checks)
{
	look_at_namespace(process, "user", CHECK_USER_NAMESPACE, checks);
	look_at_namespace(process, "pid", CHECK_PID_NAMESPACE, checks);
	look_at_namespace(process, "mnt", CHECK_MOUNT_NAMESPACE, checks);
	look_at_namespace(process, "ipc", CHECK_OTHER_NAMESPACES, checks);
	look_at_namespace(process, "uts", CHECK_OTHER_NAMESPACES, checks);
	/* --unshare-cgroup-try: kernels before 4.6 have none, cgroup_namespaces(7). */
	if (access("/proc/self/ns/cgroup", F_OK) == 0 || errno != ENOENT)
		look_at_namespace(process, "cgroup", CHECK_OTHER_NAMESPACES, checks);
	if (network == SANDBOX_NETWORK_NONE)
		look_at_namespace(process, "net", CHECK_OTHER_NAMESPACES, checks);
}

/*
 * None in use and none to be had: a bounding set gives nothing back to who has no_new_privs,
 * capabilities(7), and bwrap sets that before anything else.
 */
static void look_at_capabilities(int process, struct check_result *checks)
{
	AUTO_FREE char *status = NULL;
	struct capability_sets sets;
	uint64_t no_new_privs = 0;
	int r = file_slurp(process, "status", LOOK_FILE_MAX, &status, NULL);

	if (r == 0)
		r = capabilities_parse(status, &sets);
	if (r == 0)
		r = status_number(status, "NoNewPrivs", 0, 10, &no_new_privs);
	if (r < 0)
		check_set(checks, CHECK_CAPABILITIES, CHECK_DOUBT, r, "status");
	else if (sets.effective | sets.permitted | sets.inheritable | sets.ambient)
		check_set(checks, CHECK_CAPABILITIES, CHECK_BAD, 0,
			  "effective %llx, permitted %llx", (unsigned long long)sets.effective,
			  (unsigned long long)sets.permitted);
	else if (sets.bounding && no_new_privs != 1)
		check_set(checks, CHECK_CAPABILITIES, CHECK_BAD, 0, "to be had again: %llx",
			  (unsigned long long)sets.bounding);
	else
		check_set(checks, CHECK_CAPABILITIES, CHECK_OK, 0, "%s", "");
}

/* One line, one id: `INSIDE OUTSIDE 1` with OUTSIDE our own, user_namespaces(7). */
static void look_at_uid_map(int process, struct check_result *checks)
{
	AUTO_FREE char *map = NULL;
	uint64_t inside, outside, count;
	int r = file_slurp(process, "uid_map", LOOK_FILE_MAX, &map, NULL);
	const char *cursor = map;

	if (r < 0)
		check_set(checks, CHECK_UID_MAP, CHECK_DOUBT, r, "%s", "");
	else if (word_next_number(&cursor, 0, UINT32_MAX, &inside) < 0 ||
		 word_next_number(&cursor, geteuid(), geteuid(), &outside) < 0 ||
		 word_next_number(&cursor, 1, 1, &count) < 0 || strcmp(cursor, "\n") != 0)
		check_set(checks, CHECK_UID_MAP, CHECK_BAD, 0, "%s", "");
	else
		check_set(checks, CHECK_UID_MAP, CHECK_OK, 0, "%s", "");
}

/* Fields of a line of mountinfo, proc(5), counted from 0. */
enum { MOUNT_ROOT = 3, MOUNT_POINT = 4 };

/* bwrap's root is the directory newroot of a tmpfs of its own. */
bool look_root_is_bwraps(const char *mountinfo)
{
	for (const char *line = mountinfo; line && *line; line = strchr(line, '\n')) {
		const char *cursor = line += *line == '\n';
		struct word words[MOUNT_POINT + 1];
		size_t n = 0;
		const char *type;

		while (n < ARRAY_SIZE(words) && word_next(&cursor, &words[n]))
			n++;
		if (n < ARRAY_SIZE(words) || !word_is(&words[MOUNT_POINT], "/"))
			continue;
		type = memmem(line, strcspn(line, "\n"), " - ", 3);
		return type && strncmp(type, " - tmpfs ", 9) == 0 &&
		       word_is(&words[MOUNT_ROOT], "/newroot");
	}
	return false;
}

static void look_at_root(int process, struct check_result *checks)
{
	AUTO_FREE char *mountinfo = NULL;
	struct stat theirs;
	struct stat ours;
	int r = file_slurp(process, "mountinfo", MOUNTINFO_MAX, &mountinfo, NULL);

	if (r == 0 && (stat("/", &ours) < 0 || fstatat(process, "root", &theirs, 0) < 0))
		r = -errno;
	if (r < 0)
		check_set(checks, CHECK_ROOT, CHECK_DOUBT, r, "%s", "");
	else if (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		check_set(checks, CHECK_ROOT, CHECK_BAD, 0, "it is our own");
	else if (!look_root_is_bwraps(mountinfo))
		check_set(checks, CHECK_ROOT, CHECK_BAD, 0, "%s", "");
	else
		check_set(checks, CHECK_ROOT, CHECK_OK, 0, "%s", "");
}

void look_outside(pid_t prober, enum sandbox_network network, struct check_result *checks)
{
	AUTO_CLOSE int process = -1;
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%d", prober);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0) {
		check_set(checks, CHECK_PROBER, CHECK_DOUBT, errno, "%s", path);
		return;
	}
	look_at_namespaces(process, network, checks);
	look_at_capabilities(process, checks);
	look_at_uid_map(process, checks);
	look_at_root(process, checks);
}

bool look_hides_pids(const char *mountinfo)
{
	bool hides = false;

	for (const char *line = mountinfo; line && *line; line = strchr(line, '\n')) {
		struct word point = {};
		const char *cursor;
		unsigned int n = 0;
		size_t length;

		line += *line == '\n';
		length = strcspn(line, "\n");
		cursor = line;
		/* proc_pid_mountinfo(5): the mount point is the fifth word */
		while (n < 5 && word_next(&cursor, &point))
			n++;
		if (n == 5 && word_is(&point, "/proc"))
			hides = memmem(line, length, "hidepid=", strlen("hidepid=")) != NULL;
	}
	return hides;
}

int look_pids_hidden(void)
{
	AUTO_FREE char *mountinfo = NULL;
	int r = file_slurp(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &mountinfo, NULL);

	return r < 0 ? r : look_hides_pids(mountinfo);
}
