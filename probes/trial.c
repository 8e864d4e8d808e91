/* trial: see trial.h. */
#include "probes/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"

#define MOUNT_FLAGS (MS_NOSUID | MS_NODEV)

/* Shared with the children: the step that is being taken, and how it failed. */
struct trial_page {
	volatile int step;
	volatile int error;
	volatile bool filter_killed;
};

/* A filter kills with SIGSYS, seccomp(2); other deaths are no word of the kernel's about us. */
static void page_kill(struct trial_page *page, int signal_number)
{
	page->filter_killed = signal_number == SIGSYS;
	page->error = page->filter_killed ? EPERM : EAGAIN;
}

struct chain {
	struct trial_page *page;
	enum sandbox_proc shape;
	enum sandbox_network network;
	uid_t uid;
	gid_t gid;
};

static void step_begin(const struct chain *chain, enum trial_step step)
{
	chain->page->step = (int)step;
}

/* Ends the child unless `result` is fine (libc's convention). */
static void step_need(const struct chain *chain, long result)
{
	if (result >= 0)
		return;
	chain->page->error = errno;
	_exit(1);
}

static void id_map_write(const struct chain *chain, const char *path, unsigned int id)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
	char map[32];
	int n = snprintf(map, sizeof(map), "%u %u 1\n", id, id);

	step_need(chain, fd);
	step_need(chain, write(fd, map, (size_t)n));
}

static void setgroups_deny(const struct chain *chain)
{
	AUTO_CLOSE int fd = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);

	step_need(chain, fd);
	step_need(chain, write(fd, "deny\n", 5));
}

static void try_maps(const struct chain *chain)
{
	step_begin(chain, TRIAL_UID_MAP);
	id_map_write(chain, "/proc/self/uid_map", chain->uid);
	setgroups_deny(chain);
	id_map_write(chain, "/proc/self/gid_map", chain->gid);
}

static void try_mounts(const struct chain *chain)
{
	step_begin(chain, TRIAL_MOUNT);
	step_need(chain, mount(NULL, "/", NULL, MS_SILENT | MS_REC | MS_SLAVE, NULL));
	step_need(chain, mount("tmpfs", "/tmp", "tmpfs", MOUNT_FLAGS, NULL));
	step_need(chain, chdir("/tmp"));
	step_need(chain, mkdir("newroot", 0755));
	step_need(chain, mount("newroot", "newroot", NULL,
			       MS_SILENT | MS_MGC_VAL | MS_BIND | MS_REC, NULL));
	step_need(chain, mkdir("oldroot", 0755));
	step_need(chain, mkdir("newroot/usr", 0755));
}

static void try_pivot_root(const struct chain *chain)
{
	step_begin(chain, TRIAL_PIVOT_ROOT);
	step_need(chain, syscall(SYS_pivot_root, "/tmp", "oldroot"));
	step_need(chain, chdir("/"));
	step_begin(chain, TRIAL_MOUNT);
	step_need(chain,
		  mount("oldroot/usr", "newroot/usr", NULL, MS_SILENT | MS_BIND | MS_REC, NULL));
	step_need(chain, mount("none", "newroot/usr", NULL,
			       MS_SILENT | MS_REMOUNT | MS_BIND | MS_RDONLY | MOUNT_FLAGS, NULL));
	step_need(chain, mount("oldroot", "oldroot", NULL, MS_SILENT | MS_REC | MS_PRIVATE, NULL));
}

static void try_umount(const struct chain *chain)
{
	step_begin(chain, TRIAL_UMOUNT);
	step_need(chain, umount2("oldroot", MNT_DETACH));
}

static void sandbox_chain(const struct chain *chain)
{
	try_maps(chain);
	try_mounts(chain);
	try_pivot_root(chain);
	try_umount(chain);
	if (chain->uid != 0) {
		step_begin(chain, TRIAL_SECOND_USERNS);
		step_need(chain, unshare(CLONE_NEWUSER));
	}
	_exit(0);
}

/* Runs `body` in a child with these namespaces, and ends as it did. */
static void in_child(const struct chain *chain, unsigned long flags,
		     void (*body)(const struct chain *))
{
	pid_t pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
	int status = 0;

	step_need(chain, pid);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		body(chain);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		page_kill(chain->page, WTERMSIG(status));
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static unsigned long sandbox_namespaces(const struct chain *chain)
{
	unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;

	if (access("/proc/self/ns/cgroup", F_OK) == 0)
		flags |= CLONE_NEWCGROUP;
	if (chain->shape != SANDBOX_PROC_REAL)
		flags |= CLONE_NEWPID;
	if (chain->network == SANDBOX_NETWORK_NONE)
		flags |= CLONE_NEWNET;
	return flags;
}

static void real_proc_chain(const struct chain *chain)
{
	step_begin(chain, TRIAL_MOUNT);
	step_need(chain, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	step_begin(chain, TRIAL_PROC_MOUNT);
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
		chain->page->error = errno;
		if (mount("tmpfs", "/proc", "tmpfs", MOUNT_FLAGS, NULL) == 0)
			step_begin(chain, TRIAL_PROC_MASKED);
		_exit(1);
	}
	step_begin(chain, TRIAL_USERNS);
	in_child(chain, sandbox_namespaces(chain), sandbox_chain);
}

static void trial_child(const struct chain *chain)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chain->shape == SANDBOX_PROC_REAL) {
		step_begin(chain, TRIAL_PROC_NS);
		in_child(chain, CLONE_NEWPID | CLONE_NEWNS, real_proc_chain);
	}
	step_begin(chain, TRIAL_USERNS);
	in_child(chain, sandbox_namespaces(chain), sandbox_chain);
}

static struct trial trial_collect(pid_t pid, struct trial_page *page)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return (struct trial){ .step = TRIAL_FORK, .error = errno };
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return (struct trial){};
	if (WIFSIGNALED(status))
		page_kill(page, WTERMSIG(status));
	return (struct trial){
		.step = (enum trial_step)page->step,
		.error = page->error,
		.killed = page->filter_killed,
	};
}

struct trial trial_run(enum sandbox_proc shape, enum sandbox_network network)
{
	struct trial_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct chain chain = {
		.page = page,
		.shape = shape,
		.network = network,
		.uid = geteuid(),
		.gid = getegid(),
	};
	struct trial trial = { .step = TRIAL_FORK };
	pid_t pid;

	if (page == MAP_FAILED) {
		trial.error = errno;
		return trial;
	}
	pid = fork();
	if (pid < 0)
		trial.error = errno;
	if (pid == 0)
		trial_child(&chain);
	if (pid > 0)
		trial = trial_collect(pid, page);
	(void)munmap(page, sizeof(*page));
	return trial;
}

static enum probe_cause step_cause(const struct trial *trial, const struct facts *facts)
{
	switch (trial->step) {
	case TRIAL_PROC_NS:
		return facts_capable(facts, FACT_CAP_SYS_ADMIN) ? CAUSE_USERNS_BLOCKED
								: CAUSE_NO_SYS_ADMIN;
	case TRIAL_PROC_MASKED:
		return CAUSE_MASKED_PROC;
	case TRIAL_USERNS:
	case TRIAL_SECOND_USERNS:
		return trial->error == ENOSPC || trial->error == EUSERS ? CAUSE_USERNS_LIMIT
									: CAUSE_USERNS_BLOCKED;
	case TRIAL_UID_MAP:
		return CAUSE_UID_MAP_BLOCKED;
	case TRIAL_PROC_MOUNT:
	case TRIAL_MOUNT:
		return CAUSE_MOUNT_BLOCKED;
	case TRIAL_PIVOT_ROOT:
		return CAUSE_PIVOT_ROOT_BLOCKED;
	case TRIAL_UMOUNT:
		return CAUSE_UMOUNT_BLOCKED;
	case TRIAL_FORK:
	case TRIAL_NONE:
		break;
	}
	return CAUSE_RESOURCE;
}

/* What waiting cannot change: the kernel refused the call as such. */
static bool is_refusal(const struct trial *trial, const struct facts *facts)
{
	switch (trial->error) {
	case EPERM:
	case EACCES:
	case ENOSYS:
	case EINVAL:
		return true;
	case ENOSPC:
	case EUSERS:
		return facts->max_user_namespaces_known && facts->max_user_namespaces == 0;
	default:
		return false;
	}
}

static bool is_shortage(int error)
{
	return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

struct trouble trial_judge(const struct trial *trial, const struct facts *facts)
{
	static const char *const whats[] = {
		[TRIAL_NONE] = "",
		[TRIAL_FORK] = "a child to try the sandbox's system calls could not be made",
		[TRIAL_PROC_NS] = "a new PID and mount namespace is refused",
		[TRIAL_PROC_MOUNT] = "mounting a fresh /proc is refused",
		[TRIAL_PROC_MASKED] = "mounting a fresh /proc is refused because ours is masked",
		[TRIAL_USERNS] = "a new user namespace is refused",
		[TRIAL_UID_MAP] = "setting up the user map is refused",
		[TRIAL_MOUNT] = "mounting in a new user namespace is refused",
		[TRIAL_PIVOT_ROOT] = "pivot_root in a new user namespace is refused",
		[TRIAL_UMOUNT] = "umount2 in a new user namespace is refused",
		[TRIAL_SECOND_USERNS] = "a second user namespace inside the first is refused",
	};
	struct trouble trouble = {};

	if (trial->step == TRIAL_NONE)
		return trouble;
	trouble.cause = is_shortage(trial->error) ? CAUSE_RESOURCE : step_cause(trial, facts);
	trouble.error = trial->error;
	trouble.final = is_refusal(trial, facts);
	trouble.refused = trouble.final;
	(void)snprintf(trouble.what, sizeof(trouble.what), "%s%s", whats[trial->step],
		       trial->killed ? " by a filter that kills" : "");
	return trouble;
}
