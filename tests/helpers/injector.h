/*
 * injector: answers the system calls of a child, so that the Nth occurrence of one fails.
 *
 * The child installs a filter (calls.h) and hands its listener over; the parent, here, counts
 * every call that the filter lets it see and says "go on", "fail with that errno", or kills the
 * caller before the call is made: seccomp_unotify(2), Linux 5.5.  No ptrace, so the child may be
 * anything, and its own children are covered too.
 *
 *	socketpair(...)
 *	fork: child:	injector_join(&rules, pair[1]); ... do the work ...
 *	      parent:	injector_serve(&rules, pair[0], child, 10000, &status);
 *
 * A rule's `before` is called while the caller waits at the call: what it does to the disk comes
 * between the call before and this one, every time.  With error 0 the call is made then, which
 * makes a race that is lost or won for certain.
 *
 * Include it in tests and helpers only.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/helpers/calls.h"

#define INJECTOR_GATE 900 /* the child's end of the socket, which the filter spares */

/* In the child: from here on the calls are watched.  0 or -errno. */
static inline int injector_join(const struct call_rules *rules, int socket_fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	char byte = 0;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int listener;

	if (dup3(socket_fd, INJECTOR_GATE, O_CLOEXEC) < 0)
		return -errno;
	listener = calls_install(rules, true, INJECTOR_GATE);
	if (listener < 0)
		return listener;
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &listener, sizeof(listener));
	return sendmsg(INJECTOR_GATE, &message, 0) == 1 ? 0 : -errno;
}

static inline int injector_receive(int socket_fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	char byte;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int listener;

	if (recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&message))
		return -ESRCH;
	memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(listener));
	return listener;
}

/* The errno that this call is to fail with, the first rule's that has one; 0: let it be made. */
static inline int injector_decide(struct call_rules *rules, const struct seccomp_data *call)
{
	int error = 0;

	for (size_t i = 0; i < rules->n; i++) {
		struct call_rule *rule = &rules->rule[i];

		if (call->nr != rule->number)
			continue;
		if (rule->argument >= 0 && !(call->args[rule->argument] & rule->mask))
			continue;
		rule->seen++;
		if (rule->first != 0 && rule->seen != rule->first &&
		    !(rule->and_later && rule->seen > rule->first))
			continue;
		rule->injected++;
		if (rule->before)
			rule->before(rule->context);
		if (!error)
			error = rule->error;
	}
	return error;
}

/* True when the caller runs the program that is to be left alone. */
static inline bool injector_spares(const struct call_rules *rules, pid_t pid)
{
	char path[32], program[256];
	const char *name;
	ssize_t n;

	if (!rules->spare)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, program, sizeof(program) - 1);
	if (n < 0)
		return false;
	program[n] = '\0';
	name = strrchr(program, '/');
	return name && strcmp(name + 1, rules->spare) == 0;
}

static inline void injector_answer(struct call_rules *rules, int listener)
{
	struct seccomp_notif call = {};
	struct seccomp_notif_resp answer = {};
	int error;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
		return;
	error = injector_spares(rules, (pid_t)call.pid) ? 0 : injector_decide(rules, &call.data);
	answer.id = call.id;
	if (error == CALLS_KILL)
		(void)kill((pid_t)call.pid, SIGKILL);
	else if (error)
		answer.error = -error;
	else
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/*
 * In the parent: answers until `child` is gone, then reaps it.  0 with its wait status; a child
 * that takes longer than `limit_ms` for one step is killed (-ETIMEDOUT, and reaped); -errno.
 */
static inline int injector_serve(struct call_rules *rules, int socket_fd, pid_t child, int limit_ms,
				 int *ret_status)
{
	int listener = injector_receive(socket_fd);
	int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd polls[] = { { .fd = listener, .events = POLLIN },
				  { .fd = pidfd, .events = POLLIN } };
	int r = 0;

	while (listener >= 0) {
		int n = poll(polls, 2, limit_ms);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			r = n < 0 ? -errno : -ETIMEDOUT;
			(void)kill(child, SIGKILL);
			break;
		}
		if (polls[0].revents & POLLIN)
			injector_answer(rules, listener);
		else if (polls[1].revents)
			break;
		else if (polls[0].revents)
			polls[0].fd = -1;
	}
	if (listener >= 0)
		(void)close(listener);
	else
		r = listener;
	(void)close(pidfd);
	return waitpid(child, ret_status, 0) < 0 ? -errno : r;
}
