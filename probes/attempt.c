/* attempt: see attempt.h. */
#include "probes/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "probes/blind.h"
#include "probes/entries.h"
#include "probes/stray.h"

int attempt_give_up(struct attempt *a, enum probe_cause cause, int error, const char *what)
{
	bool shortage = error == -EAGAIN || error == -ENOMEM || error == -EMFILE ||
			error == -ENFILE || error == -ENOBUFS;

	if (a->trouble.cause != CAUSE_NONE)
		return -ECANCELED;
	if (error == -ETIMEDOUT)
		cause = CAUSE_TIMEOUT;
	else if (shortage)
		cause = CAUSE_RESOURCE;
	a->trouble = (struct trouble){
		.cause = cause,
		.error = error == -ETIMEDOUT ? 0 : -error,
	};
	(void)snprintf(a->trouble.what, sizeof(a->trouble.what), "%s", what);
	return -ECANCELED;
}

int attempt_wait(const struct attempt *a, int fd, bool for_bwrap)
{
	struct pollfd polled[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = a->request->leash_fd, .events = 0 },
		{ .fd = fd == a->sentinel.fd ? -1 : a->sentinel.fd, .events = 0 },
		{ .fd = for_bwrap ? a->bwrap_pidfd : -1, .events = POLLIN },
	};

	for (;;) {
		uint64_t now = kernel_now_ms();
		int r;

		if (now >= a->request->deadline_ms)
			return -ETIMEDOUT;
		r = poll(polled, ARRAY_SIZE(polled), (int)(a->request->deadline_ms - now));
		if (r < 0 && errno != EINTR)
			return -errno;
		if (r <= 0)
			continue;
		if (polled[1].revents)
			return -ECANCELED;
		if (polled[0].revents)
			return 0;
		return polled[2].revents ? -EPIPE : -ECHILD;
	}
}

/* Every look goes through /proc: it must be a procfs, and count pids as we do. */
static int proc_judge(struct attempt *a)
{
	AUTO_CLOSE int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char link[24] = {};

	if (proc < 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES)
		return attempt_give_up(a, CAUSE_SETUP_FAILED, -errno, "/proc cannot be opened");
	if (proc >= 0 && file_is_procfs(proc) &&
	    readlinkat(proc, "self", link, sizeof(link) - 1) > 0 && entry_number(link) == getpid())
		return 0;
	a->trouble = (struct trouble){
		.cause = CAUSE_MASKED_PROC,
		.final = true,
		.what = "/proc is not a procfs of this PID namespace",
	};
	return -ECANCELED;
}

static int attempt_steps(struct attempt *a)
{
	int r = proc_judge(a);

	if (r < 0)
		return r;
	r = nonce_make(&a->nonce);
	if (r == 0)
		r = self_find(&a->self);
	if (r < 0)
		return attempt_give_up(a, CAUSE_SETUP_FAILED, r, "this program cannot find itself");
	self_keep_path(&a->self);
	r = payload_start(a); /* the longest chain first */
	if (r == 0)
		r = twins_start(a);
	if (r == 0)
		r = twins_compare(a);
	if (r == 0)
		r = twins_ask_control(a, CHECK_CONTROL_BEFORE);
	if (r == 0)
		r = twins_hear_control(a, CHECK_CONTROL_BEFORE);
	if (r == 0)
		r = payload_meet(a);
	if (r == 0)
		r = payload_ask(a);
	if (r == 0)
		r = payload_hear(a);
	if (r == 0)
		r = twins_ask_control(a, CHECK_CONTROL_AFTER);
	if (r == 0)
		r = twins_ask_witness(a); /* the prober has done what it does */
	if (r == 0)
		r = payload_dismiss(a);
	if (r == 0)
		r = twins_hear_witness(a);
	if (r == 0)
		r = twins_hear_control(a, CHECK_CONTROL_AFTER);
	if (r == 0)
		twins_look_alive(a);
	return r;
}

static void attempt_end(struct attempt *a)
{
	const pid_t known[] = { a->bwrap.pid, a->sentinel.pid, a->control.pid };

	stray_end_all(known, ARRAY_SIZE(known));
	self_clear(&a->self);
	fd_close(&a->sentinel.fd);
	fd_close(&a->control.fd);
	fd_close(&a->bwrap.failure_fd);
	fd_close(&a->bwrap_pidfd);
	fd_close(&a->prober_fd);
	fd_close(&a->stderr_fd);
}

void attempt_run(const struct attempt_request *request, struct probe_finding *ret)
{
	struct attempt a = {
		.request = request,
		.self = { .fd = -1 },
		.sentinel = { .fd = -1 },
		.control = { .fd = -1 },
		.bwrap = { .failure_fd = -1 },
		.bwrap_pidfd = -1,
		.prober_fd = -1,
		.stderr_fd = -1,
	};

	(void)attempt_steps(&a);
	attempt_end(&a);
	blind_checks(a.checks);
	verdict_reach(request->shape, a.checks, &a.trouble, ret);
}
