/* jobs: see jobs.h. */
#include "init/jobs.h"

#include <signal.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/terminal.h"

struct jobs jobs_begin(const struct child *child)
{
	return (struct jobs){ .child = child, .holds = child->held_terminal };
}

static void jobs_take_back(struct jobs *jobs)
{
	if (jobs->holds)
		(void)terminal_give(jobs->child->terminal, getpgrp());
	jobs->holds = false;
}

static void jobs_give(struct jobs *jobs)
{
	bool ours = terminal_foreground(jobs->child->terminal) == getpgrp();

	jobs->holds = ours && terminal_give(jobs->child->terminal, jobs->child->pid) == 0;
}

/*
 * By its default action, which the kernel leaves out where nobody could continue us (an orphaned
 * process group, setpgid(2)): then this returns at once.
 */
static void jobs_stop_self(int signal_number)
{
	const uint64_t mask = kernel_signal_bit(signal_number);

	(void)kill(getpid(), signal_number);
	(void)kernel_sigprocmask(SIG_UNBLOCK, &mask, NULL);
	(void)kernel_sigprocmask(SIG_BLOCK, &mask, NULL);
}

void jobs_stopped(struct jobs *jobs, int signal_number)
{
	const uint64_t continued = kernel_signal_bit(SIGCONT);
	uint64_t pending = 0;

	if (jobs->child->terminal < 0 ||
	    (signal_number != SIGTSTP && signal_number != SIGTTIN && signal_number != SIGTTOU))
		return;
	if (getpid() != 1 && getsid(0) != getpid()) {
		jobs_take_back(jobs);
		jobs->mirrored = true;
		jobs_stop_self(signal_number);
		(void)KERNEL_CALL(SYS_rt_sigpending, &pending, sizeof(pending));
		if (pending & continued)
			return;
		jobs->mirrored = false;
		jobs_give(jobs);
	}
	if (signal_number == SIGTSTP)
		(void)kill(-jobs->child->pid, SIGCONT);
}

bool jobs_continued(struct jobs *jobs)
{
	if (!jobs->mirrored)
		return false;
	jobs->mirrored = false;
	jobs_give(jobs);
	(void)kill(-jobs->child->pid, SIGCONT);
	return true;
}

void jobs_end(struct jobs *jobs)
{
	if (getpid() != 1)
		jobs_take_back(jobs);
}
