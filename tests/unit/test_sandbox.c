/* sandbox: the command line as a value, which bwrap is trusted, and commands really run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/own.h"
#include "probes/probes.h"
#include "sandbox/procns.h"
#include "sandbox/sandbox.h"

#define BWRAP "/usr/bin/bwrap"

static bool can_real_proc(void)
{
	struct facts facts;

	return facts_read(AT_FDCWD, &facts, NULL) == 0 && facts_capable(&facts, FACT_CAP_SYS_ADMIN);
}

/* The options with spaces for NULs. */
static char *options_line(const struct sandbox_command *command)
{
	AUTO_TEXT struct text options = {};

	assert_int_equal(sandbox_options_write(command, &options, NULL), 0);
	for (size_t i = 0; i + 1 < options.length; i++) {
		if (!options.data[i])
			options.data[i] = ' ';
	}
	return text_take(&options);
}

#define FIXED_VARIABLES                                                                    \
	"--clearenv --setenv PATH "                                                        \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --setenv HOME /tmp " \
	"--setenv LANG C.UTF-8 "
#define FIXED_MOUNTS                                                                          \
	"--ro-bind /usr /usr --ro-bind /etc /etc --dev /dev --tmpfs /tmp --ro-bind-try /bin " \
	"/bin --ro-bind-try /sbin /sbin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 "
#define FIXED_ISOLATION "--cap-drop ALL --new-session --die-with-parent "

static void the_options_are_the_contracts_in_its_order(void **state)
{
	static const struct {
		enum sandbox_proc proc;
		enum sandbox_network network;
		const char *want;
	} rows[] = {
		{ SANDBOX_PROC_TMPFS, SANDBOX_NETWORK_NONE,
		  "--unshare-user --unshare-all " FIXED_ISOLATION FIXED_VARIABLES FIXED_MOUNTS
		  "--tmpfs /proc --chdir /" },
		{ SANDBOX_PROC_BIND, SANDBOX_NETWORK_NONE,
		  "--unshare-user --unshare-all " FIXED_ISOLATION FIXED_VARIABLES FIXED_MOUNTS
		  "--ro-bind /proc /proc --chdir /" },
		{ SANDBOX_PROC_BIND, SANDBOX_NETWORK_INHERIT,
		  "--unshare-user --unshare-all --share-net " FIXED_ISOLATION FIXED_VARIABLES
			  FIXED_MOUNTS "--ro-bind /proc /proc --chdir /" },
		{ SANDBOX_PROC_REAL, SANDBOX_NETWORK_NONE,
		  "--unshare-user --unshare-ipc --unshare-uts --unshare-cgroup-try "
		  "--unshare-net " FIXED_ISOLATION FIXED_VARIABLES FIXED_MOUNTS
		  "--ro-bind /proc /proc --chdir /" },
		{ SANDBOX_PROC_REAL, SANDBOX_NETWORK_INHERIT,
		  "--unshare-user --unshare-ipc --unshare-uts "
		  "--unshare-cgroup-try " FIXED_ISOLATION FIXED_VARIABLES FIXED_MOUNTS
		  "--ro-bind /proc /proc --chdir /" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sandbox_command command = { .proc = rows[i].proc,
							 .network = rows[i].network };
		AUTO_FREE char *line = options_line(&command);

		assert_string_equal(line, rows[i].want);
	}
}

static void mounts_follow_the_fixed_part_and_variables_replace_defaults(void **state)
{
	static const struct sandbox_mount mounts[] = {
		{ SANDBOX_MOUNT_RO_BIND, "/a", "/agent", -1 },
		{ SANDBOX_MOUNT_TMPFS, NULL, "/agent/x", -1 },
		{ SANDBOX_MOUNT_BIND, "/b", "/agent/y", -1 },
		{ SANDBOX_MOUNT_RO_FD, NULL, "/agent/.env", 9 },
		{ SANDBOX_MOUNT_SYMLINK, "/agent/y", "/root/.y", -1 },
	};
	static const struct sandbox_variable variables[] = { { "HOME", "/root" }, { "A", "b c" } };
	const struct sandbox_command command = {
		.mounts = mounts,
		.n_mounts = ARRAY_SIZE(mounts),
		.variables = variables,
		.n_variables = ARRAY_SIZE(variables),
		.cwd = "/agent",
	};
	AUTO_FREE char *line = options_line(&command);

	(void)state;
	assert_null(strstr(line, "HOME /tmp"));
	assert_non_null(strstr(line, "--setenv HOME /root --setenv A b c --ro-bind /usr"));
	assert_non_null(strstr(line, "--tmpfs /proc --ro-bind /a /agent --tmpfs /agent/x --bind /b "
				     "/agent/y --perms 0555 --ro-bind-data 9 /agent/.env --symlink "
				     "/agent/y /root/.y --chdir /agent"));
}

/* A directory of our own below the root, because /tmp can be written by others. */
static const char *fixture(const char *name)
{
	static char paths[4][64];
	static unsigned int next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, sizeof(paths[0]), "/run/typeclaw-test-%d%s%s", getpid(),
		       name[0] ? "/" : "", name);
	return path;
}

static void file_make(const char *path, mode_t mode)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
}

static int find(const char *path, const char *agent_dir, struct fault *f)
{
	AUTO_FREE char *found = NULL;

	return sandbox_bwrap_find(path, agent_dir, &found, f);
}

static int fixtures_make(void **state)
{
	(void)state;
	if (mkdir(fixture(""), 0755) < 0 || mkdir(fixture("open"), 0755) < 0 ||
	    chmod(fixture("open"), 0777) < 0)
		return -1;
	file_make(fixture("good"), 0755);
	file_make(fixture("setuid"), 04755);
	file_make(fixture("setgid"), 02755);
	file_make(fixture("group"), 0775);
	file_make(fixture("world"), 0757);
	file_make(fixture("stranger"), 0755);
	file_make(fixture("open/inside"), 0755);
	if (chown(fixture("stranger"), 1234, 1234) < 0 && geteuid() == 0)
		return -1;
	return symlink("good", fixture("link")) < 0 ||
	       symlink(fixture("open/inside"), fixture("link-out")) < 0 ||
	       symlink(fixture("good"), fixture("open/link-in")) < 0 ||
	       symlink("loop", fixture("loop")) < 0;
}

static int fixtures_remove(void **state)
{
	static const char *const files[] = { "good",  "setuid",   "setgid",      "group",
					     "world", "stranger", "open/inside", "link",
					     "loop",  "link-out", "open/link-in" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		(void)unlink(fixture(files[i]));
	(void)rmdir(fixture("open"));
	return rmdir(fixture(""));
}

static void a_bwrap_that_others_could_change_is_refused(void **state)
{
	static const struct {
		const char *name;
		int want;
		const char *why;
	} rows[] = {
		{ "good", 0, NULL },
		{ "link", 0, NULL },
		{ "setuid", -EPERM, "setuid" },
		{ "setgid", -EPERM, "setuid" },
		{ "group", -EPERM, "others own it or can write it" },
		{ "world", -EPERM, "others own it or can write it" },
		{ "stranger", -EPERM, "others own it or can write it" },
		{ "open/inside", -EPERM, "a directory above it can be written by others" },
		{ "link-out", -EPERM, "a directory above it can be written by others" },
		{ "open/link-in", -EPERM, "a directory above it can be written by others" },
		{ "open", -EPERM, "not a regular file" },
		{ "missing", -ENOENT, "No such file" },
		{ "good/below", -ENOENT, "No such file" },
		{ "loop", -ELOOP, "Too many levels" },
	};

	(void)state;
	if (geteuid() != 0)
		skip(); /* owners cannot be made up */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fault f = {};

		print_message("%s\n", rows[i].name);
		assert_int_equal(find(fixture(rows[i].name), "/agent", &f), rows[i].want);
		if (rows[i].why)
			assert_non_null(strstr(f.message, rows[i].why));
	}
}

static void a_bwrap_below_the_agent_dir_or_of_a_relative_path_is_refused(void **state)
{
	struct fault f = {};

	(void)state;
	assert_int_equal(find(BWRAP, "/agent", &f), 0);
	assert_int_equal(find(BWRAP, "/usr", &f), -EPERM);
	assert_non_null(strstr(f.message, "in the agent's directory"));
	assert_int_equal(find(BWRAP, "/usr/bin/", &f), -EPERM);
	assert_int_equal(find(BWRAP, "/", &f), -EPERM);
	assert_int_equal(find(BWRAP, "/usr/bin/bwra", &f), 0);
	assert_int_equal(find("usr/bin/bwrap", "/agent", &f), -EPERM);
	assert_int_equal(find("bwrap", "/agent", &f), -EPERM);
	assert_int_equal(find("", "/agent", &f), -EPERM);
	assert_int_equal(find(NULL, "/agent", &f), 0);
}

static void what_is_mounted_below_proc_is_masked_again_as_it_was(void **state)
{
	static const char mountinfo[] =
		"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
		"30 22 0:21 /sys /proc/sys ro,nosuid shared:5 - proc proc rw\n"
		"31 22 0:21 /bus /proc/bus rw - proc proc rw\n"
		"32 22 0:5 /null /proc/keys rw,nosuid - devtmpfs udev rw\n"
		"33 22 0:40 / /proc/scsi ro,relatime - tmpfs tmpfs ro\n"
		"34 22 0:21 / /proc/other ro - proc proc rw\n"
		"35 27 0:41 / /process rw - tmpfs tmpfs rw\n"
		"36 22 0:42 / /proc/a\\040b\\134 ro - fuse.lxcfs lxcfs rw\n";
	static const struct {
		const char *path;
		enum procns_mask_kind kind;
		bool read_only;
	} rows[] = {
		{ "/proc/sys", PROCNS_MASK_SELF, true },
		{ "/proc/bus", PROCNS_MASK_SELF, false },
		{ "/proc/keys", PROCNS_MASK_KEEP, false },
		{ "/proc/scsi", PROCNS_MASK_KEEP, true },
		{ "/proc/other", PROCNS_MASK_BLANK, true },
		{ "/proc/a b\\", PROCNS_MASK_KEEP, true },
	};
	AUTO_MASKS struct procns_masks masks = {};

	(void)state;
	assert_int_equal(procns_masks_parse(mountinfo, &masks), 0);
	assert_int_equal(masks.n, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(masks.masks[i].path, rows[i].path);
		assert_int_equal(masks.masks[i].kind, rows[i].kind);
		assert_int_equal(masks.masks[i].read_only, rows[i].read_only);
	}
}

static void a_mountinfo_that_is_none_or_too_much_is_an_error(void **state)
{
	AUTO_MASKS struct procns_masks masks = {};
	AUTO_TEXT struct text many = {};

	(void)state;
	assert_int_equal(procns_masks_parse("what is this\n", &masks), -EINVAL);
	assert_int_equal(procns_masks_parse("1 2 0:3 / /proc/x rw\n", &masks), -EINVAL);
	for (int i = 0; i <= PROCNS_MASKS_MAX; i++)
		text_add(&many, "1 2 0:3 / /proc/x rw - tmpfs tmpfs rw\n");
	assert_int_equal(procns_masks_parse(many.data, &masks), -E2BIG);
	assert_int_equal(masks.n, 0);
}

/* Runs a shell line (or a word) in the sandbox; what it printed goes to *ret_out. */
static int run(enum sandbox_proc proc, char *const argv[], char *ret_out, size_t size)
{
	char name[] = "/tmp/typeclaw-out-XXXXXX";
	AUTO_CLOSE int out = mkostemp(name, O_CLOEXEC);
	AUTO_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int stdio[] = { null, out, null };
	const struct sandbox_command command = {
		.bwrap = BWRAP,
		.proc = proc,
		.argv = argv,
		.stdio = stdio,
	};
	struct fault f = {};
	uint64_t all = ~UINT64_C(0);
	uint64_t old;
	ssize_t n;
	int status;

	assert_true(out >= 0 && null >= 0);
	(void)unlink(name);
	(void)kernel_sigprocmask(SIG_SETMASK, &all, &old);
	status = sandbox_run(&command, &f);
	(void)kernel_sigprocmask(SIG_SETMASK, &old, NULL);
	if (status < 0)
		print_message("%s\n", f.message);
	n = pread(out, ret_out, size - 1, 0);
	assert_true(n >= 0);
	ret_out[n] = '\0';
	return status;
}

static int run_shell(enum sandbox_proc proc, const char *line, char *ret_out, size_t size)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)line, NULL };

	return run(proc, argv, ret_out, size);
}

static void a_tools_status_is_the_sandboxs_in_every_shape(void **state)
{
	static const struct {
		const char *line;
		int want;
	} rows[] = {
		{ "exit 0", 0 },     { "exit 1", 1 },          { "exit 125", 125 },
		{ "exit 255", 255 }, { "kill -TERM $$", 143 }, { "kill -KILL $$", 137 },
	};
	char out[256];

	(void)state;
	for (enum sandbox_proc proc = SANDBOX_PROC_TMPFS; proc <= SANDBOX_PROC_REAL; proc++) {
		if (proc == SANDBOX_PROC_REAL && !can_real_proc())
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			assert_int_equal(run_shell(proc, rows[i].line, out, sizeof(out)),
					 rows[i].want);
	}
}

static void a_tool_that_is_missing_is_127_and_one_that_cannot_run_126(void **state)
{
	static const struct {
		const char *tool;
		int want;
	} rows[] = {
		{ "no-such-tool", 127 }, { "/no/such/tool", 127 }, { "/etc/passwd", 126 },
		{ "/usr/bin", 126 },     { "/etc/passwd/x", 127 }, { "true", 0 },
	};
	char out[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[] = { (char *)rows[i].tool, NULL };

		print_message("%s\n", rows[i].tool);
		assert_int_equal(run(SANDBOX_PROC_BIND, argv, out, sizeof(out)), rows[i].want);
	}
}

static void a_sandbox_that_cannot_be_set_up_is_an_error_not_the_tools_status(void **state)
{
	char *argv[] = { (char *)"true", NULL };
	const struct sandbox_mount mount = { SANDBOX_MOUNT_RO_BIND, "/no/such/source", "/x", -1 };
	struct sandbox_command command = {
		.bwrap = BWRAP,
		.argv = argv,
		.mounts = &mount,
		.n_mounts = 1,
	};
	struct fault f = {};

	(void)state;
	assert_int_equal(sandbox_run(&command, &f), -EIO);
	command.n_mounts = 0;
	command.bwrap = "/no/such/bwrap";
	assert_int_equal(sandbox_run(&command, &f), -ENOENT);
	assert_non_null(strstr(f.message, "exec bwrap"));
}

/* bwrap's reaper sits in the sandbox's user namespace: its environ is what bwrap was given. */
static void nothing_of_ours_is_in_any_environ_inside(void **state)
{
	char out[4096];

	(void)state;
	assert_int_equal(setenv("TYPECLAW_TEST_KEY", "sesame-open", 1), 0);
	for (enum sandbox_proc proc = SANDBOX_PROC_BIND; proc <= SANDBOX_PROC_REAL; proc++) {
		if (proc == SANDBOX_PROC_REAL && !can_real_proc())
			continue;
		assert_int_equal(
			run_shell(proc,
				  "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | "
				  "sort -u; env",
				  out, sizeof(out)),
			0);
		assert_null(strstr(out, "sesame-open"));
		assert_non_null(strstr(out, "LANG=C.UTF-8"));
	}
}

static void a_tool_gets_no_descriptor_but_its_three(void **state)
{
	char out[4096];
	int leaked = open("/etc/passwd", O_RDONLY); /* without CLOEXEC, as an inherited one */

	(void)state;
	assert_true(leaked >= 0);
	for (enum sandbox_proc proc = SANDBOX_PROC_BIND; proc <= SANDBOX_PROC_REAL; proc++) {
		if (proc == SANDBOX_PROC_REAL && !can_real_proc())
			continue;
		assert_int_equal(run_shell(proc, "exec ls /proc/self/fd", out, sizeof(out)), 0);
		assert_string_equal(out, "0\n1\n2\n3\n"); /* 3: ls' own directory */
	}
	(void)close(leaked);
}

static void real_proc_shows_only_its_own_processes(void **state)
{
	char out[4096];

	(void)state;
	if (!can_real_proc())
		skip(); /* needs CAP_SYS_ADMIN */
	assert_int_equal(
		run_shell(SANDBOX_PROC_REAL, "ls -d /proc/[0-9]* | wc -l", out, sizeof(out)), 0);
	assert_true(strtol(out, NULL, 10) <= 6);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_options_are_the_contracts_in_its_order),
		cmocka_unit_test(mounts_follow_the_fixed_part_and_variables_replace_defaults),
		cmocka_unit_test_setup_teardown(a_bwrap_that_others_could_change_is_refused,
						fixtures_make, fixtures_remove),
		cmocka_unit_test(a_bwrap_below_the_agent_dir_or_of_a_relative_path_is_refused),
		cmocka_unit_test(what_is_mounted_below_proc_is_masked_again_as_it_was),
		cmocka_unit_test(a_mountinfo_that_is_none_or_too_much_is_an_error),
		cmocka_unit_test(a_tools_status_is_the_sandboxs_in_every_shape),
		cmocka_unit_test(a_tool_that_is_missing_is_127_and_one_that_cannot_run_126),
		cmocka_unit_test(a_sandbox_that_cannot_be_set_up_is_an_error_not_the_tools_status),
		cmocka_unit_test(nothing_of_ours_is_in_any_environ_inside),
		cmocka_unit_test(a_tool_gets_no_descriptor_but_its_three),
		cmocka_unit_test(real_proc_shows_only_its_own_processes),
	};
	int r = probes_main(argc, argv);

	if (r >= 0)
		return r;
	return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
