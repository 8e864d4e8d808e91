/* twin: see twin.h. */
#include "probes/twin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "init/descriptors.h"
#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "probes/blind.h"
#include "probes/record.h"
#include "probes/status.h"

#define TWIN_STATUS_MAX ((size_t)1 << 20) /* 65536 groups are 640 KiB of it */
#define PID_PATH_MAX 64

static uint64_t text_hash(const char *text, size_t length)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static int ids_parse(const char *status, const char *name, uint32_t ids[4])
{
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t value;
		int r = status_number(status, name, i, 10, &value);

		if (r < 0)
			return r;
		ids[i] = (uint32_t)value;
	}
	return 0;
}

/* All of it out of one text, so that nothing is left out when the kernel learns new ids. */
static int nature_parse(const char *status, struct twin_nature *nature)
{
	const char *groups = strstr(status, "\nGroups:");
	struct capability_sets sets;
	uint64_t no_new_privs;
	int r = capabilities_parse(status, &sets);

	if (r == 0)
		r = ids_parse(status, "Uid", nature->uids);
	if (r == 0)
		r = ids_parse(status, "Gid", nature->gids);
	if (r == 0)
		r = status_number(status, "NoNewPrivs", 0, 10, &no_new_privs);
	if (r == 0 && !groups)
		r = -EBADMSG;
	if (r < 0)
		return r;
	nature->groups = text_hash(groups + 1, strcspn(groups + 1, "\n"));
	nature->no_new_privs = (int32_t)no_new_privs;
	nature->capabilities[0] = sets.effective;
	nature->capabilities[1] = sets.permitted;
	nature->capabilities[2] = sets.inheritable;
	nature->capabilities[3] = sets.bounding;
	nature->capabilities[4] = sets.ambient;
	return 0;
}

int twin_nature_read(struct twin_nature *ret)
{
	AUTO_FREE char *status = NULL;
	struct twin_nature nature = {};
	int r = file_slurp(AT_FDCWD, "/proc/self/status", TWIN_STATUS_MAX, &status, NULL);

	if (r == 0)
		r = nature_parse(status, &nature);
	if (r < 0)
		return r;
	nature.dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
	if (nature.dumpable < 0)
		return -errno;
	*ret = nature;
	return 0;
}

/* In the child: exec with nothing but the nonce in the environment, and only this socket. */
static void twin_exec(int exe_fd, int fd, const struct nonce *nonce)
{
	char variable[sizeof(NONCE_VARIABLE) + NONCE_LENGTH];
	char number[12];
	char *envp[] = { nonce ? variable : NULL, NULL };
	char *argv[] = { (char *)"typeclaw-init",
			 (char *)(nonce ? TWIN_WORD_SENTINEL : TWIN_WORD_CONTROL), number,
			 (char *)(nonce ? nonce->tag : NULL), NULL };
	int keep[] = { exe_fd, fd };

	(void)snprintf(number, sizeof(number), "%d", fd);
	if (nonce)
		(void)snprintf(variable, sizeof(variable), "%s%s", NONCE_VARIABLE, nonce->secret);
	if (nonce && blind_spoils(CHECK_SENTINEL_TWIN))
		(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	descriptors_close_except(keep, ARRAY_SIZE(keep));
	if (descriptor_pass_on(fd) == 0)
		(void)kernel_exec_fd(exe_fd, argv, envp);
	_exit(127);
}

int twin_start(int exe_fd, const struct nonce *nonce, struct twin *ret)
{
	AUTO_CLOSE int ours = -1;
	AUTO_CLOSE int theirs = -1;
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	ours = ends[0];
	theirs = ends[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		twin_exec(exe_fd, theirs, nonce);
	*ret = (struct twin){ .pid = pid, .fd = fd_take(&ours) };
	return 0;
}

/* Waits for the next record; the runner's end hanging up is our end too. */
static int next_record(int fd, enum record_kind kind, void *ret_payload, size_t length)
{
	struct pollfd waited = { .fd = fd, .events = POLLIN };

	while (poll(&waited, 1, -1) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return record_receive(fd, kind, 0, ret_payload, length, NULL);
}

/* Dies with the runner, also when that was gone before the kernel knew our wish. */
static int twin_begin(int fd, const char *variable)
{
	struct pollfd leash = { .fd = fd, .events = POLLIN };
	struct twin_hello hello = { .environ_address = (uint64_t)(uintptr_t)variable };
	uint64_t all = ~UINT64_C(0);
	int r = kernel_sigprocmask(SIG_SETMASK, &all, NULL);

	if (r < 0)
		return r;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	if (poll(&leash, 1, 0) != 0)
		return -EPIPE;
	r = twin_nature_read(&hello.nature);
	if (r < 0)
		return r;
	return record_send(fd, RECORD_TWIN, 0, &hello, sizeof(hello));
}

/* What arrived while every signal was blocked; who sent the first of it, sigaction(2). */
static int witness_read(struct witness *ret)
{
	struct witness witness = {};
	const struct timespec now = {};
	siginfo_t info = {};
	int r = (int)KERNEL_CALL(SYS_rt_sigpending, &witness.received, sizeof(witness.received));

	if (r < 0)
		return r;
	r = kernel_sigtimedwait(~UINT64_C(0), &info, &now);
	if (r < 0 && r != -EAGAIN)
		return r;
	if (r > 0)
		witness.sender = info.si_pid;
	*ret = witness;
	return 0;
}

int twin_sentinel_main(int fd)
{
	struct witness question;
	struct witness witness;

	if (twin_begin(fd, environ[0]) < 0)
		return 1;
	while (next_record(fd, RECORD_WITNESS, &question, sizeof(question)) == 0) {
		if (witness_read(&witness) < 0 ||
		    record_send(fd, RECORD_WITNESS, 0, &witness, sizeof(witness)) < 0)
			return 1;
	}
	return 0;
}

/* The whole environ must be the nonce: a piece of it elsewhere is not the sentinel's. */
static int control_read(const struct control_question *question)
{
	char path[PID_PATH_MAX];
	char want[sizeof(NONCE_VARIABLE) + NONCE_LENGTH];
	char have[sizeof(want) + 1];
	AUTO_CLOSE int fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/environ", question->pid);
	(void)snprintf(want, sizeof(want), "%s%.*s", NONCE_VARIABLE, NONCE_LENGTH,
		       question->nonce.secret);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, have, sizeof(have));
	if (n < 0)
		return -errno;
	return (size_t)n == sizeof(want) && memcmp(have, want, sizeof(want)) == 0 ? 0 : -ENODATA;
}

int twin_control_main(int fd)
{
	struct control_question question;

	if (twin_begin(fd, NULL) < 0)
		return 1;
	while (next_record(fd, RECORD_READ, &question, sizeof(question)) == 0) {
		struct control_answer answer = { .result = control_read(&question) };

		if (record_send(fd, RECORD_ANSWER, 0, &answer, sizeof(answer)) < 0)
			return 1;
	}
	return 0;
}
