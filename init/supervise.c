/* supervise: see supervise.h. */
#include "init/supervise.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/jobs.h"
#include "init/kernel.h"
#include "init/kin.h"
#include "init/memory.h"
#include "init/signals.h"

#define NO_DEADLINE UINT64_MAX

/* Who is not PID 1 waits this long for what it killed; a process may hang in the kernel. */
#define KILLED_WAIT_MS 2000

enum supervise_phase {
	PHASE_RUNNING, /* the main child runs */
	PHASE_WAITING, /* it ended, and all else is waited for */
	PHASE_ENDING,  /* what is left got TERM */
	PHASE_KILLING, /* what is left got KILL */
	PHASE_ENDED,
};

struct supervisor {
	const struct child *child;
	const struct supervise_options *options;
	const struct log *log;
	struct jobs jobs;
	enum supervise_phase phase;
	uint64_t deadline_ms; /* of the phase, kernel_now_ms() */
	int status;           /* the main child's, as wait(2) gives it */
	bool main_ended;
	bool alone; /* no child is left, as of the last reap */
	bool warned;
};

struct supervise_options supervise_defaults(void)
{
	struct supervise_options options = { .kill_grace_ms = 500 };

	memset(options.rewrite, REWRITE_NONE, sizeof(options.rewrite));
	return options;
}

void supervise_adopt_orphans(void)
{
	if (getpid() != 1)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void supervise_set_deadline(struct supervisor *s, uint64_t in_ms)
{
	if (__builtin_add_overflow(kernel_now_ms(), in_ms, &s->deadline_ms))
		s->deadline_ms = NO_DEADLINE;
}

/*
 * Nobody left, or nobody whom we could find: the end.  A PID 1 has no more to do once it has sent
 * the KILL, its exit makes the kernel kill and reap the rest, pid_namespaces(7).
 */
static void supervise_end_rest(struct supervisor *s, enum supervise_phase phase)
{
	bool killing = phase == PHASE_KILLING;

	s->phase = PHASE_ENDED;
	if (s->alone && getpid() != 1)
		return;
	if (kin_signal(killing ? SIGKILL : SIGTERM) < 0 || (killing && getpid() == 1))
		return;
	s->phase = phase;
	supervise_set_deadline(s, killing ? KILLED_WAIT_MS : s->options->kill_grace_ms);
}

/* After a reap, or right after the start. */
static void supervise_advance(struct supervisor *s)
{
	if (s->phase == PHASE_RUNNING && s->main_ended) {
		if (s->options->wait == WAIT_ALL && !s->alone)
			s->phase = PHASE_WAITING;
		else
			supervise_end_rest(s, PHASE_ENDING);
	} else if (s->phase == PHASE_WAITING && s->alone) {
		supervise_end_rest(s, PHASE_ENDING);
	} else if (s->phase == PHASE_ENDING && s->alone && kin_signal(0) < 0) {
		s->phase = PHASE_ENDED;
	} else if (s->phase == PHASE_KILLING) {
		if (s->alone || kin_signal(SIGKILL) < 0)
			s->phase = PHASE_ENDED;
	}
}

static void supervise_note(struct supervisor *s, pid_t pid, int status)
{
	if (pid != s->child->pid) {
		if (!WIFSTOPPED(status) && s->options->warn_on_reap)
			log_line(s->log, LINE_WARNING, "Reaped zombie process with pid=%d", pid);
	} else if (WIFSTOPPED(status)) {
		jobs_stopped(&s->jobs, WSTOPSIG(status));
	} else {
		s->main_ended = true;
		s->status = status;
	}
}

/*
 * Everything that has ended, one system call each.  One SIGCHLD may stand for many.  __WALL: a
 * child that was cloned with another exit signal than SIGCHLD counts too, wait(2).
 */
static void supervise_reap(struct supervisor *s)
{
	for (;;) {
		int status = 0;
		pid_t pid = wait4(-1, &status, WNOHANG | WUNTRACED | __WALL, NULL);

		if (pid > 0) {
			supervise_note(s, pid, status);
		} else if (pid == 0 || errno != EINTR) {
			s->alone = pid < 0;
			return;
		}
	}
}

/*
 * A queued signal keeps its value.  Where that is refused (EAGAIN: the queue is full) a plain one
 * still gets through; its error is the one that counts.
 */
static int supervise_send_child(pid_t pid, int signal_number, const siginfo_t *info)
{
	if (info->si_code == SI_QUEUE && kernel_sigqueueinfo(pid, signal_number, info) == 0)
		return 0;
	return kill(pid, signal_number) < 0 ? -errno : 0;
}

/* The group may be gone, when the child joined or made another one. */
static int supervise_send_group(pid_t pid, int signal_number, const siginfo_t *info)
{
	if (kill(-pid, signal_number) == 0)
		return 0;
	return errno == ESRCH ? supervise_send_child(pid, signal_number, info) : -errno;
}

static int supervise_send(struct supervisor *s, int signal_number, const siginfo_t *info)
{
	pid_t pid = s->child->pid;

	if (s->main_ended || s->options->forward == FORWARD_ALL) {
		int r = kin_signal(signal_number);

		if (r != -ENOENT || s->main_ended)
			return r;
	}
	if (s->options->forward == FORWARD_CHILD)
		return supervise_send_child(pid, signal_number, info);
	return supervise_send_group(pid, signal_number, info);
}

/* The stop timeout runs from the first request to terminate, whatever it was rewritten to. */
static void supervise_arm_stop(struct supervisor *s, int from, int to)
{
	if (s->options->stop_timeout_ms > 0 && s->deadline_ms == NO_DEADLINE &&
	    (from == SIGTERM || to == SIGTERM))
		supervise_set_deadline(s, s->options->stop_timeout_ms);
}

static void supervise_forward(struct supervisor *s, const siginfo_t *info)
{
	int from = info->si_signo;
	int to = s->options->rewrite[from] == REWRITE_NONE ? from : s->options->rewrite[from];
	char name[SIGNAL_NAME_MAX];
	int r;

	if (to == 0 || (from == SIGCONT && jobs_continued(&s->jobs)))
		return;
	r = supervise_send(s, to, info);
	supervise_arm_stop(s, from, to);
	if (s->options->stop_self && (from == SIGTSTP || from == SIGTTIN || from == SIGTTOU))
		(void)kill(getpid(), SIGSTOP); /* nothing happens to a PID 1 */
	if (r < 0 && r != -ESRCH && !s->warned) {
		s->warned = true;
		signal_name(to, name);
		log_line(s->log, LINE_WARNING,
			 "%s was not forwarded to process %d: %s; did it change its user?", name,
			 s->child->pid, strerror(-r));
	} else if (s->log->level == LOG_DEBUG) {
		signal_name(to, name);
		log_line(s->log, LINE_DEBUG, "forwarded %s", name);
	}
}

/*
 * While what is left is being ended there is nobody to forward to.  A SIGPIPE from ourselves is
 * about our own standard error, not about the child's.
 */
static void supervise_signal(struct supervisor *s, const siginfo_t *info)
{
	if (info->si_signo == SIGCHLD) {
		supervise_reap(s);
		supervise_advance(s);
		return;
	}
	if (s->phase != PHASE_RUNNING && s->phase != PHASE_WAITING)
		return;
	if (info->si_signo == SIGPIPE && info->si_code == SI_USER && info->si_pid == getpid())
		return;
	supervise_forward(s, info);
}

static void supervise_deadline(struct supervisor *s)
{
	s->deadline_ms = NO_DEADLINE;
	switch (s->phase) {
	case PHASE_RUNNING:
		log_line(s->log, LINE_WARNING, "process %d did not end in %llu ms: killed",
			 s->child->pid, (unsigned long long)s->options->stop_timeout_ms);
		(void)supervise_send(s, SIGKILL, &(siginfo_t){});
		break;
	case PHASE_WAITING:
		(void)kin_signal(SIGKILL);
		break;
	case PHASE_ENDING:
		supervise_end_rest(s, PHASE_KILLING);
		break;
	case PHASE_KILLING:
	case PHASE_ENDED:
		s->phase = PHASE_ENDED;
	}
}

/* One wake-up: the next signal, or the deadline.  CLOCK_MONOTONIC, as sigtimedwait(2) counts. */
static void supervise_step(struct supervisor *s)
{
	struct timespec timeout = {};
	siginfo_t info;
	int r;

	if (s->deadline_ms != NO_DEADLINE) {
		uint64_t now = kernel_now_ms();
		uint64_t rest = s->deadline_ms > now ? s->deadline_ms - now : 0;

		timeout.tv_sec = (time_t)(rest / 1000);
		timeout.tv_nsec = (long)(rest % 1000) * 1000000;
	}
	r = kernel_sigtimedwait(UINT64_MAX, &info, s->deadline_ms == NO_DEADLINE ? NULL : &timeout);
	if (r == -EAGAIN)
		supervise_deadline(s);
	else if (r > 0)
		supervise_signal(s, &info);
}

/*
 * PR_SET_PDEATHSIG tells of a parent that dies from now on; one that died before has left us with
 * another parent, prctl(2).  A parent in another PID namespace reads as 0 and cannot be compared.
 */
static void supervise_watch_parent(struct supervisor *s)
{
	int signal_number = s->options->parent_death_signal;
	pid_t parent = s->options->parent;

	if (signal_number == 0)
		return;
	(void)prctl(PR_SET_PDEATHSIG, signal_number);
	if (parent > 0 && getppid() != parent)
		supervise_forward(s, &(siginfo_t){ .si_signo = signal_number });
}

/* 128 + N by signal N; the core dump bit is none of a shell's business. */
static int supervise_exit_status(const struct supervisor *s)
{
	int status = WIFSIGNALED(s->status) ? 128 + WTERMSIG(s->status) : WEXITSTATUS(s->status);
	bool ok = s->options->exit_ok[status / 64] & (UINT64_C(1) << (status % 64));

	return ok ? 0 : status;
}

int supervise_pause(void)
{
	for (;;) {
		siginfo_t info;
		int r = kernel_sigtimedwait(UINT64_MAX, &info, NULL);

		if (r == SIGINT || r == SIGTERM)
			return 0;
		while (r == SIGCHLD && waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
	}
}

int supervise(const struct child *child, const struct supervise_options *options,
	      const struct log *log)
{
	struct supervisor s = {
		.child = child,
		.options = options,
		.log = log,
		.jobs = jobs_begin(child),
		.deadline_ms = NO_DEADLINE,
	};

	if (options->subreaper)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	supervise_watch_parent(&s);
	memory_give_back();
	while (s.phase != PHASE_ENDED)
		supervise_step(&s);
	jobs_end(&s.jobs);
	return supervise_exit_status(&s);
}
