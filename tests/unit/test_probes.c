/* probes: the pure parts (verdict, trial's judgement, texts), the record on its socket, the facts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"
#include "probes/checks.h"
#include "probes/look.h"
#include "probes/nonce.h"
#include "probes/probes.h"
#include "probes/record.h"
#include "probes/status.h"
#include "probes/trial.h"
#include "probes/verdict.h"

static const struct trouble no_trouble = {};

static void all_fine(struct check_result *checks)
{
	for (enum check check = 0; check < CHECK_COUNT; check++)
		check_set(checks, check, CHECK_OK, 0, "%s", "");
}

static bool demanded(enum sandbox_proc shape, enum check check)
{
	return check_row(check)->shapes & (1U << shape);
}

static bool is_proof(const struct probe_finding *finding)
{
	return finding->verdict == PROBE_SAFE || finding->verdict == PROBE_AVAILABLE;
}

static void complete_proof_is_safe_and_only_real_proc_is_available(void **state)
{
	(void)state;
	for (enum sandbox_proc shape = SANDBOX_PROC_TMPFS; shape <= SANDBOX_PROC_REAL; shape++) {
		struct check_result checks[CHECK_COUNT];
		struct probe_finding finding;

		all_fine(checks);
		verdict_reach(shape, checks, &no_trouble, &finding);
		assert_int_equal(finding.verdict,
				 shape == SANDBOX_PROC_REAL ? PROBE_AVAILABLE : PROBE_SAFE);
		assert_int_equal(finding.cause, CAUSE_NONE);
		assert_false(finding.final);
	}
}

static void a_check_that_is_missing_in_doubt_or_bad_is_never_safe(void **state)
{
	(void)state;
	for (enum sandbox_proc shape = SANDBOX_PROC_TMPFS; shape <= SANDBOX_PROC_REAL; shape++) {
		for (enum check check = 0; check < CHECK_COUNT; check++) {
			for (enum check_state now = CHECK_MISSING; now < CHECK_OK; now++) {
				struct check_result checks[CHECK_COUNT];
				struct probe_finding finding;
				bool unsafe = now == CHECK_BAD && check_row(check)->unsafe;

				all_fine(checks);
				check_set(checks, check, now, 0, "%s", "");
				verdict_reach(shape, checks, &no_trouble, &finding);
				if (!demanded(shape, check)) {
					assert_true(is_proof(&finding));
					continue;
				}
				assert_int_equal(finding.verdict,
						 unsafe && shape != SANDBOX_PROC_REAL
							 ? PROBE_UNSAFE
							 : PROBE_INCONCLUSIVE);
				assert_int_not_equal(finding.cause, CAUSE_NONE);
				assert_true(finding.evidence[0]);
			}
		}
	}
}

static void trouble_is_never_safe_but_a_leak_seen_before_it_stays_one(void **state)
{
	const struct trouble trouble = { .cause = CAUSE_TIMEOUT, .what = "too slow" };
	struct check_result checks[CHECK_COUNT];
	struct probe_finding finding;

	(void)state;
	all_fine(checks);
	verdict_reach(SANDBOX_PROC_BIND, checks, &trouble, &finding);
	assert_int_equal(finding.verdict, PROBE_INCONCLUSIVE);
	assert_int_equal(finding.cause, CAUSE_TIMEOUT);
	check_set(checks, CHECK_SENTINEL_ENVIRON, CHECK_BAD, 0, "%s", "");
	verdict_reach(SANDBOX_PROC_BIND, checks, &trouble, &finding);
	assert_int_equal(finding.verdict, PROBE_UNSAFE);
	assert_int_equal(finding.cause, CAUSE_LEAK);
	assert_true(finding.final);
}

static void the_boundary_that_explains_most_is_the_cause(void **state)
{
	static const struct {
		enum check bad[3];
		enum probe_cause bind, real;
	} rows[] = {
		{ { CHECK_SENTINEL_ENVIRON, CHECK_USER_NAMESPACE, CHECK_CAPABILITIES },
		  CAUSE_SAME_USERNS,
		  CAUSE_BWRAP_REFUSED },
		{ { CHECK_SIGNALS, CHECK_PID_NAMESPACE, CHECK_CAPABILITIES },
		  CAUSE_CAPABILITY_KEPT,
		  CAUSE_BWRAP_REFUSED },
		{ { CHECK_SIGNALS, CHECK_PID_NAMESPACE, CHECK_ROOT },
		  CAUSE_SIGNALABLE,
		  CAUSE_BWRAP_REFUSED },
		{ { CHECK_OTHERS_ENVIRON, CHECK_PROC_READ_ONLY, CHECK_ROOT },
		  CAUSE_LEAK,
		  CAUSE_LEAK },
		{ { CHECK_PROC_READ_ONLY, CHECK_PROC_READ_ONLY, CHECK_ROOT },
		  CAUSE_PROC_WRITABLE,
		  CAUSE_PROC_WRITABLE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct check_result checks[CHECK_COUNT];
		struct probe_finding finding;

		all_fine(checks);
		for (size_t j = 0; j < ARRAY_SIZE(rows[i].bad); j++)
			check_set(checks, rows[i].bad[j], CHECK_BAD, 0, "%s", "");
		verdict_reach(SANDBOX_PROC_BIND, checks, &no_trouble, &finding);
		assert_int_equal(finding.verdict, PROBE_UNSAFE);
		assert_int_equal(finding.cause, rows[i].bind);
		verdict_reach(SANDBOX_PROC_REAL, checks, &no_trouble, &finding);
		assert_int_equal(finding.verdict, PROBE_INCONCLUSIVE);
		assert_int_equal(finding.cause, rows[i].real);
	}
}

static void every_check_has_an_id_of_its_own_and_is_demanded_somewhere(void **state)
{
	(void)state;
	assert_true(CHECK_COUNT <= PROBE_CHECKS_MAX);
	for (enum check check = 0; check < CHECK_COUNT; check++) {
		assert_non_null(check_row(check)->id);
		assert_non_null(check_row(check)->failed);
		assert_int_not_equal(check_row(check)->cause, CAUSE_NONE);
		assert_int_not_equal(check_row(check)->shapes, 0);
		for (enum check other = 0; other < check; other++)
			assert_string_not_equal(check_row(check)->id, check_row(other)->id);
	}
}

static void every_verdict_and_cause_has_the_contracts_name(void **state)
{
	static const char *const causes[] = {
		"none",
		"leak",
		"same-userns",
		"signalable",
		"capability-kept",
		"proc-writable",
		"timeout",
		"sentinel-died",
		"control-failed",
		"setup-failed",
		"bwrap-missing",
		"bwrap-refused",
		"userns-blocked",
		"userns-limit",
		"mount-blocked",
		"pivot-root-blocked",
		"umount-blocked",
		"uid-map-blocked",
		"masked-proc",
		"no-sys-admin",
		"resource",
	};

	(void)state;
	assert_int_equal(ARRAY_SIZE(causes), CAUSE_RESOURCE + 1);
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		assert_string_equal(probe_cause_name((enum probe_cause)i), causes[i]);
	assert_string_equal(probe_verdict_name(PROBE_SKIPPED), "skipped");
	assert_string_equal(probe_verdict_name(PROBE_AVAILABLE), "available");
}

static void a_refusal_of_the_kernel_is_final_and_a_shortage_is_not(void **state)
{
	static const struct {
		struct trial trial;
		uint64_t max_user_namespaces;
		bool sys_admin;
		enum probe_cause cause;
		bool final;
	} rows[] = {
		{ { TRIAL_NONE, 0, false }, 1, true, CAUSE_NONE, false },
		{ { TRIAL_FORK, EAGAIN, false }, 1, true, CAUSE_RESOURCE, false },
		{ { TRIAL_PROC_NS, EPERM, false }, 1, false, CAUSE_NO_SYS_ADMIN, true },
		{ { TRIAL_PROC_NS, EPERM, false }, 1, true, CAUSE_USERNS_BLOCKED, true },
		{ { TRIAL_PROC_NS, ENOMEM, false }, 1, true, CAUSE_RESOURCE, false },
		{ { TRIAL_PROC_MOUNT, EPERM, false }, 1, true, CAUSE_MOUNT_BLOCKED, true },
		{ { TRIAL_PROC_MASKED, EPERM, false }, 1, true, CAUSE_MASKED_PROC, true },
		{ { TRIAL_USERNS, EPERM, false }, 1, true, CAUSE_USERNS_BLOCKED, true },
		{ { TRIAL_USERNS, ENOSYS, false }, 1, true, CAUSE_USERNS_BLOCKED, true },
		{ { TRIAL_USERNS, EINVAL, false }, 1, true, CAUSE_USERNS_BLOCKED, true },
		{ { TRIAL_USERNS, EAGAIN, false }, 1, true, CAUSE_RESOURCE, false },
		{ { TRIAL_USERNS, ENOSPC, false }, 1, true, CAUSE_USERNS_LIMIT, false },
		{ { TRIAL_USERNS, ENOSPC, false }, 0, true, CAUSE_USERNS_LIMIT, true },
		{ { TRIAL_UID_MAP, EPERM, false }, 1, true, CAUSE_UID_MAP_BLOCKED, true },
		{ { TRIAL_UID_MAP, ENOENT, false }, 1, true, CAUSE_UID_MAP_BLOCKED, false },
		{ { TRIAL_MOUNT, EACCES, false }, 1, true, CAUSE_MOUNT_BLOCKED, true },
		{ { TRIAL_PIVOT_ROOT, EPERM, true }, 1, true, CAUSE_PIVOT_ROOT_BLOCKED, true },
		{ { TRIAL_UMOUNT, EPERM, false }, 1, true, CAUSE_UMOUNT_BLOCKED, true },
		{ { TRIAL_SECOND_USERNS, EPERM, false }, 1, true, CAUSE_USERNS_BLOCKED, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct facts facts = {
			.max_user_namespaces = rows[i].max_user_namespaces,
			.max_user_namespaces_known = true,
			.capabilities = {
				.known = true,
				.effective = rows[i].sys_admin ? 1U << FACT_CAP_SYS_ADMIN : 0,
			},
		};
		struct trouble trouble = trial_judge(&rows[i].trial, &facts);

		assert_int_equal(trouble.cause, rows[i].cause);
		assert_int_equal(trouble.final, rows[i].final);
	}
}

static void a_trial_leaves_nothing_behind_and_says_the_same_twice(void **state)
{
	struct trial first = trial_run(SANDBOX_PROC_BIND, SANDBOX_NETWORK_NONE);
	struct trial second = trial_run(SANDBOX_PROC_BIND, SANDBOX_NETWORK_NONE);

	(void)state;
	assert_int_equal(first.step, second.step);
	assert_int_equal(first.error, second.error);
}

static void only_bwraps_root_is_taken_for_it(void **state)
{
	static const struct {
		const char *mountinfo;
		bool want;
	} rows[] = {
		{ "65 42 0:40 /newroot / rw,nosuid - tmpfs tmpfs rw\n66 65 254:0 /usr /usr ro - "
		  "ext4 a rw\n",
		  true },
		{ "65 42 0:40 /newroot / rw,nosuid shared:1 master:2 - tmpfs tmpfs rw\n", true },
		{ "65 42 0:40 / / rw - tmpfs tmpfs rw\n", false },
		{ "65 42 0:40 /newroot / rw - ext4 /dev/vda rw\n", false },
		{ "65 42 0:40 /newroot /x rw - tmpfs tmpfs rw\n", false },
		{ "65 42 0:40 /newrootx / rw - tmpfs tmpfs rw\n", false },
		{ "66 65 0:1 /newroot /x rw - tmpfs tmpfs rw\n65 42 0:40 / / rw - overlay o rw\n",
		  false },
		{ "", false },
		{ "garbage\n", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(look_root_is_bwraps(rows[i].mountinfo), rows[i].want);
}

static void hidden_pids_are_seen_in_the_mount_that_counts(void **state)
{
	static const struct {
		const char *mountinfo;
		bool want;
	} rows[] = {
		{ "22 1 0:21 / /proc rw - proc proc rw\n", false },
		{ "22 1 0:21 / /proc rw - proc proc rw,hidepid=invisible\n", true },
		{ "22 1 0:21 / /proc rw - proc proc rw,gid=4,hidepid=2\n", true },
		{ "22 1 0:21 / /proc rw - proc proc rw,hidepid=2\n30 22 0:33 / /proc rw - proc "
		  "proc rw\n",
		  false },
		{ "22 1 0:21 / /proc rw - proc proc rw\n30 1 0:33 / /mnt rw - proc proc "
		  "rw,hidepid=2\n",
		  false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(look_hides_pids(rows[i].mountinfo), rows[i].want);
}

static void numbers_of_a_status_file_are_read_strictly(void **state)
{
	static const char status[] =
		"Name:\tx y\nUid:\t1000\t1001\t0\t5\nCapEff:\t00000000a80425fb\n"
		"Bad:\t12x\nEmpty:\t\nHuge:\t99999999999999999999999\n"
		"Fake: 1\nName2:\nLast:\t7";
	static const struct {
		const char *name;
		unsigned int index;
		int base, want;
		uint64_t value;
	} rows[] = {
		{ "Uid", 0, 10, 0, 1000 },
		{ "Uid", 1, 10, 0, 1001 },
		{ "Uid", 3, 10, 0, 5 },
		{ "Uid", 4, 10, -ENOENT, 0 },
		{ "CapEff", 0, 16, 0, 0xa80425fb },
		{ "CapEff", 0, 10, -EBADMSG, 0 },
		{ "Bad", 0, 10, -EBADMSG, 0 },
		{ "Empty", 0, 10, -ENOENT, 0 },
		{ "Huge", 0, 10, -EBADMSG, 0 },
		{ "Missing", 0, 10, -ENOENT, 0 },
		{ "id", 0, 10, -ENOENT, 0 },
		{ "Last", 0, 10, 0, 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 0;

		assert_int_equal(
			status_number(status, rows[i].name, rows[i].index, rows[i].base, &value),
			rows[i].want);
		assert_int_equal(value, rows[i].value);
	}
}

/* A pair of sockets, ours with the kernel's word on who speaks. */
static void sockets(int *ret_ours, int *ret_theirs)
{
	const int yes = 1;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)), 0);
	*ret_ours = ends[0];
	*ret_theirs = ends[1];
}

static void a_record_arrives_whole_and_names_its_sender(void **state)
{
	AUTO_CLOSE int ours = -1;
	AUTO_CLOSE int theirs = -1;
	char sent[100] = "what was seen", got[100] = {};
	pid_t sender = 0;

	(void)state;
	sockets(&ours, &theirs);
	assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), &sender), -EAGAIN);
	assert_int_equal(record_send(theirs, RECORD_SEEN, 7, sent, sizeof(sent)), 0);
	assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), &sender), 0);
	assert_memory_equal(sent, got, sizeof(sent));
	assert_int_equal(sender, getpid());
	fd_close(&theirs);
	assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), NULL), -EPIPE);
}

static void a_record_of_another_kind_key_or_length_is_refused(void **state)
{
	static const struct {
		enum record_kind kind;
		uint64_t key;
		size_t length;
	} rows[] = {
		{ RECORD_HELLO, 7, 100 }, { RECORD_SEEN, 8, 100 }, { RECORD_SEEN, 7, 99 },
		{ RECORD_SEEN, 7, 101 },  { RECORD_SEEN, 7, 0 },
	};
	AUTO_CLOSE int ours = -1;
	AUTO_CLOSE int theirs = -1;
	char sent[101] = {}, got[100];

	(void)state;
	sockets(&ours, &theirs);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(got, 'x', sizeof(got));
		assert_int_equal(
			record_send(theirs, rows[i].kind, rows[i].key, sent, rows[i].length), 0);
		assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), NULL),
				 -EBADMSG);
		assert_int_equal(got[0], 'x');
	}
}

static void a_record_with_any_byte_changed_or_cut_is_refused(void **state)
{
	AUTO_CLOSE int ours = -1;
	AUTO_CLOSE int theirs = -1;
	char sent[32] = "payload", got[32], wire[128];
	ssize_t length;

	(void)state;
	sockets(&ours, &theirs);
	assert_int_equal(record_send(theirs, RECORD_SEEN, 7, sent, sizeof(sent)), 0);
	length = recv(ours, wire, sizeof(wire), 0);
	assert_true(length > (ssize_t)sizeof(sent));
	for (ssize_t i = 0; i < length; i++) {
		wire[i] ^= 1;
		assert_int_equal(send(theirs, wire, (size_t)length, 0), length);
		assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), NULL),
				 -EBADMSG);
		wire[i] ^= 1;
	}
	for (ssize_t cut = 1; cut < length; cut++) {
		assert_int_equal(send(theirs, wire, (size_t)cut, 0), cut);
		assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), NULL),
				 -EBADMSG);
	}
	assert_int_equal(send(theirs, wire, (size_t)length, 0), length);
	assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), NULL), 0);
}

static void a_descriptor_that_comes_with_a_record_is_refused_and_not_kept(void **state)
{
	AUTO_CLOSE int ours = -1;
	AUTO_CLOSE int theirs = -1;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	char byte = 'x', got[32];
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int before = dup(0), after;

	(void)state;
	(void)close(before);
	sockets(&ours, &theirs);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &theirs, sizeof(int));
	assert_int_equal(sendmsg(theirs, &message, 0), 1);
	assert_int_equal(record_receive(ours, RECORD_SEEN, 7, got, sizeof(got), NULL), -EBADMSG);
	after = dup(0);
	assert_int_equal(after, before + 2); /* the two sockets */
	(void)close(after);
}

static void nonces_differ_and_are_found_in_what_holds_them(void **state)
{
	struct nonce one, two;
	char haystack[200];

	(void)state;
	assert_int_equal(nonce_make(&one), 0);
	assert_int_equal(nonce_make(&two), 0);
	assert_int_equal(strlen(one.secret), NONCE_LENGTH);
	assert_int_equal(strlen(one.tag), TAG_LENGTH);
	assert_string_not_equal(one.secret, two.secret);
	assert_true(nonce_key(&one) != nonce_key(&two));
	memset(haystack, 0, sizeof(haystack));
	memcpy(haystack + 100, one.secret, NONCE_LENGTH);
	assert_true(bytes_contain(haystack, sizeof(haystack), one.secret));
	assert_false(bytes_contain(haystack, 100 + NONCE_LENGTH - 1, one.secret));
	assert_false(bytes_contain(haystack, sizeof(haystack), two.secret));
}

static void tree_write(int root, const char *path, const char *text)
{
	AUTO_CLOSE int fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
}

/* The files of another host's /proc, below a directory of ours. */
static int tree_make(const char *status, const char *uid_map, const char *limit)
{
	char name[] = "/tmp/typeclaw-facts-XXXXXX";
	static const char *const folders[] = { "proc", "proc/self", "proc/sys", "proc/sys/user" };
	int root;

	assert_non_null(mkdtemp(name));
	root = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		assert_int_equal(mkdirat(root, folders[i], 0700), 0);
	if (status)
		tree_write(root, "proc/self/status", status);
	if (uid_map)
		tree_write(root, "proc/self/uid_map", uid_map);
	if (limit)
		tree_write(root, "proc/sys/user/max_user_namespaces", limit);
	return root;
}

static void tree_remove(int root)
{
	char path[64], name[256];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", root);
	n = readlink(path, name, sizeof(name) - 1);
	assert_true(n > 0);
	name[n] = '\0';
	(void)unlinkat(root, "proc/self/status", 0);
	(void)unlinkat(root, "proc/self/uid_map", 0);
	(void)unlinkat(root, "proc/sys/user/max_user_namespaces", 0);
	(void)unlinkat(root, "proc/sys/user", AT_REMOVEDIR);
	(void)unlinkat(root, "proc/sys", AT_REMOVEDIR);
	(void)unlinkat(root, "proc/self", AT_REMOVEDIR);
	(void)unlinkat(root, "proc", AT_REMOVEDIR);
	assert_int_equal(rmdir(name), 0);
	(void)close(root);
}

static void facts_of_another_host_are_replayed_from_its_files(void **state)
{
	int root = tree_make("Uid:\t1000\t1001\t0\t0\nGid:\t5\t6\t7\t8\nCapInh:\t0000000000000000\n"
			     "CapPrm:\t00000000a80425fb\nCapEff:\t0000000000200000\n"
			     "CapBnd:\t00000000a82425fb\nCapAmb:\t0000000000000000\n"
			     "NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\n",
			     "         0          0 4294967295\n", "0\n");
	struct facts facts;

	(void)state;
	assert_int_equal(facts_read(root, &facts, NULL), 0);
	tree_remove(root);
	assert_int_equal(facts.uid, 1001);
	assert_int_equal(facts.gid, 6);
	assert_true(facts.capabilities.known);
	assert_int_equal(facts.capabilities.bounding, 0xa82425fb);
	assert_true(facts_capable(&facts, FACT_CAP_SYS_ADMIN));
	assert_false(facts_capable(&facts, FACT_CAP_SETFCAP));
	assert_true(facts.no_new_privs);
	assert_int_equal(facts.seccomp_mode, SECCOMP_FILTER);
	assert_int_equal(facts.seccomp_filters, 3);
	assert_true(facts.initial_userns);
	assert_true(facts.max_user_namespaces_known);
	assert_int_equal(facts.max_user_namespaces, 0);
	assert_false(facts.proc_mounted); /* files on a disk are no procfs */
}

static void facts_that_cannot_be_read_stay_unknown(void **state)
{
	int root = tree_make("Uid:\tx\nCapEff:\tzz\nSeccomp:\t9\n", "0 1000 1\n", "many\n");
	struct facts facts;

	(void)state;
	assert_int_equal(facts_read(root, &facts, NULL), 0);
	tree_remove(root);
	assert_false(facts.capabilities.known);
	assert_false(facts_capable(&facts, FACT_CAP_SYS_ADMIN));
	assert_int_equal(facts.seccomp_mode, SECCOMP_UNKNOWN);
	assert_false(facts.initial_userns);
	assert_false(facts.max_user_namespaces_known);
}

static void the_facts_of_this_host_are_what_the_kernel_says(void **state)
{
	AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int empty = tree_make(NULL, NULL, NULL);
	struct facts facts, asked;

	(void)state;
	assert_int_equal(facts_read(root, &facts, NULL), 0);
	/* Without /proc the kernel is asked, and says the same. */
	assert_int_equal(facts_read(empty, &asked, NULL), 0);
	tree_remove(empty);
	assert_true(facts.proc_mounted);
	assert_int_equal(facts.uid, geteuid());
	assert_int_equal(asked.uid, facts.uid);
	assert_int_equal(asked.no_new_privs, facts.no_new_privs);
	assert_int_equal(asked.seccomp_mode, facts.seccomp_mode);
	assert_memory_equal(&asked.capabilities, &facts.capabilities, sizeof(facts.capabilities));
}

static void probes_of_this_host_end_and_leave_no_child(void **state)
{
	const struct probes_request request = {
		.proc_bind = true,
		.tmpfs = true,
		.agent_dir = "/agent",
		.attempt_timeout_ms = 10000,
		.budget_ms = 20000,
	};
	uint64_t all = ~UINT64_C(0), old;
	struct findings findings;
	struct facts facts = {};

	(void)state;
	(void)kernel_sigprocmask(SIG_SETMASK, &all, &old);
	assert_int_equal(probes_run(&request, &facts, &findings, NULL), 0);
	(void)kernel_sigprocmask(SIG_SETMASK, &old, NULL);
	assert_int_not_equal(findings.proc_bind.verdict, PROBE_SKIPPED);
	assert_int_not_equal(findings.proc_bind.verdict, PROBE_UNSAFE);
	assert_int_equal(findings.proc_bind.attempts, 1);
	assert_int_equal(findings.real_proc.verdict, PROBE_SKIPPED);
	print_message("%s: %s\n", probe_verdict_name(findings.proc_bind.verdict),
		      findings.proc_bind.evidence);
}

/* Inconclusive is tried again after each backoff, and no attempt starts after the budget. */
static void retries_follow_the_schedule_and_the_budget_wins(void **state)
{
	struct probes_request request = {
		.proc_bind = true,
		.agent_dir = "/agent",
		.bwrap = "/usr/bin/true", /* proves nothing, and is not final */
		.retry_backoff_ms = { 30, 60, 120 },
		.n_retries = 3,
		.attempt_timeout_ms = 5000,
		.budget_ms = 20000,
	};
	uint64_t all = ~UINT64_C(0), old, begun = kernel_now_ms();
	struct findings findings;
	struct facts facts = {};

	(void)state;
	(void)kernel_sigprocmask(SIG_SETMASK, &all, &old);
	assert_int_equal(probes_run(&request, &facts, &findings, NULL), 0);
	assert_int_equal(findings.proc_bind.verdict, PROBE_INCONCLUSIVE);
	if (!findings.proc_bind.final) { /* a kernel that refuses is no place for this */
		assert_int_equal(findings.proc_bind.attempts, 4);
		assert_true(kernel_now_ms() - begun >= 210);
		request.budget_ms = 20;
		assert_int_equal(probes_run(&request, &facts, &findings, NULL), 0);
		assert_int_equal(findings.proc_bind.attempts, 1);
	}
	(void)kernel_sigprocmask(SIG_SETMASK, &old, NULL);
}

static void a_signal_to_stop_ends_the_probes_and_is_taken(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT };
	const struct probes_request request = {
		.proc_bind = true,
		.agent_dir = "/agent",
		.attempt_timeout_ms = 5000,
		.budget_ms = 5000,
	};
	uint64_t all = ~UINT64_C(0), old, pending = 0;
	struct findings findings;
	struct facts facts = {};

	(void)state;
	(void)kernel_sigprocmask(SIG_SETMASK, &all, &old);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		assert_int_equal(kill(getpid(), signals[i]), 0);
		assert_int_equal(probes_run(&request, &facts, &findings, NULL), signals[i]);
		assert_int_equal(KERNEL_CALL(SYS_rt_sigpending, &pending, sizeof(pending)), 0);
		assert_int_equal(pending & kernel_signal_bit(signals[i]), 0);
	}
	(void)kernel_sigprocmask(SIG_SETMASK, &old, NULL);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_proof_is_safe_and_only_real_proc_is_available),
		cmocka_unit_test(a_check_that_is_missing_in_doubt_or_bad_is_never_safe),
		cmocka_unit_test(trouble_is_never_safe_but_a_leak_seen_before_it_stays_one),
		cmocka_unit_test(the_boundary_that_explains_most_is_the_cause),
		cmocka_unit_test(every_check_has_an_id_of_its_own_and_is_demanded_somewhere),
		cmocka_unit_test(every_verdict_and_cause_has_the_contracts_name),
		cmocka_unit_test(a_refusal_of_the_kernel_is_final_and_a_shortage_is_not),
		cmocka_unit_test(a_trial_leaves_nothing_behind_and_says_the_same_twice),
		cmocka_unit_test(only_bwraps_root_is_taken_for_it),
		cmocka_unit_test(hidden_pids_are_seen_in_the_mount_that_counts),
		cmocka_unit_test(numbers_of_a_status_file_are_read_strictly),
		cmocka_unit_test(a_record_arrives_whole_and_names_its_sender),
		cmocka_unit_test(a_record_of_another_kind_key_or_length_is_refused),
		cmocka_unit_test(a_record_with_any_byte_changed_or_cut_is_refused),
		cmocka_unit_test(a_descriptor_that_comes_with_a_record_is_refused_and_not_kept),
		cmocka_unit_test(nonces_differ_and_are_found_in_what_holds_them),
		cmocka_unit_test(facts_of_another_host_are_replayed_from_its_files),
		cmocka_unit_test(facts_that_cannot_be_read_stay_unknown),
		cmocka_unit_test(the_facts_of_this_host_are_what_the_kernel_says),
		cmocka_unit_test(probes_of_this_host_end_and_leave_no_child),
		cmocka_unit_test(retries_follow_the_schedule_and_the_budget_wins),
		cmocka_unit_test(a_signal_to_stop_ends_the_probes_and_is_taken),
	};
	int r = probes_main(argc, argv);

	if (r >= 0)
		return r;
	return cmocka_run_group_tests_name("probes", tests, NULL, NULL);
}
