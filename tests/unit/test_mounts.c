/* mounts: the kinds and limits that a tool call adds to the sandbox command, really run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/resource.h>

#include "probes/probes.h"
#include "sandbox/sandbox.h"
#include "tests/unit/ground.h"

#define BWRAP "/usr/bin/bwrap"

static bool options_hold(const struct sandbox_command *command, const char *expected)
{
	AUTO_TEXT struct text options = {};

	assert_int_equal(sandbox_options_write(command, &options, NULL), 0);
	for (size_t i = 0; i + 1 < options.length; i++) {
		if (!options.data[i])
			options.data[i] = ' ';
	}
	return strstr(options.data, expected) != NULL;
}

static void what_is_bound_by_descriptor_stands_in_the_options_by_number(void **state)
{
	static const struct sandbox_mount mounts[] = {
		{ SANDBOX_MOUNT_RO_BIND_FD, NULL, "/agent", 7 },
		{ SANDBOX_MOUNT_EMPTY_FILE, NULL, "/agent/.env", 8 },
		{ SANDBOX_MOUNT_BIND_FD, NULL, "/agent/workspace", 9 },
	};
	const struct sandbox_command command = { .mounts = mounts,
						 .n_mounts = 3,
						 .seccomp_fd = 11 };

	(void)state;
	assert_true(options_hold(&command, "--ro-bind-fd 7 /agent --perms 0444 --ro-bind-data 8 "
					   "/agent/.env --bind-fd 9 /agent/workspace"));
	assert_true(options_hold(&command, "--seccomp 11 --unshare-user"));
}

static void a_bare_base_brings_no_system_and_a_root_base_all_of_it(void **state)
{
	struct sandbox_command command = { .base = SANDBOX_BASE_BARE };

	(void)state;
	assert_false(options_hold(&command, "/usr /usr"));
	assert_false(options_hold(&command, "/etc"));
	assert_true(options_hold(&command, "--dev /dev --tmpfs /tmp --tmpfs /proc"));
	command.base = SANDBOX_BASE_ROOT;
	assert_true(options_hold(&command, "--ro-bind / / --dev /dev --tmpfs /tmp --tmpfs /proc"));
}

static void a_bwrap_that_cannot_bind_descriptors_is_known_by_its_text(void **state)
{
	(void)state;
	assert_true(sandbox_bwrap_binds_descriptors(BWRAP));
	assert_false(sandbox_bwrap_binds_descriptors("/bin/true"));
	assert_false(sandbox_bwrap_binds_descriptors("/no/such/bwrap"));
	assert_false(sandbox_bwrap_binds_descriptors("/usr"));
}

static int run_shell(struct sandbox_command *command, const char *line)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)line, NULL };
	struct fault f = {};
	int status;

	command->bwrap = BWRAP;
	command->argv = argv;
	status = sandbox_run(command, &f);
	if (status < 0)
		print_message("%s\n", f.message);
	return status;
}

static void a_call_that_takes_too_long_is_killed_with_all_that_it_started(void **state)
{
	for (enum sandbox_proc proc = SANDBOX_PROC_TMPFS; proc <= SANDBOX_PROC_BIND; proc++) {
		struct sandbox_command command = { .proc = proc, .timeout_ms = 300 };
		int ends[2];
		char end;

		(void)state;
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		command.keep_fds = &ends[1];
		command.n_keep_fds = 1;
		assert_int_equal(
			run_shell(&command,
				  "trap '' TERM; setsid sleep 1000 & sleep 1000 & sleep 1000"),
			SANDBOX_STATUS_TIMEOUT);
		/* Nobody holds the writing end any more, and that at once. */
		(void)close(ends[1]);
		assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
		assert_int_equal(read(ends[0], &end, 1), 0);
		(void)close(ends[0]);
	}
}

static void a_call_in_time_keeps_its_own_status(void **state)
{
	struct sandbox_command command = { .timeout_ms = 60000 };

	(void)state;
	assert_int_equal(run_shell(&command, "exit 7"), 7);
	assert_int_equal(run_shell(&command, "exit 124"), 124);
}

static void limits_hold_for_the_tool_and_not_for_us(void **state)
{
	static const struct sandbox_limit limits[] = { { RLIMIT_NOFILE, 33 }, { RLIMIT_CORE, 0 } };
	struct sandbox_command command = { .limits = limits, .n_limits = 2 };
	struct rlimit ours;

	(void)state;
	assert_int_equal(run_shell(&command, "test $(ulimit -n) = 33 && test $(ulimit -Hn) = 33"),
			 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &ours), 0);
	assert_true(ours.rlim_cur > 33);
}

/* No shell in between: dash clears the mask when it starts. */
static void the_tool_starts_with_the_signal_mask_that_was_asked_for(void **state)
{
	static const struct {
		uint64_t mask;
		const char *line;
	} rows[] = {
		{ UINT64_C(1) << 9, "SigBlk:.*0000000000000200" },
		{ 0, "SigBlk:.*0000000000000000" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[] = { (char *)"grep", (char *)"-q", (char *)rows[i].line,
				 (char *)"/proc/self/status", NULL };
		const struct sandbox_command command = { .bwrap = BWRAP,
							 .argv = argv,
							 .proc = SANDBOX_PROC_BIND,
							 .signal_mask = rows[i].mask };

		assert_int_equal(sandbox_run(&command, NULL), 0);
	}
}

static void descriptors_bind_what_was_judged_whatever_its_name_is_now(void **state)
{
	struct sandbox_mount mount = { .kind = SANDBOX_MOUNT_BIND_FD, .path = "/here" };
	struct sandbox_command command = { .proc = SANDBOX_PROC_BIND,
					   .mounts = &mount,
					   .n_mounts = 1 };
	struct ground ground;
	char judged[128];

	(void)state;
	ground_begin(&ground);
	(void)snprintf(judged, sizeof(judged), "%s/judged", ground.agent);
	ground_write(judged, "");
	mount.fd = open(ground.agent, O_PATH | O_CLOEXEC);
	assert_int_equal(run_shell(&command, "test -e /here/judged && touch /here/written && "
					     "test \"$(ls /proc/self/fd | wc -l)\" = 4"),
			 0);
	(void)snprintf(judged, sizeof(judged), "%s/moved", ground.root);
	assert_int_equal(rename(ground.agent, judged), 0);
	assert_int_equal(symlink("/etc", ground.agent), 0);
	assert_int_equal(run_shell(&command, "test -e /here/judged && test ! -e /here/passwd"), 0);
	(void)close(mount.fd);
	ground_end(&ground);
}

int main(int argc, char *argv[])
{
	int hidden = probes_main(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_bound_by_descriptor_stands_in_the_options_by_number),
		cmocka_unit_test(a_bare_base_brings_no_system_and_a_root_base_all_of_it),
		cmocka_unit_test(a_bwrap_that_cannot_bind_descriptors_is_known_by_its_text),
		cmocka_unit_test(a_call_that_takes_too_long_is_killed_with_all_that_it_started),
		cmocka_unit_test(a_call_in_time_keeps_its_own_status),
		cmocka_unit_test(limits_hold_for_the_tool_and_not_for_us),
		cmocka_unit_test(the_tool_starts_with_the_signal_mask_that_was_asked_for),
		cmocka_unit_test(descriptors_bind_what_was_judged_whatever_its_name_is_now),
	};

	if (hidden >= 0)
		return hidden;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
