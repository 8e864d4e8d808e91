/*
 * payload: the prober in the very sandbox that tools will get.  Starts it, meets it (the kernel
 * says who it is, and it is looked at from outside), asks it, hears its one record, dismisses it.
 */
#include "probes/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"
#include "probes/blind.h"
#include "probes/look.h"
#include "probes/prober.h"
#include "probes/record.h"
#include "probes/trial.h"

#define HINT_MAX 120 /* of what bwrap wrote to stderr */

/* The socket to the prober: the kernel itself says, in our numbers, who speaks on it. */
static int prober_socket(struct attempt *a, int *ret_theirs)
{
	const int yes = 1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	a->prober_fd = ends[0];
	*ret_theirs = ends[1];
	if (setsockopt(a->prober_fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) < 0)
		return -errno;
	return 0;
}

static int stdio_make(struct attempt *a, int *ret_null, int *ret_stderr)
{
	int ends[2];

	*ret_null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (*ret_null < 0)
		return -errno;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	a->stderr_fd = ends[0];
	*ret_stderr = ends[1];
	return 0;
}

/* The very command line that will be run, with ourselves as the tool. */
static int bwrap_start(struct attempt *a, int theirs, int null_fd, int stderr_fd)
{
	char number[12];
	char *argv[] = { a->self.path, (char *)PROBER_WORD, number, NULL };
	const int stdio[] = { null_fd, null_fd, stderr_fd };
	struct sandbox_command command = {
		.bwrap = a->request->bwrap,
		.proc = a->request->shape,
		.network = a->request->network,
		.mounts = &a->self.mount,
		.n_mounts = a->self.mount.kind != SANDBOX_MOUNT_NONE,
		.argv = argv,
		.keep_fds = &theirs,
		.n_keep_fds = 1,
		.stdio = stdio,
	};
	int r;

	(void)snprintf(number, sizeof(number), "%d", theirs);
	r = sandbox_start(&command, &a->bwrap, NULL);
	if (r < 0)
		return r;
	a->bwrap_pidfd = kernel_pidfd_open(a->bwrap.pid);
	return 0;
}

static void trial_explain(struct attempt *a)
{
	struct trial trial = trial_run(a->request->shape, a->request->network);

	a->trouble = trial_judge(&trial, a->request->facts);
}

int payload_start(struct attempt *a)
{
	AUTO_CLOSE int theirs = -1;
	AUTO_CLOSE int null_fd = -1;
	AUTO_CLOSE int stderr_fd = -1;
	int r = prober_socket(a, &theirs);

	if (r == 0)
		r = stdio_make(a, &null_fd, &stderr_fd);
	if (r == 0)
		r = bwrap_start(a, theirs, null_fd, stderr_fd);
	if (r == 0)
		return 0;
	trial_explain(a);
	return attempt_give_up(a, CAUSE_SETUP_FAILED, r, "the sandbox could not be started");
}

/* bwrap's own words, escaped; no decision ever depends on them. */
static void hint_add(struct attempt *a)
{
	AUTO_TEXT struct text shown = {};
	char said[HINT_MAX / 2];
	ssize_t n = read(a->stderr_fd, said, sizeof(said));

	while (n > 0 && said[n - 1] == '\n')
		n--;
	if (n <= 0)
		return;
	text_escape(&shown, said, (size_t)n);
	if (text_error(&shown) == 0) {
		size_t used = strlen(a->trouble.what);

		(void)snprintf(a->trouble.what + used, sizeof(a->trouble.what) - used, " (%s)",
			       shown.data);
	}
}

/* A file that the kernel will not exec stays so; a want of memory or of processes does not. */
static int not_started(struct attempt *a, const struct sandbox_failure *failure)
{
	bool not_a_program = failure->step == SANDBOX_STEP_EXEC &&
			     (failure->error == EACCES || failure->error == ENOEXEC ||
			      failure->error == ENOENT || failure->error == EPERM);

	(void)attempt_give_up(a, not_a_program ? CAUSE_BWRAP_REFUSED : CAUSE_SETUP_FAILED,
			      -failure->error, sandbox_step_name(failure->step));
	a->trouble.final = not_a_program;
	return -ECANCELED;
}

/* bwrap ended and nobody spoke from inside: the kernel's own errno says why, if it is its fault. */
static int sandbox_failed(struct attempt *a, int error)
{
	struct sandbox_failure failure = {};
	int r = attempt_wait(a, a->bwrap.failure_fd, true);

	if (r == 0)
		(void)sandbox_failure_read(a->bwrap.failure_fd, &failure);
	trial_explain(a);
	if (a->trouble.cause != CAUSE_NONE)
		return -ECANCELED;
	if (failure.step != SANDBOX_STEP_NONE)
		return not_started(a, &failure);
	(void)attempt_give_up(a, CAUSE_SETUP_FAILED, error == -EBADMSG ? error : 0,
			      error == -EBADMSG ? "what came out of the sandbox is no record"
						: "nobody spoke from inside the sandbox");
	hint_add(a);
	return -ECANCELED;
}

/* The sentinel hanging up and the prober hanging up are both -EPIPE: tell them apart. */
static bool sentinel_gone(const struct attempt *a)
{
	struct pollfd polled = { .fd = a->sentinel.fd, .events = 0 };

	return poll(&polled, 1, 0) > 0;
}

static int prober_receive(struct attempt *a, enum record_kind kind, uint64_t key, void *payload,
			  size_t length, pid_t *ret_sender)
{
	int r = attempt_wait(a, a->prober_fd, true);

	if (r == 0)
		r = record_receive(a->prober_fd, kind, key, payload, length, ret_sender);
	if (r == 0)
		return 0;
	if (r == -ETIMEDOUT || r == -ECANCELED)
		return attempt_give_up(a, CAUSE_TIMEOUT, r, "the sandbox did not come up in time");
	if (sentinel_gone(a))
		return attempt_give_up(a, CAUSE_SENTINEL_DIED, 0, "the sentinel died");
	return sandbox_failed(a, r);
}

int payload_meet(struct attempt *a)
{
	struct prober_hello hello;
	int r = prober_receive(a, RECORD_HELLO, 0, &hello, sizeof(hello), &a->prober);

	if (r < 0)
		return r;
	if (a->prober <= 0)
		return attempt_give_up(a, CAUSE_SETUP_FAILED, 0, "the prober has no pid here");
	look_outside(a->prober, a->request->network, a->checks);
	blind_checks(a->checks);
	return 0;
}

int payload_ask(struct attempt *a)
{
	struct prober_question question = {
		.nonce = a->nonce,
		.sentinel = a->sentinel.pid,
		.self = a->prober,
		.shape = (int32_t)a->request->shape,
		.may_signal = a->checks[CHECK_PID_NAMESPACE].state == CHECK_BAD,
		.environ_address = a->sentinel_hello.environ_address,
	};
	int r = look_pids_hidden();

	if (r < 0)
		return attempt_give_up(a, CAUSE_SETUP_FAILED, r, "the mounts could not be read");
	question.pids_hidden = r;
	if (blind_spoils(CHECK_SENTINEL_SEEN))
		question.nonce.tag[0] ^= 1;
	if (blind_spoils(CHECK_SENTINEL_ABSENT))
		memcpy(question.nonce.tag, PROBER_WORD, TAG_LENGTH);
	r = record_send(a->prober_fd, RECORD_LOOK, 0, &question, sizeof(question));

	return r < 0 ? attempt_give_up(a, CAUSE_SETUP_FAILED, r, "the prober is gone") : 0;
}

/* Only the prober's own checks, only known states, only printable details. */
static void prober_merge(struct attempt *a, const struct prober_answer *answer)
{
	for (enum check check = 0; check < CHECK_COUNT; check++) {
		struct check_result result = answer->checks[check];

		if (!prober_makes(check) || result.state < CHECK_MISSING || result.state > CHECK_OK)
			continue;
		result.detail[sizeof(result.detail) - 1] = '\0';
		for (char *c = result.detail; *c; c++) {
			if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
				*c = '?';
		}
		a->checks[check] = result;
	}
}

int payload_hear(struct attempt *a)
{
	struct prober_answer answer;
	pid_t sender = 0;
	int r = prober_receive(a, RECORD_SEEN, nonce_key(&a->nonce), &answer, sizeof(answer),
			       &sender);

	if (r < 0)
		return r;
	check_set(a->checks, CHECK_RECORD, CHECK_OK, 0, "%s", "");
	if (blind_spoils(CHECK_PROBER))
		sender++;
	check_set(a->checks, CHECK_PROBER, sender == a->prober ? CHECK_OK : CHECK_BAD, 0, "%s", "");
	prober_merge(a, &answer);
	return 0;
}

/* Dismisses the prober: after its one record there is silence, and then the end. */
int payload_dismiss(struct attempt *a)
{
	char more;
	int r;

	(void)shutdown(a->prober_fd, SHUT_WR);
	r = attempt_wait(a, a->prober_fd, false);
	if (r < 0)
		return attempt_give_up(a, CAUSE_SETUP_FAILED, r,
				       "the sandbox kept the prober's socket");
	if (recv(a->prober_fd, &more, 1, MSG_DONTWAIT) != 0)
		check_set(a->checks, CHECK_RECORD, CHECK_BAD, 0, "more than one");
	return 0;
}
