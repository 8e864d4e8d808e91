/* attempt: see attempt.h. */
#include "probes/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"
#include "probes/blind.h"
#include "probes/entries.h"
#include "probes/look.h"
#include "probes/nonce.h"
#include "probes/prober.h"
#include "probes/record.h"
#include "probes/stray.h"
#include "probes/trial.h"
#include "probes/twin.h"
#include "sandbox/self.h"

#define HINT_MAX 120 /* of what bwrap wrote to stderr */

struct attempt {
	const struct attempt_request *request;
	struct check_result checks[CHECK_COUNT];
	struct trouble trouble;
	struct nonce nonce;
	struct self self;
	struct twin sentinel;
	struct twin control;
	struct twin_hello sentinel_hello;
	struct sandbox_process bwrap;
	int bwrap_pidfd;
	int prober_fd; /* our end */
	int stderr_fd; /* what bwrap says, only a hint */
	pid_t prober;
};

/* Ends the attempt with a cause; the first one stands. */
static int give_up(struct attempt *a, enum probe_cause cause, int error, const char *what)
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

/*
 * Waits until `fd` can be read.  0; -ETIMEDOUT at the deadline; -ECANCELED when init is gone;
 * -EPIPE when the sentinel ends, -ECHILD when bwrap ends (where `for_bwrap`), and `fd` has
 * nothing to say.
 */
static int attempt_wait(struct attempt *a, int fd, bool for_bwrap)
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
		return give_up(a, CAUSE_SENTINEL_DIED, r == -EPIPE ? 0 : r, "the sentinel died");
	return give_up(a, CAUSE_CONTROL_FAILED, r, "the control process did not answer");
}

/* Every look goes through /proc: it must be a procfs, and count pids as we do. */
static int proc_judge(struct attempt *a)
{
	AUTO_CLOSE int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char link[24] = {};

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

static int start_twins(struct attempt *a)
{
	AUTO_CLOSE int exe = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	int r = exe < 0 ? -errno : 0;

	if (r == 0)
		r = twin_start(exe, &a->nonce, &a->sentinel);
	if (r == 0)
		r = twin_start(exe, NULL, &a->control);
	return r < 0 ? give_up(a, CAUSE_SETUP_FAILED, r, "the sentinel could not be started") : 0;
}

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

static int start_sandbox(struct attempt *a)
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
	return give_up(a, CAUSE_SETUP_FAILED, r, "the sandbox could not be started");
}

/* Twins are equal in everything, and the sentinel is dumpable as any exec'ed agent is. */
static int twins_compare(struct attempt *a)
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

static int control_ask(struct attempt *a, enum check check)
{
	struct control_question question = {
		.pid = blind_spoils(check) ? a->control.pid : a->sentinel.pid,
		.nonce = a->nonce,
	};
	int r = record_send(a->control.fd, RECORD_READ, 0, &question, sizeof(question));

	return r < 0 ? give_up(a, CAUSE_CONTROL_FAILED, r, "the control process is gone") : 0;
}

static int control_answer(struct attempt *a, enum check check)
{
	struct control_answer answer;
	int r = twin_receive(a, &a->control, RECORD_ANSWER, &answer, sizeof(answer));

	if (r < 0)
		return r;
	check_set(a->checks, check, answer.result == 0 ? CHECK_OK : CHECK_BAD, answer.result, "%s",
		  "");
	return 0;
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
		return give_up(a, CAUSE_SETUP_FAILED, -failure.error,
			       sandbox_step_name(failure.step));
	(void)give_up(a, CAUSE_SETUP_FAILED, error == -EBADMSG ? error : 0,
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
		return give_up(a, CAUSE_TIMEOUT, r, "the sandbox did not come up in time");
	if (sentinel_gone(a))
		return give_up(a, CAUSE_SENTINEL_DIED, 0, "the sentinel died");
	return sandbox_failed(a, r);
}

static int prober_meet(struct attempt *a)
{
	struct prober_hello hello;
	int r = prober_receive(a, RECORD_HELLO, 0, &hello, sizeof(hello), &a->prober);

	if (r < 0)
		return r;
	if (a->prober <= 0)
		return give_up(a, CAUSE_SETUP_FAILED, 0, "the prober has no pid here");
	look_outside(a->prober, a->request->network, a->checks);
	blind_checks(a->checks);
	return 0;
}

static int prober_ask(struct attempt *a)
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
		return give_up(a, CAUSE_SETUP_FAILED, r, "the mounts could not be read");
	question.pids_hidden = r;
	if (blind_spoils(CHECK_SENTINEL_SEEN))
		question.nonce.tag[0] ^= 1;
	if (blind_spoils(CHECK_SENTINEL_ABSENT))
		memcpy(question.nonce.tag, PROBER_WORD, TAG_LENGTH);
	r = record_send(a->prober_fd, RECORD_LOOK, 0, &question, sizeof(question));

	return r < 0 ? give_up(a, CAUSE_SETUP_FAILED, r, "the prober is gone") : 0;
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

static int prober_answer(struct attempt *a)
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
static int prober_dismiss(struct attempt *a)
{
	char more;
	int r;

	(void)shutdown(a->prober_fd, SHUT_WR);
	r = attempt_wait(a, a->prober_fd, false);
	if (r < 0)
		return give_up(a, CAUSE_SETUP_FAILED, r, "the sandbox kept the prober's socket");
	if (recv(a->prober_fd, &more, 1, MSG_DONTWAIT) != 0)
		check_set(a->checks, CHECK_RECORD, CHECK_BAD, 0, "more than one");
	return 0;
}

static int sentinel_witness(struct attempt *a)
{
	struct witness witness = {};
	int r = record_send(a->sentinel.fd, RECORD_WITNESS, 0, &witness, sizeof(witness));

	if (r < 0)
		return give_up(a, CAUSE_SENTINEL_DIED, r == -EPIPE ? 0 : r, "the sentinel died");
	r = twin_receive(a, &a->sentinel, RECORD_WITNESS, &witness, sizeof(witness));
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

static void sentinel_alive(struct attempt *a)
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

static int attempt_steps(struct attempt *a)
{
	int r = proc_judge(a);

	if (r < 0)
		return r;
	r = nonce_make(&a->nonce);
	if (r == 0)
		r = self_find(&a->self);
	if (r < 0)
		return give_up(a, CAUSE_SETUP_FAILED, r, "this program cannot find itself");
	r = start_sandbox(a); /* the longest chain first */
	if (r == 0)
		r = start_twins(a);
	if (r == 0)
		r = twins_compare(a);
	if (r == 0)
		r = control_ask(a, CHECK_CONTROL_BEFORE);
	if (r == 0)
		r = control_answer(a, CHECK_CONTROL_BEFORE);
	if (r == 0)
		r = prober_meet(a);
	if (r == 0)
		r = prober_ask(a);
	if (r == 0)
		r = prober_answer(a);
	if (r == 0)
		r = control_ask(a, CHECK_CONTROL_AFTER);
	if (r == 0)
		r = prober_dismiss(a);
	if (r == 0)
		r = sentinel_witness(a);
	if (r == 0)
		r = control_answer(a, CHECK_CONTROL_AFTER);
	if (r == 0)
		sentinel_alive(a);
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
