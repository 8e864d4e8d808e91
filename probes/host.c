/* host: see host.h.  Here the reading; what a text means is in host_parse.c. */
#include "probes/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"

#define HOST_FILE_MAX 1048576
#define ENVIRON_MAX ((off_t)1 << 21) /* as much as a kernel takes, execve(2) */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define LANDLOCK_VERSION 1U

/* Reads a file; NULL where it is not to be had.  *oom is set when memory was the reason. */
static char *host_slurp(int root, const char *path, bool *oom)
{
	char *text = NULL;
	int r = file_slurp(root, path, HOST_FILE_MAX, &text, NULL);

	*oom |= r == -ENOMEM;
	return r < 0 ? NULL : text;
}

static bool host_has(int root, const char *path)
{
	struct stat status;

	return fstatat(root, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static void host_escape_line(const char *text, char *ret, size_t size)
{
	AUTO_TEXT struct text t = {};

	text_escape(&t, text, strcspn(text, "\n"));
	(void)snprintf(ret, size, "%s", text_error(&t) ? "?" : t.data);
}

/* The first file of the two that holds a number; "max" of a cgroup is no number. */
static void read_numbers(int root, struct host_facts *host, bool *oom)
{
	static const char *const paths[HOST_NUMBERS][2] = {
		[HOST_APPARMOR_USERNS] = { "proc/sys/kernel/"
					   "apparmor_restrict_unprivileged_userns" },
		[HOST_USERNS_CLONE] = { "proc/sys/kernel/unprivileged_userns_clone" },
		[HOST_YAMA] = { "proc/sys/kernel/yama/ptrace_scope" },
		[HOST_PIDS_MAX] = { "sys/fs/cgroup/pids.max", "sys/fs/cgroup/pids/pids.max" },
		[HOST_PIDS_CURRENT] = { "sys/fs/cgroup/pids.current",
					"sys/fs/cgroup/pids/pids.current" },
		[HOST_LANDLOCK] = { "snapshot/landlock_abi" },
	};

	for (size_t i = 0; i < HOST_NUMBERS; i++) {
		for (size_t j = 0; j < 2 && paths[i][j] && !host->numbers[i].known; j++) {
			AUTO_FREE char *text = host_slurp(root, paths[i][j], oom);
			struct host_value *number = &host->numbers[i];

			if (!text)
				continue;
			text[strcspn(text, "\n")] = '\0';
			number->known = number_parse(text, 0, UINT64_MAX, &number->value) == 0;
		}
	}
}

/* landlock(7): -EOPNOTSUPP where it is built in and switched off; -ENOSYS, -EPERM: no word. */
static struct host_value ask_landlock(void)
{
	long r = KERNEL_CALL(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);

	if (r == -EOPNOTSUPP)
		return (struct host_value){ .known = true };
	return (struct host_value){ .known = r > 0, .value = r > 0 ? (uint64_t)r : 0 };
}

/* gVisor's kernel calls itself 4.4.0 and has no /proc/sys/user; newer ones say their name. */
static void read_kernel(int root, struct host_facts *host, bool *oom)
{
	AUTO_FREE char *release = host_slurp(root, "proc/sys/kernel/osrelease", oom);
	AUTO_FREE char *version = host_slurp(root, "proc/version", oom);

	if (release)
		host_escape_line(release, host->kernel, sizeof(host->kernel));
	host->orbstack = strcasestr(host->kernel, "orbstack");
	host->gvisor = (version && strcasestr(version, "gvisor")) ||
		       strcasestr(host->kernel, "gvisor") ||
		       (strcmp(host->kernel, "4.4.0") == 0 && !host_has(root, "proc/sys/user"));
}

static void read_identity(int root, struct host_facts *host, bool *oom)
{
	AUTO_FREE char *uids = host_slurp(root, "proc/self/uid_map", oom);
	AUTO_FREE char *gids = host_slurp(root, "proc/self/gid_map", oom);
	AUTO_FREE char *label = host_slurp(root, "proc/self/attr/current", oom);
	AUTO_FREE char *groups = host_slurp(root, "proc/self/cgroup", oom);

	if (uids)
		(void)host_parse_id_map(uids, &host->uid_map);
	if (gids)
		(void)host_parse_id_map(gids, &host->gid_map);
	if (label)
		host_parse_label(label, host);
	else if (host_has(root, "proc/self/status"))
		host->lsm = LSM_NONE; /* EINVAL or ENOENT: no module speaks */
	if (groups)
		host->cgroup_version = strncmp(groups, "0::", strlen("0::")) == 0 ? 2 : 1;
}

static void read_mounts(int root, const char *agent_dir, struct host_facts *host, bool *oom)
{
	AUTO_FREE char *text = host_slurp(root, "proc/self/mountinfo", oom);

	/* What stands before a line that is none is still true. */
	if (text)
		(void)host_parse_mountinfo(text, agent_dir, host);
}

/* Marks that engines leave, where the root's mount did not tell already. */
static void read_engine(int root, struct host_facts *host, bool *oom)
{
	AUTO_FREE char *hosts = host_slurp(root, "etc/hosts", oom);
	AUTO_FREE char *second = host_slurp(root, "proc/2/comm", oom);
	static const char managed[] = "# Kubernetes-managed hosts file";

	host->kubernetes = (hosts && strncmp(hosts, managed, sizeof(managed) - 1) == 0) ||
			   host_has(root, "run/secrets/kubernetes.io") ||
			   host_has(root, "var/run/secrets/kubernetes.io");
	if (host_has(root, ".dockerenv"))
		host->engine = ENGINE_DOCKER;
	else if (host_has(root, "run/.containerenv"))
		host->engine = ENGINE_PODMAN;
	if (host->kubernetes && host->engine == ENGINE_PODMAN)
		host->engine = ENGINE_CRIO; /* it shares podman's storage and its mark */
	if (host->engine == ENGINE_UNKNOWN && strstr(host->lsm_label, "cri-containerd"))
		host->engine = ENGINE_CONTAINERD;
	host->host_pids = second && strcmp(second, "kthreadd\n") == 0;
	if (host->engine == ENGINE_UNKNOWN && host->host_pids)
		host->engine = ENGINE_NONE;
}

static enum host_environ read_environ(int root)
{
	AUTO_CLOSE int fd = openat(root, "proc/1/environ", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	enum host_environ result = ENVIRON_EMPTY;
	char block[4096];
	off_t offset = 0;
	ssize_t n;

	if (fd < 0)
		return errno == EACCES || errno == EPERM ? ENVIRON_CLOSED : ENVIRON_UNKNOWN;
	while (result == ENVIRON_EMPTY && offset < ENVIRON_MAX &&
	       (n = pread(fd, block, sizeof(block), offset)) != 0) {
		if (n < 0)
			return errno == EACCES || errno == EPERM ? ENVIRON_CLOSED : ENVIRON_UNKNOWN;
		for (ssize_t i = 0; i < n; i++)
			if (block[i])
				result = ENVIRON_OPEN;
		offset += n;
	}
	explicit_bzero(block, sizeof(block));
	return result;
}

/* Field 7 of proc_pid_stat(5), tty_nr, counted from behind the name. */
static bool stat_has_tty(const char *stat)
{
	const char *field = strrchr(stat, ')');

	for (int number = 2; field && number < 7; number++)
		field = strchr(field + 1, ' ');
	return field && strncmp(field, " 0 ", strlen(" 0 ")) != 0;
}

static void read_init(int root, struct host_facts *host, bool *oom)
{
	AUTO_FREE char *name = host_slurp(root, "proc/1/comm", oom);
	AUTO_FREE char *stat = host_slurp(root, "proc/1/stat", oom);

	if (name)
		host_escape_line(name, host->init_name, sizeof(host->init_name));
	host->init_has_tty = stat && stat_has_tty(stat);
	host->init_environ = read_environ(root);
}

static void read_agent(int root, const char *agent_dir, struct host_agent *agent)
{
	struct stat status;
	int r;

	agent_dir += strspn(agent_dir, "/");
	r = fstatat(root, *agent_dir ? agent_dir : ".", &status, 0);
	agent->looked = r == 0 || errno == ENOENT || errno == ENOTDIR;
	if (r < 0)
		return;
	agent->directory = S_ISDIR(status.st_mode);
	agent->uid = status.st_uid;
	agent->gid = status.st_gid;
	agent->mode = status.st_mode & 07777;
}

int host_read(int root, bool live, const char *agent_dir, struct host_facts *ret, struct fault *f)
{
	struct host_facts host = {};
	bool oom = false;

	read_numbers(root, &host, &oom);
	if (live)
		host.numbers[HOST_LANDLOCK] = ask_landlock();
	read_kernel(root, &host, &oom);
	read_identity(root, &host, &oom);
	read_mounts(root, agent_dir, &host, &oom);
	read_engine(root, &host, &oom);
	read_init(root, &host, &oom);
	read_agent(root, agent_dir, &host.agent);
	if (oom)
		return fault_set(f, -ENOMEM, "read the facts of the host");
	*ret = host;
	return 0;
}
