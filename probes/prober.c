/* prober: see prober.h. */
#include "probes/prober.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/own.h"
#include "probes/entries.h"
#include "probes/record.h"
#include "probes/secrets.h"

bool prober_makes(enum check check)
{
	return check >= CHECK_SENTINEL_SEEN && check <= CHECK_PROC_EMPTY;
}

static int wait_readable(int fd)
{
	struct pollfd waited = { .fd = fd, .events = POLLIN };

	while (poll(&waited, 1, -1) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* /proc/self is the reader's own pid in the PID namespace that the procfs was mounted for. */
static void look_at_self_link(const struct prober_question *question, struct check_result *checks)
{
	int64_t want = question->shape == SANDBOX_PROC_REAL ? getpid() : question->self;
	char link[24] = {};
	int64_t self;

	if (readlink("/proc/self", link, sizeof(link) - 1) < 0) {
		check_set(checks, CHECK_OWN_PROC, CHECK_DOUBT, errno, "/proc/self");
		return;
	}
	self = entry_number(link);
	if (self != want)
		check_set(checks, CHECK_OWN_PROC, CHECK_BAD, 0, "/proc/self is %lld, not %lld",
			  (long long)self, (long long)want);
}

static void look_at_own(const struct prober_question *question, struct check_result *checks)
{
	char byte;
	char link[8];
	AUTO_CLOSE int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int r = 0;

	check_set(checks, CHECK_OWN_PROC, CHECK_OK, 0, "%s", "");
	if (maps < 0 || read(maps, &byte, 1) != 1)
		r = errno ? errno : EIO;
	if (r == 0 && readlink("/proc/self/exe", link, sizeof(link)) < 0)
		r = errno;
	if (r == 0 && readlink("/proc/self/fd/0", link, sizeof(link)) < 0)
		r = errno;
	if (r != 0)
		check_set(checks, CHECK_OWN_PROC, CHECK_BAD, r, "%s", "");
	else
		look_at_self_link(question, checks);
}

/* Opening for writing changes nothing; what a mount forbids is EROFS once the mode allows it. */
static void look_at_writing(struct check_result *checks)
{
	static const char *const files[] = {
		"/proc/self/comm",
		"/proc/self/oom_score_adj",
		"/proc/sys/kernel/core_pattern",
		"/proc/sys/kernel/hostname",
		"/proc/sys/vm/drop_caches",
		"/proc/sysrq-trigger",
	};
	struct statvfs status;

	check_set(checks, CHECK_PROC_READ_ONLY, CHECK_OK, 0, "%s", "");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_CLOSE int fd = open(files[i], O_WRONLY | O_CLOEXEC);

		if (fd >= 0) {
			check_set(checks, CHECK_PROC_READ_ONLY, CHECK_BAD, 0, "%s", files[i]);
			return;
		}
		if (errno != EROFS &&
		    (i == 0 || (errno != EACCES && errno != EPERM && errno != ENOENT)))
			check_set(checks, CHECK_PROC_READ_ONLY, CHECK_DOUBT, errno, "%s", files[i]);
	}
	if (statvfs("/proc", &status) < 0)
		check_set(checks, CHECK_PROC_READ_ONLY, CHECK_DOUBT, errno, "statvfs of /proc");
	else if (!(status.f_flag & ST_RDONLY))
		check_set(checks, CHECK_PROC_READ_ONLY, CHECK_BAD, 0, "the mount is writable");
}

static void look_at_empty(struct check_result *checks)
{
	struct entries entries;
	int r = entries_open(AT_FDCWD, "/proc", &entries);

	if (r < 0) {
		check_set(checks, CHECK_PROC_EMPTY, CHECK_DOUBT, r, "%s", "");
		return;
	}
	if (entries_next(&entries))
		check_set(checks, CHECK_PROC_EMPTY, CHECK_BAD, 0, "%s", "");
	else
		check_set(checks, CHECK_PROC_EMPTY, entries.error ? CHECK_DOUBT : CHECK_OK,
			  entries.error, "%s", "");
	entries_close(&entries);
}

static void prober_look(const struct prober_question *question, struct check_result *checks)
{
	if (question->may_signal)
		(void)kill(question->sentinel, SIGURG);
	if (question->shape == SANDBOX_PROC_TMPFS) {
		look_at_empty(checks);
		return;
	}
	if (question->shape == SANDBOX_PROC_BIND)
		secrets_of_sentinel(question, checks);
	else
		secrets_sentinel_absent(question, checks);
	secrets_of_others(question, checks);
	look_at_own(question, checks);
	look_at_writing(checks);
}

int prober_main(int fd)
{
	struct prober_hello hello = {};
	struct prober_question question;
	struct prober_answer answer = {};

	if (record_send(fd, RECORD_HELLO, 0, &hello, sizeof(hello)) < 0 || wait_readable(fd) < 0 ||
	    record_receive(fd, RECORD_LOOK, 0, &question, sizeof(question), NULL) < 0)
		return 1;
	prober_look(&question, answer.checks);
	if (record_send(fd, RECORD_SEEN, nonce_key(&question.nonce), &answer, sizeof(answer)) < 0)
		return 1;
	return wait_readable(fd) < 0;
}
