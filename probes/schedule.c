/*
 * schedule: the probes side by side, under one loop that waits for children, signals and the
 * clock.  Each attempt is a runner process; its finding comes back in shared memory, and counts
 * only when the runner has ended well, after everything it had started.
 */
#include "probes/probes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/descriptors.h"
#include "init/kernel.h"
#include "init/own.h"
#include "probes/attempt.h"
#include "probes/stray.h"
#include "probes/verdict.h"

#define RUNNER_GRACE_MS 1000 /* past its deadline, or its end asked for: then it is killed */

enum slot_state { SLOT_OFF, SLOT_WAITING, SLOT_RUNNING, SLOT_DONE };

/* One probe: the attempts at one shape. */
struct slot {
	enum slot_state state;
	enum sandbox_proc shape;
	struct probe_finding finding;
	struct probe_finding *shared; /* written by the runner */
	uint64_t begun_ms;
	uint64_t next_ms; /* waiting: when the next attempt starts; running: the hard end */
	pid_t runner;
	int leash_fd;   /* write end */
	bool gave_word; /* at least one attempt has ended */
};

enum { SLOT_REAL, SLOT_BIND, SLOT_TMPFS, SLOT_COUNT };

struct schedule {
	const struct probes_request *request;
	const struct facts *facts;
	char *bwrap;
	uint64_t end_ms; /* no attempt starts after it */
	struct slot slots[SLOT_COUNT];
};

static void runner_main(const struct schedule *s, const struct slot *slot, int leash_fd,
			uint64_t deadline_ms)
{
	const struct attempt_request request = {
		.shape = slot->shape,
		.network = s->request->network,
		.bwrap = s->bwrap,
		.facts = s->facts,
		.deadline_ms = deadline_ms,
		.leash_fd = leash_fd,
	};
	struct probe_finding finding;

	descriptors_close_except(&leash_fd, 1);
	if (setsid() < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		_exit(1);
	attempt_run(&request, &finding);
	*slot->shared = finding;
	_exit(0);
}

static void slot_conclude(struct schedule *s, struct slot *slot,
			  const struct probe_finding *finding)
{
	const struct probes_request *request = s->request;
	unsigned int attempts = slot->finding.attempts;
	uint64_t now = kernel_now_ms();

	slot->finding = *finding;
	slot->finding.attempts = attempts;
	slot->finding.elapsed_ms = now - slot->begun_ms;
	slot->gave_word = true;
	slot->state = SLOT_DONE;
	if (finding->verdict != PROBE_INCONCLUSIVE || finding->final ||
	    attempts > request->n_retries)
		return;
	slot->next_ms = now + request->retry_backoff_ms[attempts - 1];
	if (slot->next_ms < s->end_ms)
		slot->state = SLOT_WAITING;
}

static void slot_start(struct schedule *s, struct slot *slot)
{
	uint64_t now = kernel_now_ms();
	uint64_t rest = s->end_ms - now;
	uint64_t timeout =
		s->request->attempt_timeout_ms < rest ? s->request->attempt_timeout_ms : rest;
	struct probe_finding failed;
	int ends[2];
	int r = 0;

	if (slot->finding.attempts++ == 0)
		slot->begun_ms = now;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		r = -errno;
	} else {
		slot->runner = fork();
		r = slot->runner < 0 ? -errno : 0;
		if (slot->runner == 0)
			runner_main(s, slot, ends[0], now + timeout);
		(void)close(ends[0]);
		slot->leash_fd = ends[1];
	}
	if (r == 0) {
		slot->next_ms = now + timeout + RUNNER_GRACE_MS;
		slot->state = SLOT_RUNNING;
		return;
	}
	fd_close(&slot->leash_fd);
	failed = verdict_without_look(PROBE_INCONCLUSIVE, CAUSE_RESOURCE, false, -r,
				      "no process for the probe could be made");
	slot_conclude(s, slot, &failed);
}

static void slot_ended(struct schedule *s, struct slot *slot, int wait_status)
{
	struct probe_finding finding = *slot->shared;

	fd_close(&slot->leash_fd);
	if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0) {
		stray_end_session(slot->runner);
		finding = verdict_without_look(PROBE_INCONCLUSIVE, CAUSE_RESOURCE, false, 0,
					       "the process of the probe did not end well");
	}
	slot->runner = 0;
	memset(slot->shared, 0, sizeof(*slot->shared));
	slot_conclude(s, slot, &finding);
}

static bool slot_proved(const struct slot *slot)
{
	return slot->finding.verdict == PROBE_SAFE || slot->finding.verdict == PROBE_AVAILABLE;
}

/* What one probe's word means for the others. */
static void slots_relate(struct schedule *s)
{
	struct slot *real = &s->slots[SLOT_REAL];
	struct slot *bind = &s->slots[SLOT_BIND];
	struct slot *tmpfs = &s->slots[SLOT_TMPFS];
	bool stronger = slot_proved(real) || slot_proved(bind);
	bool asked = real->state != SLOT_OFF || bind->state != SLOT_OFF;
	bool heard = (real->state == SLOT_OFF || real->gave_word) &&
		     (bind->state == SLOT_OFF || bind->gave_word);

	if (slot_proved(real) && bind->state == SLOT_WAITING)
		bind->state = SLOT_DONE;
	if (!s->request->tmpfs)
		return;
	if (stronger && tmpfs->state == SLOT_WAITING)
		tmpfs->state = SLOT_DONE;
	if (!stronger && tmpfs->state == SLOT_OFF && (!asked || heard)) {
		tmpfs->state = SLOT_WAITING;
		tmpfs->next_ms = kernel_now_ms();
	}
}

static void reap(struct schedule *s)
{
	int wait_status;
	pid_t ended;

	while ((ended = waitpid(-1, &wait_status, WNOHANG)) > 0) {
		for (size_t i = 0; i < SLOT_COUNT; i++) {
			if (s->slots[i].state == SLOT_RUNNING && s->slots[i].runner == ended)
				slot_ended(s, &s->slots[i], wait_status);
		}
	}
}

/* Starts and kills what is due; the time of the next such event, UINT64_MAX when all is done. */
static uint64_t slots_step(struct schedule *s)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < SLOT_COUNT; i++) {
		struct slot *slot = &s->slots[i];
		uint64_t now = kernel_now_ms();

		if (slot->state == SLOT_WAITING && now >= s->end_ms)
			slot->state = SLOT_DONE;
		if (slot->state == SLOT_WAITING && now >= slot->next_ms)
			slot_start(s, slot);
		if (slot->state == SLOT_RUNNING && now >= slot->next_ms) {
			(void)kill(slot->runner, SIGKILL);
			slot->next_ms = now + RUNNER_GRACE_MS;
		}
		if ((slot->state == SLOT_WAITING || slot->state == SLOT_RUNNING) &&
		    slot->next_ms < next)
			next = slot->next_ms;
	}
	return next;
}

/* The runners end what they have started and then themselves; a stuck one is killed. */
static void stop_all(struct schedule *s)
{
	uint64_t hard_end = kernel_now_ms() + RUNNER_GRACE_MS;

	for (size_t i = 0; i < SLOT_COUNT; i++)
		fd_close(&s->slots[i].leash_fd);
	for (size_t i = 0; i < SLOT_COUNT; i++) {
		const struct timespec pause = { .tv_nsec = 100000000 };
		struct slot *slot = &s->slots[i];

		if (slot->state != SLOT_RUNNING)
			continue;
		while (waitpid(slot->runner, NULL, WNOHANG) == 0) {
			if (kernel_now_ms() >= hard_end)
				(void)kill(slot->runner, SIGKILL);
			(void)kernel_sigtimedwait(kernel_signal_bit(SIGCHLD), NULL, &pause);
		}
		stray_end_session(slot->runner);
		slot->state = SLOT_DONE;
	}
}

static int schedule_loop(struct schedule *s)
{
	const uint64_t awaited =
		kernel_signal_bit(SIGCHLD) | kernel_signal_bit(SIGTERM) | kernel_signal_bit(SIGINT);

	for (;;) {
		uint64_t next;
		uint64_t now;
		struct timespec wait = {};
		int r;

		slots_relate(s);
		next = slots_step(s);
		if (next == UINT64_MAX)
			return 0;
		now = kernel_now_ms();
		if (next > now) {
			wait.tv_sec = (time_t)((next - now) / 1000);
			wait.tv_nsec = (long)((next - now) % 1000) * 1000000;
		}
		r = kernel_sigtimedwait(awaited, NULL, &wait);
		if (r == SIGTERM || r == SIGINT) {
			stop_all(s);
			return r;
		}
		reap(s);
	}
}

/* A bwrap that shares what it should not is no sandbox, with a fresh procfs neither. */
static void couple(struct findings *findings)
{
	const struct probe_finding *bind = &findings->proc_bind;

	if (findings->real_proc.verdict != PROBE_AVAILABLE)
		return;
	if (bind->cause != CAUSE_SAME_USERNS && bind->cause != CAUSE_CAPABILITY_KEPT &&
	    bind->cause != CAUSE_SIGNALABLE)
		return;
	findings->real_proc.verdict = PROBE_INCONCLUSIVE;
	findings->real_proc.cause = CAUSE_BWRAP_REFUSED;
	findings->real_proc.final = true;
	memcpy(findings->real_proc.evidence, bind->evidence, sizeof(bind->evidence));
}

static void slots_prepare(struct schedule *s, struct probe_finding *shared)
{
	static const enum sandbox_proc shapes[SLOT_COUNT] = {
		[SLOT_REAL] = SANDBOX_PROC_REAL,
		[SLOT_BIND] = SANDBOX_PROC_BIND,
		[SLOT_TMPFS] = SANDBOX_PROC_TMPFS,
	};
	const bool asked[SLOT_COUNT] = {
		[SLOT_REAL] = s->request->real_proc,
		[SLOT_BIND] = s->request->proc_bind,
	};

	for (size_t i = 0; i < SLOT_COUNT; i++)
		s->slots[i] = (struct slot){
			.state = asked[i] ? SLOT_WAITING : SLOT_OFF,
			.shape = shapes[i],
			.shared = &shared[i],
			.leash_fd = -1,
		};
}

/* Without a bwrap that may be run nothing is probed, and waiting does not help. */
static void without_bwrap(const struct probes_request *request, int error, const struct fault *why,
			  struct findings *ret)
{
	struct probe_finding finding = verdict_without_look(
		PROBE_INCONCLUSIVE, error == -ENOENT ? CAUSE_BWRAP_MISSING : CAUSE_BWRAP_REFUSED,
		true, error == -EPERM ? 0 : -error, "");

	memcpy(finding.evidence, why->message, strnlen(why->message, sizeof(finding.evidence) - 1));
	if (request->real_proc)
		ret->real_proc = finding;
	if (request->proc_bind)
		ret->proc_bind = finding;
	if (request->tmpfs)
		ret->tmpfs = finding;
}

static int schedule_run(struct schedule *s, struct findings *ret, struct fault *f)
{
	const size_t size = SLOT_COUNT * sizeof(struct probe_finding);
	struct probe_finding *shared =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int r;

	if (shared == MAP_FAILED)
		return fault_set(f, -errno, "map memory for the probes' findings");
	slots_prepare(s, shared);
	r = schedule_loop(s);
	ret->real_proc = s->slots[SLOT_REAL].finding;
	ret->proc_bind = s->slots[SLOT_BIND].finding;
	ret->tmpfs = s->slots[SLOT_TMPFS].finding;
	couple(ret);
	(void)munmap(shared, size);
	return r;
}

int probes_run(const struct probes_request *request, const struct facts *facts,
	       struct findings *ret, struct fault *f)
{
	AUTO_FREE char *bwrap = NULL;
	struct findings findings = {};
	struct schedule schedule = {
		.request = request,
		.facts = facts,
		.end_ms = kernel_now_ms() + request->budget_ms,
	};
	struct fault refused = {};
	int r = sandbox_bwrap_find(request->bwrap, request->agent_dir, &bwrap, &refused);

	if (r < 0) {
		without_bwrap(request, r, &refused, &findings);
		r = 0;
	} else {
		schedule.bwrap = bwrap;
		r = schedule_run(&schedule, &findings, f);
	}
	if (r >= 0)
		*ret = findings;
	return r;
}
