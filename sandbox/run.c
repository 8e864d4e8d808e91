/*
 * run: a sandbox command started and waited for.  bwrap gets an empty environment (its reaper
 * shows what it was exec'ed with to the tool, bubblewrap issue 725), its options through a
 * memfd, and no descriptor but the ones it needs.  There is no other way to run the tool.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "init/descriptors.h"
#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "sandbox/procns.h"
#include "sandbox/self.h"

#define MOUNTINFO_MAX ((size_t)4 << 20)
#define KEEP_MAX 1024
#define REST_MS 2000    /* for what was killed to be gone */
#define STATUS_OURS 125 /* as docker run: the sandbox failed, not the tool */

/* What the child needs, made ready before the fork: it must not allocate. */
struct plan {
	const struct sandbox_command *command;
	char **argv; /* bwrap --args N -- TOOL...; the array is owned */
	char args_number[12];
	int args_fd;
	int failure_fd; /* the child's end; hangs up when our parent is gone */
	int *keep;      /* owned; room for four more */
	size_t n_keep;
	struct procns_masks masks;
};

static void plan_clear(struct plan *plan)
{
	free(plan->argv);
	free(plan->keep);
	fd_close(&plan->args_fd);
	fd_close(&plan->failure_fd);
	procns_masks_clear(&plan->masks);
}

#define AUTO_PLAN __attribute__((cleanup(plan_clear)))

const char *sandbox_step_name(enum sandbox_step step)
{
	static const char *const names[] = {
		[SANDBOX_STEP_NONE] = "start bwrap",
		[SANDBOX_STEP_FORK] = "make the namespaces of real-proc",
		[SANDBOX_STEP_PRIVATE] = "make the mounts private",
		[SANDBOX_STEP_PROC] = "mount a fresh /proc",
		[SANDBOX_STEP_MASK] = "mask the entries of /proc again",
		[SANDBOX_STEP_DESCRIPTORS] = "pass the descriptors on",
		[SANDBOX_STEP_EXEC] = "exec bwrap",
		[SANDBOX_STEP_LIMITS] = "set the resource limits",
	};

	return names[step];
}

static int options_memfd(const struct sandbox_command *command, int *ret_fd, struct fault *f)
{
	AUTO_TEXT struct text options = {};
	AUTO_CLOSE int fd = -1;
	int r = sandbox_options_write(command, &options, f);

	if (r < 0)
		return r;
	fd = memfd_create("bwrap-options", MFD_CLOEXEC);
	if (fd < 0)
		return fault_set(f, -errno, "make a memory file for bwrap's options");
	r = file_write_all(fd, options.data, options.length);
	if (r < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return fault_set(f, r < 0 ? r : -errno, "write bwrap's options");
	*ret_fd = fd_take(&fd);
	return 0;
}

static bool mount_has_fd(const struct sandbox_mount *mount)
{
	return mount->kind == SANDBOX_MOUNT_RO_FD || mount->kind == SANDBOX_MOUNT_RO_BIND_FD ||
	       mount->kind == SANDBOX_MOUNT_BIND_FD || mount->kind == SANDBOX_MOUNT_EMPTY_FILE;
}

/* The descriptors that bwrap and the tool are given; the rest is closed. */
static int plan_keep(struct plan *plan, struct fault *f)
{
	const struct sandbox_command *command = plan->command;
	size_t most = command->n_keep_fds + command->n_mounts + 3;

	if (most > KEEP_MAX)
		return fault_say(f, -E2BIG, "more than %d mounts for one sandbox", KEEP_MAX);
	plan->keep = calloc(most + 4, sizeof(*plan->keep));
	if (!plan->keep)
		return fault_set(f, -ENOMEM, "list the sandbox's descriptors");
	plan->keep[plan->n_keep++] = plan->args_fd;
	if (command->status_fd)
		plan->keep[plan->n_keep++] = command->status_fd;
	if (command->seccomp_fd)
		plan->keep[plan->n_keep++] = command->seccomp_fd;
	for (size_t i = 0; i < command->n_keep_fds; i++)
		plan->keep[plan->n_keep++] = command->keep_fds[i];
	for (size_t i = 0; i < command->n_mounts; i++) {
		if (mount_has_fd(&command->mounts[i]))
			plan->keep[plan->n_keep++] = command->mounts[i].fd;
	}
	/* bwrap reads the program from where the offset stands. */
	if (command->seccomp_fd && lseek(command->seccomp_fd, 0, SEEK_SET) < 0)
		return fault_set(f, -errno, "rewind the seccomp program");
	return 0;
}

static int plan_argv(struct plan *plan, struct fault *f)
{
	char *const *tool = plan->command->argv;
	size_t n = 0;

	while (tool[n])
		n++;
	plan->argv = calloc(n + 5, sizeof(*plan->argv));
	if (!plan->argv)
		return fault_set(f, -ENOMEM, "make bwrap's command line");
	(void)snprintf(plan->args_number, sizeof(plan->args_number), "%d", plan->args_fd);
	plan->argv[0] = (char *)plan->command->bwrap;
	plan->argv[1] = (char *)"--args";
	plan->argv[2] = plan->args_number;
	plan->argv[3] = (char *)"--";
	memcpy(plan->argv + 4, tool, n * sizeof(*tool));
	return 0;
}

static int plan_masks(struct plan *plan, struct fault *f)
{
	AUTO_FREE char *mountinfo = NULL;
	int r = file_slurp(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &mountinfo, NULL);

	if (r == 0)
		r = procns_masks_parse(mountinfo, &plan->masks);
	return r < 0 ? fault_set(f, r, "read what is masked in /proc") : 0;
}

static int plan_make(struct plan *plan, struct fault *f)
{
	int r = options_memfd(plan->command, &plan->args_fd, f);

	if (r == 0)
		r = plan_keep(plan, f);
	if (r == 0)
		r = plan_argv(plan, f);
	if (r == 0 && plan->command->proc == SANDBOX_PROC_REAL)
		r = plan_masks(plan, f);
	return r;
}

static void child_fail(const struct plan *plan, enum sandbox_step step, int error)
{
	struct sandbox_failure failure = { .step = step, .error = -error };

	(void)file_write_all(plan->failure_fd, &failure, sizeof(failure));
	_exit(STATUS_OURS);
}

/* Dies with the parent, also when it was gone before the kernel knew our wish. */
static void child_leash(const struct plan *plan)
{
	struct pollfd leash = { .fd = plan->failure_fd, .events = POLLIN };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || poll(&leash, 1, 0) != 0)
		_exit(STATUS_OURS);
}

static int stdio_place(const int *stdio)
{
	for (int i = 0; stdio && i < 3; i++) {
		if (stdio[i] == i) {
			if (descriptor_pass_on(i) < 0)
				return -errno;
		} else if (dup2(stdio[i], i) < 0) {
			return -errno;
		}
	}
	return 0;
}

static int limits_set(const struct sandbox_command *command)
{
	for (size_t i = 0; i < command->n_limits; i++) {
		const struct rlimit limit = { command->limits[i].value, command->limits[i].value };

		if (setrlimit((__rlimit_resource_t)command->limits[i].resource, &limit) < 0)
			return -errno;
	}
	return 0;
}

/*
 * A session keyring is inherited over fork and exec, whatever the namespaces: the tool gets a new
 * and empty one, keyctl(2).  Where the call is refused (seccomp) the tool cannot use it either.
 */
static void keyring_leave(void)
{
	(void)syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, NULL);
}

static void bwrap_exec(const struct plan *plan)
{
	static char *const nothing[] = { NULL };
	int r = limits_set(plan->command);

	if (r < 0)
		child_fail(plan, SANDBOX_STEP_LIMITS, r);
	keyring_leave();
	for (size_t i = 0; r == 0 && i < plan->n_keep; i++)
		r = descriptor_pass_on(plan->keep[i]);
	if (r == 0)
		r = stdio_place(plan->command->stdio);
	if (r == 0)
		r = kernel_sigprocmask(SIG_SETMASK, &plan->command->signal_mask, NULL);
	if (r < 0)
		child_fail(plan, SANDBOX_STEP_DESCRIPTORS, r);
	(void)execve(plan->command->bwrap, plan->argv, nothing);
	child_fail(plan, SANDBOX_STEP_EXEC, -errno);
}

/* Everything else goes: this process may live on beside the tool without an exec. */
static void child_close(const struct plan *plan)
{
	size_t n = plan->n_keep;

	for (int i = 0; plan->command->stdio && i < 3; i++)
		plan->keep[n++] = plan->command->stdio[i];
	plan->keep[n++] = plan->failure_fd;
	descriptors_close_except(plan->keep, n);
}

static int status_of(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* The next signal of `awaited`; -EAGAIN when `deadline_ms` has come (0: it never does). */
static int signal_next(uint64_t awaited, uint64_t deadline_ms)
{
	uint64_t now_ms = deadline_ms ? kernel_now_ms() : 0;
	uint64_t left_ms = deadline_ms > now_ms ? deadline_ms - now_ms : 0;
	const struct timespec left = { (time_t)(left_ms / 1000), (long)(left_ms % 1000) * 1000000 };

	return kernel_sigtimedwait(awaited, NULL, deadline_ms ? &left : NULL);
}

/*
 * Reaps until `pid` has ended, and passes on to it the signals that ask to stop.  All signals
 * are blocked, so that none is lost between the look and the wait.  At the deadline it is killed.
 */
static int wait_for(pid_t pid, uint64_t deadline_ms)
{
	const uint64_t awaited = kernel_signal_bit(SIGCHLD) | kernel_signal_bit(SIGTERM) |
				 kernel_signal_bit(SIGINT) | kernel_signal_bit(SIGHUP) |
				 kernel_signal_bit(SIGQUIT);
	bool late = false;

	for (;;) {
		int wait_status;
		pid_t ended = waitpid(-1, &wait_status, WNOHANG | __WALL);
		int r;

		if (ended == pid)
			return late ? SANDBOX_STATUS_TIMEOUT : status_of(wait_status);
		if (ended > 0)
			continue;
		if (ended < 0 && errno != EINTR)
			return STATUS_OURS;
		r = signal_next(awaited, late ? 0 : deadline_ms);
		if (r == -EAGAIN)
			late = true;
		if (r == -EAGAIN || (r > 0 && r != SIGCHLD))
			(void)kill(pid, late ? SIGKILL : r);
	}
}

/*
 * bwrap was stopped, and what it started dies with it; until that is so the tool may still write.
 * As subreaper we are the parent of what is left.  A call that ended by itself is not waited for:
 * what it left behind is dying already, and the kernel takes some milliseconds (a quarter of the
 * whole call) to take the sandbox's mounts apart.
 */
static void wait_for_rest(void)
{
	uint64_t deadline_ms = kernel_now_ms() + REST_MS;

	for (;;) {
		pid_t ended = waitpid(-1, NULL, WNOHANG | __WALL);

		if (ended > 0)
			continue;
		if (ended < 0 && errno != EINTR)
			return;
		if (signal_next(kernel_signal_bit(SIGCHLD), deadline_ms) == -EAGAIN)
			return;
	}
}

/*
 * The first process of real-proc's PID namespace: when it ends the kernel kills the rest.  Not
 * dumpable, because it is a copy of this program's memory that the sandbox can see.
 */
static void holder(struct plan *plan)
{
	enum sandbox_step step;
	pid_t pid;
	int r;

	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		child_fail(plan, SANDBOX_STEP_FORK, -errno);
	r = procns_mount(&plan->masks, &step);
	if (r == 0 && plan->command->hide_pids) {
		step = SANDBOX_STEP_PROC;
		r = procns_hide_pids();
	}
	if (r < 0)
		child_fail(plan, step, r);
	pid = fork();
	if (pid < 0)
		child_fail(plan, SANDBOX_STEP_FORK, -errno);
	if (pid == 0)
		bwrap_exec(plan);
	descriptors_close_except(NULL, 0);
	_exit(wait_for(pid, 0));
}

static void child_main(struct plan *plan)
{
	uint64_t all = ~UINT64_C(0);

	(void)kernel_sigprocmask(SIG_SETMASK, &all, NULL);
	child_close(plan);
	child_leash(plan);
	if (plan->command->proc == SANDBOX_PROC_REAL)
		holder(plan);
	bwrap_exec(plan);
}

int sandbox_start(const struct sandbox_command *command, struct sandbox_process *ret,
		  struct fault *f)
{
	AUTO_PLAN struct plan plan = { .command = command, .args_fd = -1, .failure_fd = -1 };
	AUTO_CLOSE int failure_fd = -1;
	int ends[2];
	pid_t pid;
	int r = plan_make(&plan, f);

	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return fault_set(f, -errno, "make a socket pair");
	failure_fd = ends[0];
	plan.failure_fd = ends[1];
	pid = command->proc == SANDBOX_PROC_REAL ? procns_fork() : fork();
	if (pid < 0)
		return fault_set(f, -errno, "%s", sandbox_step_name(SANDBOX_STEP_FORK));
	if (pid == 0)
		child_main(&plan);
	*ret = (struct sandbox_process){ .pid = pid, .failure_fd = fd_take(&failure_fd) };
	return 0;
}

int sandbox_failure_read(int failure_fd, struct sandbox_failure *ret)
{
	struct sandbox_failure failure = {};
	ssize_t n;

	do {
		n = recv(failure_fd, &failure, sizeof(failure), MSG_WAITALL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n != 0 && n != sizeof(failure))
		return -EBADMSG;
	*ret = n == 0 ? (struct sandbox_failure){} : failure;
	return 0;
}

/* bwrap says "exit-code" only when the tool was exec'ed; its own failures look like exit 1. */
static bool tool_ran(int status_fd)
{
	char said[4096];
	ssize_t n = read(status_fd, said, sizeof(said) - 1);

	if (n <= 0)
		return false;
	said[n] = '\0';
	return strstr(said, "\"exit-code\"") != NULL;
}

/* Starts the command and waits: its status, and whether the tool itself was exec'ed. */
static int run_once(const struct sandbox_command *command, bool *ret_ran, struct fault *f)
{
	struct sandbox_command watched = *command;
	AUTO_CLOSE int said = -1;
	AUTO_CLOSE int failure_fd = -1;
	struct sandbox_failure failure;
	struct sandbox_process process;
	uint64_t deadline_ms = command->timeout_ms ? kernel_now_ms() + command->timeout_ms : 0;
	int ends[2];
	int status;
	int r;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return fault_set(f, -errno, "make a pipe");
	said = ends[0];
	watched.status_fd = ends[1];
	r = sandbox_start(&watched, &process, f);
	(void)close(ends[1]);
	if (r < 0)
		return r;
	failure_fd = process.failure_fd;
	r = sandbox_failure_read(failure_fd, &failure);
	status = wait_for(process.pid, deadline_ms);
	if (status >= SANDBOX_STATUS_TIMEOUT)
		wait_for_rest();
	if (r < 0)
		return fault_set(f, r, "learn whether bwrap was started");
	if (failure.step != SANDBOX_STEP_NONE)
		return fault_set(f, -failure.error, "%s", sandbox_step_name(failure.step));
	*ret_ran = tool_ran(said) || status == SANDBOX_STATUS_TIMEOUT;
	return status;
}

/*
 * The tool was not exec'ed: was it the sandbox, or is there no such tool in it?  The same
 * sandbox with ourselves as the payload knows.
 */
static int why_not_run(const struct sandbox_command *command, struct fault *f)
{
	AUTO_SELF struct self self = { .fd = -1 };
	AUTO_CLOSE int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int silent[] = { null_fd, null_fd, null_fd };
	char *argv[] = { NULL, (char *)SELF_WORD_LOCATE, command->argv[0], NULL };
	AUTO_FREE struct sandbox_mount *mounts = calloc(command->n_mounts + 1, sizeof(*mounts));
	struct sandbox_command locate = *command;
	bool ran = false;
	int status;

	if (!mounts || self_find(&self) < 0)
		return fault_say(f, -EIO, "bwrap could not set the sandbox up");
	for (size_t i = 0; i < command->n_mounts; i++)
		mounts[i] = command->mounts[i];
	mounts[command->n_mounts] = self.mount;
	locate.mounts = mounts;
	locate.n_mounts = command->n_mounts + (self.mount.kind != SANDBOX_MOUNT_NONE);
	argv[0] = self.path;
	locate.argv = argv;
	locate.stdio = null_fd > STDERR_FILENO ? silent : NULL;
	status = run_once(&locate, &ran, f);
	if (status < 0)
		return status;
	if (!ran || (status != SELF_NOT_FOUND && status != SELF_NOT_EXECUTABLE))
		return fault_say(f, -EIO, "bwrap could not set the sandbox up");
	return status;
}

/* Signals wait while we do: the one that says that a child has ended must not be missed. */
int sandbox_run(const struct sandbox_command *command, struct fault *f)
{
	uint64_t all = ~UINT64_C(0);
	uint64_t old;
	bool ran = false;
	int status = kernel_sigprocmask(SIG_SETMASK, &all, &old);

	if (status < 0)
		return fault_set(f, status, "block signals");
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	status = run_once(command, &ran, f);
	if (status >= 0 && !ran && status <= 128)
		status = why_not_run(command, f);
	(void)kernel_sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}
