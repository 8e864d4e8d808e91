/* config: layers, origins, and what each source may hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "entrypoint/config.h"
#include "init/file.h"
#include "init/own.h"

static char ini_path[64];

static void ini_write(const char *bytes, size_t length)
{
	AUTO_CLOSE int fd = open(ini_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, bytes, length), 0);
}

/* Reads a configuration from INI text, environment and run's words; returns config_read()'s. */
static int config_of(const char *ini, const char *const *environment, const char *const *words,
		     struct config *ret, struct fault *f)
{
	const char *all[16] = { "--config", ini_path };
	struct arguments arguments;
	static const char *const empty[] = { NULL };
	size_t n = 2;

	ini_write(ini, strlen(ini));
	for (size_t i = 0; words && words[i]; i++)
		all[n++] = words[i];
	assert_int_equal(options_parse(COMMAND_RUN, (char **)all, &arguments, f), 0);
	return config_read(&arguments, (char *const *)(environment ? environment : empty), false, ret, f);
}

static void the_defaults_are_those_of_the_contract(void **state)
{
	AUTO_CONFIG struct config config = {};
	struct fault f = {};

	(void)state;
	assert_int_equal(config_of("", NULL, NULL, &config, &f), 0);
	assert_string_equal(config.agent_dir, "/agent");
	assert_null(config.home);
	assert_null(config.bwrap);
	assert_false(config.real_proc);
	assert_int_equal(config.network, SANDBOX_NETWORK_NONE);
	assert_int_equal(config.n_retries, 4);
	assert_int_equal(config.retry_backoff_ms[3], 4000);
	assert_int_equal(config.attempt_timeout_ms, 2000);
	assert_int_equal(config.budget_ms, 10000);
	assert_int_equal(config.init.kill_grace_ms, 500);
	assert_int_equal(config.init.forward, FORWARD_CHILD);
	assert_int_equal(config.init.rewrite[15], REWRITE_NONE);
	assert_int_equal(config.log, LOG_INFO);
}

static void later_layers_win_and_say_so(void **state)
{
	const char *environment[] = { "TYPECLAW_INIT_KILL_GRACE_MS=20", "TYPECLAW_AGENT_DIR=/e",
				"TYPECLAW_INIT_LOG=", "TYPECLAW_NONE_OF_OURS=x", "HOME=/h", NULL };
	const char *words[] = { "--set", "init.kill_grace_ms=30", NULL };
	AUTO_CONFIG struct config config = {};
	AUTO_TEXT struct text shown = {};
	struct fault f = {};

	(void)state;
	assert_int_equal(config_of("[init]\nkill_grace_ms = 10\nlog = quiet\n[agent]\ndir = /i\n",
				   environment, words, &config, &f),
			 0);
	assert_int_equal(config.init.kill_grace_ms, 30);
	assert_string_equal(config.agent_dir, "/e");
	assert_int_equal(config.log, LOG_QUIET);
	assert_string_equal(config.home, "/h");
	config_write(&config, &shown);
	assert_int_equal(text_error(&shown), 0);
	assert_non_null(strstr(shown.data, "kill_grace_ms = 30 ; option\n"));
	assert_non_null(strstr(shown.data, "dir = /e ; environment TYPECLAW_AGENT_DIR\n"));
	assert_non_null(strstr(shown.data, "network = none ; default\n"));
	assert_non_null(strstr(shown.data, ":3\n"));
}

static void shorthands_of_lists_add_up(void **state)
{
	const char *words[] = { "-e", "143", "-e130", "-r", "TERM:QUIT", "-r", "USR1:0", NULL };
	AUTO_CONFIG struct config config = {};
	struct fault f = {};

	(void)state;
	assert_int_equal(config_of("[init]\nexit_ok = 7\n", NULL, words, &config, &f), 0);
	assert_true(config.init.exit_ok[143 / 64] >> (143 % 64) & 1);
	assert_true(config.init.exit_ok[130 / 64] >> (130 % 64) & 1);
	assert_false(config.init.exit_ok[0] >> 7 & 1);
	assert_int_equal(config.init.rewrite[15], 3);
	assert_int_equal(config.init.rewrite[10], 0);
}

static void links_are_kept_in_file_order(void **state)
{
	AUTO_CONFIG struct config config = {};
	struct fault f = {};

	(void)state;
	assert_int_equal(config_of("[symlinks]\n~/.foo-cli = workspace/.foo-cli\n/opt/x = y ; why\n"
				   "fail_if_refused = true\n",
				   NULL, NULL, &config, &f),
			 0);
	assert_int_equal(config.n_links, 2);
	assert_string_equal(config.links[0].from, "~/.foo-cli");
	assert_string_equal(config.links[0].to, "workspace/.foo-cli");
	assert_string_equal(config.links[1].to, "y");
	assert_true(config.fail_if_refused);
}

#define LONG10 "0123456789"
#define LONG100 LONG10 LONG10 LONG10 LONG10 LONG10 LONG10 LONG10 LONG10 LONG10 LONG10

static void a_bad_file_names_line_key_and_what_is_allowed(void **state)
{
	static const struct {
		const char *ini;
		const char *where;
		const char *what;
	} rows[] = {
		{ "[sandbox]\n\nnetwork = some\n", ":3: ", "none|inherit" },
		{ "[init]\nkill_grace_ms = -1\n", ":2: ", "whole numbers from 0 to 3600000" },
		{ "[probes]\nattempt_timeout_ms = 0\n", ":2: ", "from 1 to 60000" },
		{ "[nope]\na = b\n", ":2: ", "unknown key nope.a" },
		{ "[init]\nnope = b\n", ":2: ", "unknown key init.nope" },
		{ "a = b\n", ":1: ", "unknown key .a" },
		{ "[init]\nlog = quiet\nlog = info\n", ":3: ", "stands twice" },
		{ "[symlinks]\n~/a = b\n~/a = c\n", ":3: ", "stands twice" },
		{ "[agent]\ndir = relative\n", ":2: ", "absolute path" },
		{ "[agent]\ndir = /a/../b\n", ":2: ", "`..`" },
		{ "[agent]\ndir = /\n", ":2: ", "below /" },
		{ "[agent]\n dir = /a\n", ":2: ", "indented" },
		{ "[agent]\ndir = /a\n\v = /b\n", ":3: ", "indented" },
		{ "[agent]\ndir = /a\n\fx\n", ":3: ", "indented" },
		{ "[agent]\ndir = /" LONG100 LONG100 "\n", ":2: ", "190 bytes" },
		{ "[agent]\nnonsense\n", ":2: ", "key = value" },
		{ "[symlinks]\n~/a:b = c\n", ":2: ", "':'" },
		{ "[symlinks]\n~/a;b = c\n", ":2: ", "';'" },
		{ "[symlinks]\n~/a=b = c\n", ":2: ", "second '='" },
		{ "[sandbox]\nreal_proc = yes\n", ":2: ", "1, 0, true, false" },
		{ "[init]\nrewrite = TERM\n", ":2: ", "FROM:TO" },
		{ "[init]\nrewrite = NOPE:TERM\n", ":2: ", "FROM:TO" },
		{ "[init]\nexit_ok = 256\n", ":2: ", "from 0 to 255" },
		{ "[sandbox]\nwritable_paths = a,,b\n", ":2: ", "none empty" },
		{ "[agent]\nhome = /\xff\n", ":2: ", "UTF-8" },
		{ "[agent]\nhome = /\x1b[1m\n", ":2: ", "control" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_CONFIG struct config config = {};
		struct fault f = {};

		if (config_of(rows[i].ini, NULL, NULL, &config, &f) != -EINVAL)
			fail_msg("row %zu was taken", i);
		if (!strstr(f.message, rows[i].where) || !strstr(f.message, rows[i].what) ||
		    strncmp(f.message, ini_path, strlen(ini_path)) != 0)
			fail_msg("row %zu says: %s", i, f.message);
		assert_null(config.agent_dir);
	}
}

static void a_nul_byte_and_a_huge_file_are_refused(void **state)
{
	static char huge[70000];
	const char *words[] = { "--config", ini_path, NULL };
	char *const environment[] = { NULL };
	struct arguments arguments;
	AUTO_CONFIG struct config config = {};
	struct fault f = {};

	(void)state;
	assert_int_equal(options_parse(COMMAND_RUN, (char **)words, &arguments, &f), 0);
	ini_write("[agent]\ndir = /a\0b\n", 19);
	assert_int_equal(config_read(&arguments, environment, true, &config, &f), -EINVAL);
	assert_non_null(strstr(f.message, ":2: the line holds a NUL byte"));
	memset(huge, '\n', sizeof(huge));
	ini_write(huge, sizeof(huge));
	assert_int_equal(config_read(&arguments, environment, true, &config, &f), -EFBIG);
	assert_non_null(strstr(f.message, "over 65536 bytes"));
}

static void a_bad_variable_acts_like_a_bad_file(void **state)
{
	const char *environment[] = { "TYPECLAW_SANDBOX_NETWORK=some", NULL };
	AUTO_CONFIG struct config config = {};
	struct fault f = {};

	(void)state;
	assert_int_equal(config_of("", environment, NULL, &config, &f), -EINVAL);
	assert_string_equal(f.message, "environment TYPECLAW_SANDBOX_NETWORK: sandbox.network: "
				       "\"some\" is not allowed; allowed: none|inherit");
}

static void a_bad_set_option_is_refused(void **state)
{
	static const char *const rows[] = { "nope", "a=b", "init.log", "init.nope=1", ".=", "init.log=x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *words[] = { "--set", rows[i], NULL };
		AUTO_CONFIG struct config config = {};
		struct fault f = {};

		assert_int_equal(config_of("", NULL, words, &config, &f), -EINVAL);
		assert_true(f.message[0] != '\0');
	}
}

static int make_path(void **state)
{
	(void)state;
	(void)snprintf(ini_path, sizeof(ini_path), "/tmp/test_config.%d.ini", (int)getpid());
	return 0;
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(ini_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_those_of_the_contract),
		cmocka_unit_test(later_layers_win_and_say_so),
		cmocka_unit_test(shorthands_of_lists_add_up),
		cmocka_unit_test(links_are_kept_in_file_order),
		cmocka_unit_test(a_bad_file_names_line_key_and_what_is_allowed),
		cmocka_unit_test(a_nul_byte_and_a_huge_file_are_refused),
		cmocka_unit_test(a_bad_variable_acts_like_a_bad_file),
		cmocka_unit_test(a_bad_set_option_is_refused),
	};

	return cmocka_run_group_tests_name("config", tests, make_path, remove_path);
}
