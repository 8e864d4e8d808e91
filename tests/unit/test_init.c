/* init/: what can be asked of it without being PID 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "init/child.h"
#include "init/file.h"
#include "init/image.h"
#include "init/inherit.h"
#include "init/kernel.h"
#include "init/listen.h"
#include "init/log.h"
#include "init/own.h"
#include "init/resolve.h"
#include "init/supervise.h"
#include "init/termination.h"
#include "init/zombies.h"

static char scratch[] = "/tmp/typeclaw-unit.XXXXXX";

static int go_to_scratch(void **state)
{
	(void)state;
	return mkdtemp(scratch) && chdir(scratch) == 0 ? 0 : -1;
}

static void write_file(const char *path, const char *text, size_t length, mode_t mode)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, text, length), 0);
	assert_int_equal(fchmod(fd, mode), 0);
}

static void write_string(const char *path, const char *text)
{
	write_file(path, text, strlen(text), 0755);
}

static void a_command_is_looked_for_along_the_path_of_its_own_environment(void **state)
{
	char *const here[] = { (char[]){ "HOME=/" }, (char[]){ "PATH=/nowhere:.:/bin" }, NULL };
	char *const empty[] = { (char[]){ "PATH=" }, NULL };
	char *const none[] = { NULL };
	char path[PATH_MAX];
	struct fault f = {};

	(void)state;
	write_string("a-command", "#!/bin/sh\n");
	assert_int_equal(resolve_command("a-command", here, path, &f), 0);
	assert_string_equal(path, "./a-command");
	assert_int_equal(resolve_command("a-command", empty, path, &f), 0);
	assert_string_equal(path, "a-command");
	assert_int_equal(resolve_command("a-command", none, path, &f), -ENOENT);
	assert_int_equal(resolve_command("sh", none, path, &f), 0);
	assert_int_equal(resolve_command("", here, path, &f), -ENOENT);
	assert_int_equal(resolve_command("./a-command/x", here, path, &f), -ENOTDIR);
	assert_non_null(strstr(f.message, "a-command/x"));
}

static void names_that_are_too_long_are_refused_and_not_cut(void **state)
{
	static char name[PATH_MAX + 10];
	char *const here[] = { (char[]){ "PATH=.:/bin" }, NULL };
	char path[PATH_MAX] = "untouched";

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	assert_int_equal(resolve_command(name, here, path, NULL), -ENOENT);
	name[0] = '/';
	assert_int_equal(resolve_command(name, here, path, NULL), -ENAMETOOLONG);
	assert_string_equal(path, "untouched");
}

static void the_head_of_a_file_tells_what_it_is(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		enum image_kind want;
		const char *interpreter;
	} rows[] = {
		{ "", 0, IMAGE_BARE_SCRIPT, "" },
		{ "echo hello\n", 11, IMAGE_BARE_SCRIPT, "" },
		{ "echo\n\0binary", 12, IMAGE_BARE_SCRIPT, "" },
		{ "ec\0ho\n", 6, IMAGE_UNKNOWN, "" },
		{ "#!/bin/sh\n", 10, IMAGE_SCRIPT, "/bin/sh" },
		{ "#! \t/bin/env  node -x\n", 22, IMAGE_SCRIPT, "/bin/env" },
		{ "#!", 2, IMAGE_SCRIPT, "" },
		{ "#!\n", 3, IMAGE_SCRIPT, "" },
		{ "\177ELF", 4, IMAGE_ELF, "" },
		{ "\177ELF\2\1\1", 7, IMAGE_ELF, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct image image;

		write_file("image", rows[i].bytes, rows[i].length, 0644);
		image = image_read("image");
		assert_int_equal(image.kind, rows[i].want);
		assert_string_equal(image.interpreter, rows[i].interpreter);
	}
	assert_int_equal(image_read("nowhere").kind, IMAGE_UNKNOWN);
	assert_int_equal(image_read(".").kind, IMAGE_UNKNOWN);
}

/* A file that is cut, or filled with 0xff, anywhere behind its magic is read without harm. */
static void damaged_programs_are_read_without_harm(void **state)
{
	AUTO_FREE char *program = NULL;
	size_t length;

	(void)state;
	assert_int_equal(file_slurp(AT_FDCWD, "/proc/self/exe", 64 << 20, &program, &length),
			 -ELOOP);
	{
		AUTO_CLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

		assert_int_equal(file_slurp_fd(fd, 64 << 20, &program, &length), 0);
	}
	for (size_t cut = 4; cut < 1024; cut += 7) {
		struct image image;

		write_file("image", program, cut, 0644);
		assert_int_equal(image_read("image").kind, IMAGE_ELF);
		memset(program + cut, 0xff, 4);
		write_file("image", program, 4096, 0644);
		image = image_read("image");
		assert_true(memchr(image.interpreter, '\0', sizeof(image.interpreter)) != NULL);
	}
}

static void listen_pid_is_rewritten_only_when_it_named_us(void **state)
{
	struct listen_variables variables = {};
	char ours[64];
	char *foreign[] = { (char[]){ "A=1" }, (char[]){ "LISTEN_PID=1" },
			    (char[]){ "LISTEN_PIDFDID=7" }, NULL };
	char *named[] = { (char[]){ "A=1" }, ours, (char[]){ "LISTEN_PIDFDID=7" },
			  (char[]){ "LISTEN_FDS=2" }, NULL };

	(void)state;
	assert_int_equal(listen_prepare(foreign, &variables), 0);
	assert_null(variables.envp);
	(void)snprintf(ours, sizeof(ours), "LISTEN_PID=%d", getpid());
	assert_int_equal(listen_prepare(named, &variables), 0);
	assert_non_null(variables.envp);
	memset(variables.pid + 11, 'x', 4);
	listen_name_self(&variables);
	assert_string_equal(variables.envp[0], "A=1");
	assert_string_equal(variables.envp[1], ours);
	assert_string_equal(variables.envp[2], "LISTEN_FDS=2");
	assert_null(variables.envp[3]);
	listen_clear(&variables);
}

static void the_termination_log_takes_a_line_and_follows_nothing(void **state)
{
	char long_message[TERMINATION_MESSAGE_MAX + 1];
	AUTO_FREE char *text = NULL;

	(void)state;
	assert_int_equal(termination_write("log", "boot failed"), -ENOENT);
	write_string("log", "before\n");
	assert_int_equal(termination_write("log", "boot failed"), 0);
	assert_int_equal(file_slurp(AT_FDCWD, "log", 100, &text, NULL), 0);
	assert_string_equal(text, "before\nboot failed\n");

	assert_int_equal(symlink("log", "link"), 0);
	assert_int_equal(termination_write("link", "x"), -ELOOP);
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(termination_write("fifo", "x"), -EINVAL);
	assert_int_equal(termination_write("/dev/null", "x"), -EINVAL);
	assert_int_equal(termination_write(".", "x"), -EISDIR);
	memset(long_message, 'x', sizeof(long_message) - 1);
	long_message[sizeof(long_message) - 1] = '\0';
	assert_int_equal(termination_write("log", long_message), -E2BIG);
}

static void add_process(const char *pid, const char *stat)
{
	char path[64];

	(void)mkdir("root", 0755);
	(void)mkdir("root/proc", 0755);
	(void)snprintf(path, sizeof(path), "root/proc/%s", pid);
	(void)mkdir(path, 0755);
	(void)snprintf(path, sizeof(path), "root/proc/%s/stat", pid);
	write_string(path, stat);
}

static void zombies_are_counted_by_the_parent_that_does_not_reap(void **state)
{
	AUTO_CLOSE int root = -1;
	struct zombies zombies = {};
	struct fault f = {};

#define STAT_TAIL " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
	(void)state;
	add_process("1", "1 (init) S 0" STAT_TAIL "1 0 5\n");
	add_process("20", "20 (no) reaper\x1b) S 1" STAT_TAIL "3 0 5\n");
	add_process("21", "21 (a) Z 9) Z 20" STAT_TAIL "1 0 5\n");
	add_process("22", "22 (b) Z 20" STAT_TAIL "1 0 5\n");
	add_process("23", "23 (leader) Z 20" STAT_TAIL "4 0 5\n");
	add_process("24", "24 (ours) Z 1" STAT_TAIL "1 0 5\n");
	add_process("25", "25 (cut) Z");
	add_process("26", "garbage");
	add_process("27", ") ( Z 20");
	add_process("28", "28 (gone) Z 9999" STAT_TAIL "1 0 5\n");
	add_process("x29", "29 (no pid) Z 20" STAT_TAIL "1 0 5\n");
	root = open("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(zombies_find(root, 1, &zombies, &f), 0);
	assert_int_equal(zombies.total, 3);
	assert_int_equal(zombies.n_parents, 2);
	for (size_t i = 0; i < zombies.n_parents; i++) {
		const struct zombie_parent *parent = &zombies.parents[i];

		assert_true(parent->pid == 20 || parent->pid == 9999);
		assert_int_equal(parent->zombies, parent->pid == 20 ? 2 : 1);
		assert_string_equal(parent->name, parent->pid == 20 ? "no) reaper\\x1b" : "?");
	}
	assert_int_equal(zombies_find(root, 0, &zombies, &f), 0);
	assert_int_equal(zombies.total, 4);
}

static void a_real_zombie_of_ours_is_found(void **state)
{
	AUTO_CLOSE int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct zombies zombies = {};
	siginfo_t info;
	pid_t pid = fork();
	bool found = false;

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(zombies_find(root, 0, &zombies, NULL), 0);
	for (size_t i = 0; i < zombies.n_parents; i++)
		found = found || zombies.parents[i].pid == getpid();
	assert_true(found);
	(void)waitpid(pid, NULL, 0);
}

/* In a child, because a SIGPIPE of ours would end the test. */
static void a_log_line_to_a_closed_pipe_leaves_no_signal_behind(void **state)
{
	int status;
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct log log = { .fd = ends[1] };
		uint64_t pending = 1;

		(void)close(ends[0]);
		(void)signal(SIGPIPE, SIG_DFL);
		errno = 77;
		log_line(&log, LINE_ERROR, "lost");
		(void)KERNEL_CALL(SYS_rt_sigpending, &pending, sizeof(pending));
		_exit(pending != 0 || errno != 77);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void log_lines_are_cut_at_one_atomic_write_and_obey_the_level(void **state)
{
	static char long_text[8000];
	static char seen[16384];
	int ends[2];
	struct log log;
	ssize_t n;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	log = (struct log){ .fd = ends[1], .level = LOG_QUIET };
	log_line(&log, LINE_INFO, "not shown");
	log_line(&log, LINE_DEBUG, "not shown");
	log_line(&log, LINE_WARNING, "number %d", 7);
	n = read(ends[0], seen, sizeof(seen));
	assert_true(n > 0);
	assert_int_equal(memcmp(seen, "typeclaw-init: warning: number 7\n", (size_t)n), 0);
	memset(long_text, 'x', sizeof(long_text) - 1);
	log_line(&log, LINE_ERROR, "%s", long_text);
	n = read(ends[0], seen, sizeof(seen));
	assert_int_equal(n, 4096);
	assert_int_equal(seen[n - 1], '\n');
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* A start in a child of the test: what it does to its own process is for keeps. */
static int status_of_start(char *const argv[])
{
	int result = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct supervise_options options = supervise_defaults();
		struct log log = { .fd = -1 };
		struct inherited inherited;
		struct child child;
		int status = 99;

		if (inherit_begin(&inherited, NULL) == 0) {
			struct child_request request = { argv, environ, &inherited, -1, false };

			if (child_start(&request, &child, &status, NULL) == 0)
				status = supervise(&child, &options, &log);
		}
		inherited_clear(&inherited);
		_exit(status);
	}
	(void)waitpid(pid, &result, 0);
	return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static void every_exit_status_comes_out_as_it_went_in(void **state)
{
	(void)state;
	for (int status = 0; status < 256; status++) {
		char number[16];
		char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "exit $0" }, number,
				 NULL };

		(void)snprintf(number, sizeof(number), "%d", status);
		assert_int_equal(status_of_start(argv), status);
	}
}

static void starts_that_fail_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(status_of_start((char *[]){ (char[]){ "/nowhere" }, NULL }), 127);
	assert_int_equal(status_of_start((char *[]){ (char[]){ "/etc" }, NULL }), 126);
	assert_int_equal(status_of_start((char *[]){ (char[]){ "" }, NULL }), 127);
}

static void the_environment_block_is_found_whole(void **state)
{
	struct inherited inherited = {};
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		char *last = NULL;

		for (char **variable = environ; *variable; variable++)
			last = *variable;
		if (inherit_begin(&inherited, NULL) < 0)
			_exit(1);
		/* cmocka and the sanitizers change nothing of it before */
		_exit(inherited.environment != environ[0] ||
		      inherited.environment + inherited.environment_length !=
			      last + strlen(last) + 1);
	}
	(void)waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_is_looked_for_along_the_path_of_its_own_environment),
		cmocka_unit_test(names_that_are_too_long_are_refused_and_not_cut),
		cmocka_unit_test(the_head_of_a_file_tells_what_it_is),
		cmocka_unit_test(damaged_programs_are_read_without_harm),
		cmocka_unit_test(listen_pid_is_rewritten_only_when_it_named_us),
		cmocka_unit_test(the_termination_log_takes_a_line_and_follows_nothing),
		cmocka_unit_test(zombies_are_counted_by_the_parent_that_does_not_reap),
		cmocka_unit_test(a_real_zombie_of_ours_is_found),
		cmocka_unit_test(a_log_line_to_a_closed_pipe_leaves_no_signal_behind),
		cmocka_unit_test(log_lines_are_cut_at_one_atomic_write_and_obey_the_level),
		cmocka_unit_test(every_exit_status_comes_out_as_it_went_in),
		cmocka_unit_test(starts_that_fail_are_told_apart),
		cmocka_unit_test(the_environment_block_is_found_whole),
	};

	return cmocka_run_group_tests_name("init", tests, go_to_scratch, NULL);
}
