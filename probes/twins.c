/*
 * twins: starts the sentinel and the control, demands that they are twins, has the nonce read
 * from outside, and hears what the sentinel witnessed.
 */
#include "probes/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "init/own.h"
#include "probes/blind.h"
#include "probes/record.h"

/* Waits for a record of a twin.  0, or the attempt has been given up. */
static int twin_receive(struct attempt *a, const struct twin *twin, enum record_kind kind,
			void *payload, size_t length)
{
	bool is_sentinel = twin == &a->sentinel;
	int r = attempt_wait(a, twin->fd, false);

	if (r == 0)
		r = record_receive(twin->fd, kind, 0, payload, length, NULL);
	else if (r == -EPIPE)
		is_sentinel = true;
	if (r == 0)
		return 0;
	if (is_sentinel)
		return attempt_give_up(a, CAUSE_SENTINEL_DIED, r == -EPIPE ? 0 : r,
				       "the sentinel died");
	return attempt_give_up(a, CAUSE_CONTROL_FAILED, r, "the control process did not answer");
}

int twins_start(struct attempt *a)
{
	AUTO_CLOSE int exe = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	int r = exe < 0 ? -errno : 0;

	if (r == 0)
		r = twin_start(exe, &a->nonce, &a->sentinel);
	if (r == 0)
		r = twin_start(exe, NULL, &a->control);
	return r < 0 ? attempt_give_up(a, CAUSE_SETUP_FAILED, r,
				       "the sentinel could not be started")
		     : 0;
}

/* Twins are equal in everything, and the sentinel is dumpable as any exec'ed agent is. */
int twins_compare(struct attempt *a)
{
	const struct twin_nature *sentinel = &a->sentinel_hello.nature;
	struct twin_hello control;
	struct twin_nature ours;
	int r = twin_receive(a, &a->sentinel, RECORD_TWIN, &a->sentinel_hello,
			     sizeof(a->sentinel_hello));

	if (r == 0)
		r = twin_receive(a, &a->control, RECORD_TWIN, &control, sizeof(control));
	if (r < 0)
		return r;
	r = twin_nature_read(&ours);
	if (r < 0)
		check_set(a->checks, CHECK_SENTINEL_TWIN, CHECK_DOUBT, r, "%s", "");
	else if (memcmp(sentinel, &control.nature, sizeof(*sentinel)) != 0 ||
		 memcmp(sentinel->uids, ours.uids, sizeof(ours.uids)) != 0 ||
		 memcmp(sentinel->gids, ours.gids, sizeof(ours.gids)) != 0 ||
		 sentinel->groups != ours.groups || sentinel->no_new_privs != ours.no_new_privs ||
		 sentinel->capabilities[3] != ours.capabilities[3])
		check_set(a->checks, CHECK_SENTINEL_TWIN, CHECK_BAD, 0, "%s", "");
	else if (sentinel->dumpable != 1)
		check_set(a->checks, CHECK_SENTINEL_TWIN, CHECK_BAD, 0, "it is not dumpable");
	else
		check_set(a->checks, CHECK_SENTINEL_TWIN, CHECK_OK, 0, "%s", "");
	return 0;
}

int twins_ask_control(struct attempt *a, enum check check)
{
	struct control_question question = {
		.pid = blind_spoils(check) ? a->control.pid : a->sentinel.pid,
		.nonce = a->nonce,
	};
	int r = record_send(a->control.fd, RECORD_READ, 0, &question, sizeof(question));

	return r < 0 ? attempt_give_up(a, CAUSE_CONTROL_FAILED, r, "the control process is gone")
		     : 0;
}

int twins_hear_control(struct attempt *a, enum check check)
{
	struct control_answer answer;
	int r = twin_receive(a, &a->control, RECORD_ANSWER, &answer, sizeof(answer));

	if (r < 0)
		return r;
	check_set(a->checks, check, answer.result == 0 ? CHECK_OK : CHECK_BAD, answer.result, "%s",
		  "");
	return 0;
}

int twins_ask_witness(struct attempt *a)
{
	const struct witness witness = {};
	int r = record_send(a->sentinel.fd, RECORD_WITNESS, 0, &witness, sizeof(witness));

	return r < 0 ? attempt_give_up(a, CAUSE_SENTINEL_DIED, r == -EPIPE ? 0 : r,
				       "the sentinel died")
		     : 0;
}

int twins_hear_witness(struct attempt *a)
{
	struct witness witness;
	int r = twin_receive(a, &a->sentinel, RECORD_WITNESS, &witness, sizeof(witness));

	if (r < 0)
		return r;
	if (witness.received == 0)
		check_set(a->checks, CHECK_SIGNALS, CHECK_OK, 0, "%s", "");
	else
		check_set(a->checks, CHECK_SIGNALS,
			  witness.sender == a->prober ? CHECK_BAD : CHECK_DOUBT, 0,
			  "%llx from process %d", (unsigned long long)witness.received,
			  witness.sender);
	return 0;
}

void twins_look_alive(struct attempt *a)
{
	siginfo_t info = {};
	int r;

	if (blind_spoils(CHECK_SENTINEL_ALIVE)) {
		(void)kill(a->sentinel.pid, SIGKILL);
		(void)waitid(P_PID, (id_t)a->sentinel.pid, &info, WEXITED | WNOWAIT);
	}
	r = waitid(P_PID, (id_t)a->sentinel.pid, &info, WEXITED | WNOHANG | WNOWAIT);

	check_set(a->checks, CHECK_SENTINEL_ALIVE,
		  r < 0              ? CHECK_DOUBT
		  : info.si_pid != 0 ? CHECK_BAD
				     : CHECK_OK,
		  r < 0 ? errno : 0, "%s", "");
}
