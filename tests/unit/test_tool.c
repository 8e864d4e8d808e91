/* tool: links as a tool sees them, the order of mounts, what can be denied beyond the sandbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sandbox/homelinks.h"
#include "sandbox/profile.h"
#include "sandbox/tighten.h"
#include "tests/unit/ground.h"

/* A member's policy over an agent folder with workspace/a, workspace/b and public. */
static void policy_begin(struct ground *ground, struct policy *ret)
{
	static const char *const targets[] = { "workspace/a", "workspace/b" };
	struct policy_request request = { .see = SEE_PRIVATE,
					  .link_targets = targets,
					  .n_link_targets = 2 };
	struct fault f = {};
	char path[160];

	ground_begin(ground);
	for (size_t i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s/x", ground->agent, targets[i]);
		ground_make_parents(path);
	}
	(void)snprintf(path, sizeof(path), "%s/.env", ground->agent);
	ground_write(path, "KEY=1");
	request.agent_dir = ground->agent;
	assert_int_equal(policy_resolve(&request, ret, &f), 0);
}

static void each_link_inside_is_judged_with_its_reason(void **state)
{
	static const struct {
		const char *from, *to;
		enum homelink_verdict want;
	} rows[] = {
		{ "~/.a", "workspace/a", HOMELINK_TAKEN },
		{ "~/.a", "workspace/b", HOMELINK_OVERLAPS },
		{ "~/.a/b", "workspace/b", HOMELINK_OVERLAPS },
		{ "~/.b/c", "./workspace//b/", HOMELINK_TAKEN },
		{ "~/.b", "workspace/a", HOMELINK_OVERLAPS },
		{ "/opt/a", "workspace/a", HOMELINK_TAKEN },
		{ "/tmp", "workspace/a", HOMELINK_READ_ONLY },
		{ "~/", "workspace/a", HOMELINK_READ_ONLY },
		{ "/usr/a", "workspace/a", HOMELINK_READ_ONLY },
		{ "/etc/../opt/b", "workspace/a", HOMELINK_BAD_FROM },
		{ "/proc/self/a", "workspace/a", HOMELINK_READ_ONLY },
		{ "/typeclaw-init", "workspace/a", HOMELINK_READ_ONLY },
		{ "relative", "workspace/a", HOMELINK_BAD_FROM },
		{ "~root/a", "workspace/a", HOMELINK_BAD_FROM },
		{ "/", "workspace/a", HOMELINK_BAD_FROM },
		{ "", "workspace/a", HOMELINK_BAD_FROM },
		{ "~/.c", "workspace/missing", HOMELINK_NOT_WRITABLE },
		{ "~/.c", "../outside", HOMELINK_NOT_WRITABLE },
		{ "~/.c", ".env", HOMELINK_NOT_WRITABLE },
		{ "~/.c", "", HOMELINK_NOT_WRITABLE },
	};
	AUTO_POLICY struct policy policy = POLICY_NONE;
	AUTO_HOMELINKS struct homelinks links = {};
	struct ground ground;
	char inside[160];

	(void)state;
	policy_begin(&ground, &policy);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(homelinks_add(&links, &policy, rows[i].from, rows[i].to), 0);
		if (links.list[i].verdict != rows[i].want)
			fail_msg("%s -> %s: %s", rows[i].from, rows[i].to,
				 homelink_verdict_name(links.list[i].verdict));
	}
	(void)snprintf(inside, sizeof(inside), "%s/x", ground.agent);
	assert_int_equal(homelinks_add(&links, &policy, inside, "workspace/a"), 0);
	assert_int_equal(links.list[links.n - 1].verdict, HOMELINK_IN_AGENT);
	assert_int_equal(homelinks_add(&links, &policy, ground.root, "workspace/a"), 0);
	assert_int_equal(links.list[links.n - 1].verdict, HOMELINK_IN_AGENT);
	assert_string_equal(links.list[3].path, "/tmp/.b/c");
	(void)snprintf(inside, sizeof(inside), "%s/workspace/b", ground.agent);
	assert_string_equal(links.list[3].target, inside);
	ground_end(&ground);
}

static void links_in_a_session_are_never_made_through_links(void **state)
{
	AUTO_POLICY struct policy policy = POLICY_NONE;
	AUTO_HOMELINKS struct homelinks links = {};
	AUTO_LAYOUT struct layout layout = {};
	struct ground ground;
	char path[160], victim[160], says[256];
	ssize_t length;
	int fd;

	(void)state;
	policy_begin(&ground, &policy);
	(void)snprintf(victim, sizeof(victim), "%s/victim", ground.root);
	(void)snprintf(path, sizeof(path), "%s/session", ground.root);
	assert_int_equal(mkdir(victim, 0700) | mkdir(path, 0700), 0);
	fd = open(path, O_PATH | O_CLOEXEC);
	assert_int_equal(symlinkat(victim, fd, ".config"), 0);
	assert_int_equal(homelinks_add(&links, &policy, "~/.config/x", "workspace/a"), 0);
	assert_int_equal(homelinks_add(&links, &policy, "~/.local/y", "workspace/a"), 0);
	assert_int_equal(homelinks_add(&links, &policy, "/opt/z", "workspace/a"), 0);
	homelinks_place(&links, fd, &layout);
	assert_int_equal(links.list[0].verdict, HOMELINK_OCCUPIED);
	assert_int_equal(links.list[1].verdict, HOMELINK_TAKEN);
	assert_int_equal(rmdir(victim), 0); /* empty still */
	length = readlinkat(fd, ".local/y", says, sizeof(says));
	assert_int_equal(length, strlen(links.list[1].target));
	assert_int_equal(layout.n, 1); /* bwrap makes what is not in /tmp */
	homelinks_place(&links, fd, &layout);
	assert_int_equal(links.list[1].verdict, HOMELINK_TAKEN);
	(void)close(fd);
	ground_end(&ground);
}

static void masks_come_before_zones_and_after_the_agent_folder(void **state)
{
	AUTO_POLICY struct policy policy = POLICY_NONE;
	AUTO_LAYOUT struct layout layout = { .by_descriptor = true };
	struct ground ground;

	(void)state;
	policy_begin(&ground, &policy);
	layout_agent(&layout, &policy);
	assert_int_equal(layout_error(&layout), 0);
	assert_int_equal(layout.n, 3);
	assert_int_equal(layout.mounts[0].kind, SANDBOX_MOUNT_RO_BIND_FD);
	assert_string_equal(layout.mounts[0].path, ground.agent);
	assert_int_equal(layout.mounts[1].kind, SANDBOX_MOUNT_EMPTY_FILE);
	assert_non_null(strstr(layout.mounts[1].path, "/.env"));
	assert_int_equal(layout.mounts[2].kind, SANDBOX_MOUNT_BIND_FD);
	assert_non_null(strstr(layout.mounts[2].path, "/workspace"));
	ground_end(&ground);
}

/* In a child: the filter is loaded, and a call is tried. */
static int denied(long number, long first)
{
	struct sock_filter filter[128];
	struct sock_fprog program = { .filter = filter };
	int status;
	pid_t pid;

	program.len = (unsigned short)(tighten_program(filter, sizeof(filter)) / sizeof(*filter));
	assert_true(program.len <= ARRAY_SIZE(filter));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			_exit(99);
		errno = 0;
		_exit(syscall(number, first, 0, 0, 0, 0, 0) < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void the_filter_denies_what_it_says_and_nothing_else(void **state)
{
	static const struct {
		long number;
		long first;
		int want;
	} rows[] = {
		{ SYS_unshare, 0x10000000, EPERM }, /* CLONE_NEWUSER */
		{ SYS_unshare, 0x00020000, EPERM }, /* CLONE_NEWNS */
		{ SYS_unshare, 0x00000400, 0 },     /* CLONE_FILES */
		{ SYS_clone, 0x10000011, EPERM },
		{ SYS_clone3, 0, ENOSYS },
		{ SYS_mount, 0, EPERM },
		{ SYS_umount2, 0, EPERM },
		{ SYS_setns, -1, EPERM },
		{ SYS_ptrace, 0, EPERM },
		{ SYS_keyctl, 0, EPERM },
		{ SYS_add_key, 0, EPERM },
		{ SYS_io_uring_setup, 0, EPERM },
		{ SYS_bpf, 0, EPERM },
		{ SYS_getpid, 0, 0 },
		{ SYS_getuid, 0, 0 },
#if defined(__x86_64__)
		{ 0x40000000 | SYS_getpid, 0, 128 + SIGSYS }, /* x32 */
#endif
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int found = denied(rows[i].number, rows[i].first);

		if (found != rows[i].want)
			fail_msg("row %zu: %d, not %d", i, found, rows[i].want);
	}
}

static void limits_are_read_strictly(void **state)
{
	static const char *const bad[] = {
		"",         "nproc", "nproc=",   "nproc=0", "nproc=-1", "x=1",
		"nproc=1k", "=1",    "nproc =1", "NPROC=1", "as=01",    "as=99999999999999999999"
	};
	struct sandbox_limit limit;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tighten_limit_parse(bad[i], &limit, NULL), -EINVAL);
	assert_int_equal(tighten_limit_parse("as=1048576", &limit, NULL), 0);
	assert_int_equal(limit.resource, RLIMIT_AS);
	assert_int_equal(limit.value, 1048576);
}

static void hidden_pids_are_known_by_how_proc_is_mounted(void **state)
{
	static const char plain[] = "24 30 0:22 / /proc rw,nosuid - proc proc rw\n";
	static const char hidden[] = "24 30 0:22 / /proc rw - proc proc rw,hidepid=ptraceable\n";
	AUTO_TEXT struct text t = {};

	(void)state;
	assert_false(tighten_pids_hidden(""));
	assert_false(tighten_pids_hidden(plain));
	assert_true(tighten_pids_hidden(hidden));
	assert_false(
		tighten_pids_hidden("24 30 0:22 / /proc rw - proc proc rw,hidepid=invisible\n"));
	assert_false(tighten_pids_hidden("24 30 0:22 / /x rw - proc proc rw,hidepid=4\n"));
	text_add(&t, "%s%s", hidden, plain); /* the later one lies on top */
	assert_false(tighten_pids_hidden(t.data));
}

static void profiles_are_two_words(void **state)
{
	(void)state;
	assert_int_equal(profile_parse("public-bot"), PROFILE_PUBLIC_BOT);
	assert_int_equal(profile_parse("trusted-maintenance"), PROFILE_TRUSTED_MAINTENANCE);
	assert_int_equal(profile_parse("none"), PROFILE_NONE);
	assert_int_equal(profile_parse(""), PROFILE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_link_inside_is_judged_with_its_reason),
		cmocka_unit_test(links_in_a_session_are_never_made_through_links),
		cmocka_unit_test(masks_come_before_zones_and_after_the_agent_folder),
		cmocka_unit_test(the_filter_denies_what_it_says_and_nothing_else),
		cmocka_unit_test(limits_are_read_strictly),
		cmocka_unit_test(hidden_pids_are_known_by_how_proc_is_mounted),
		cmocka_unit_test(profiles_are_two_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
