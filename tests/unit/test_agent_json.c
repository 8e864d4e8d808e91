/* agent_json: typeclaw.json, with everything that may be wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "dockerfile/agent_json.h"
#include "init/file.h"
#include "init/own.h"

static int parse(const char *text, struct agent_json *ret, struct fault *f)
{
	return agent_json_parse(text, strlen(text), ret, f);
}

static void everything_that_is_there_is_read(void **state)
{
	AUTO_AGENT_JSON struct agent_json agent = {};

	(void)state;
	assert_int_equal(parse("{\"name\":\"x\",\"sandbox\":{\"realProc\":true,"
			       "\"writablePaths\":[\"a\",\"b c\"],"
			       "\"symlinks\":[{\"from\":\"~/.f\",\"to\":\"w/f\"}]}}",
			       &agent, NULL),
			 0);
	assert_true(agent.real_proc);
	assert_int_equal(agent.n_writable_paths, 2);
	assert_string_equal(agent.writable_paths[1], "b c");
	assert_int_equal(agent.n_links, 1);
	assert_string_equal(agent.links[0].from, "~/.f");
	assert_string_equal(agent.links[0].to, "w/f");
	assert_int_equal(agent.remarks.length, 0);
}

static void what_is_missing_is_its_default(void **state)
{
	static const char *const rows[] = {
		"{}", "{\"sandbox\":{}}", "{\"other\":[1]}",
		"{\"sandbox\":{\"symlinks\":[],\"writablePaths\":[]}}"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_AGENT_JSON struct agent_json agent = {};

		assert_int_equal(parse(rows[i], &agent, NULL), 0);
		assert_false(agent.real_proc);
		assert_int_equal(agent.n_writable_paths, 0);
		assert_int_equal(agent.n_links, 0);
	}
}

static void a_wrong_type_names_its_key(void **state)
{
	static const struct {
		const char *sandbox;
		const char *want;
	} rows[] = {
		{ "[]", "sandbox must be an object, not an array" },
		{ "null", "sandbox must be an object, not null" },
		{ "{\"realProc\":1}", "sandbox.realProc must be true or false, not a number" },
		{ "{\"realProc\":\"true\"}",
		  "sandbox.realProc must be true or false, not a string" },
		{ "{\"realProc\":null}", "sandbox.realProc must be true or false, not null" },
		{ "{\"writablePaths\":\"a\"}",
		  "sandbox.writablePaths must be an array of strings, not a string" },
		{ "{\"writablePaths\":[\"a\",7]}",
		  "sandbox.writablePaths[1] must be a string, not a number" },
		{ "{\"symlinks\":{}}",
		  "sandbox.symlinks must be an array of objects, not an object" },
		{ "{\"symlinks\":[true]}",
		  "sandbox.symlinks[0] must be an object with from and to, not true or false" },
		{ "{\"symlinks\":[{\"to\":\"a\"}]}", "sandbox.symlinks[0].from is missing" },
		{ "{\"symlinks\":[{\"from\":\"a\"}]}", "sandbox.symlinks[0].to is missing" },
		{ "{\"symlinks\":[{\"from\":\"a\",\"to\":[]}]}",
		  "sandbox.symlinks[0].to must be a string, not an array" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_AGENT_JSON struct agent_json agent = {};
		AUTO_TEXT struct text whole = {};
		struct fault f = {};

		text_add(&whole, "{\"sandbox\":%s}", rows[i].sandbox);
		assert_int_equal(parse(whole.data, &agent, &f), -EINVAL);
		assert_string_equal(f.message + strlen("typeclaw.json: "), rows[i].want);
		assert_null(agent.document);
	}
}

static void an_unknown_key_is_a_remark_and_its_bytes_are_escaped(void **state)
{
	AUTO_AGENT_JSON struct agent_json agent = {};

	(void)state;
	assert_int_equal(parse("{\"sandbox\":{\"real_proc\":true,\"\\u001b[2J\":1,"
			       "\"symlinks\":[{\"from\":\"a\",\"to\":\"b\",\"mode\":1}]}}",
			       &agent, NULL),
			 0);
	assert_false(agent.real_proc);
	assert_non_null(strstr(agent.remarks.data, "unknown key sandbox.real_proc is left out\n"));
	assert_non_null(strstr(agent.remarks.data, "sandbox.\\x1b[2J"));
	assert_non_null(strstr(agent.remarks.data, "sandbox.symlinks[0].mode"));
}

static void bad_json_says_where_and_shows_no_raw_bytes(void **state)
{
	static const char *const rows[] = {
		"",
		"{",
		"[1,]",
		"{\"sandbox\":{}} x",
		"{\"a\":1,\"a\":2}",
		"{\"a\":\"\xff\"}",
		"{\"sandbox\":{\"symlinks\":[{\"from\":\"a\\u0000b\",\"to\":\"c\"}]}}",
		"{\"a\":\"\x1b[2J\"}",
		"\x1b[2J",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_AGENT_JSON struct agent_json agent = {};
		struct fault f = {};

		assert_int_equal(parse(rows[i], &agent, &f), -EBADMSG);
		assert_int_equal(strncmp(f.message, "typeclaw.json:", 14), 0);
		assert_null(strchr(f.message, '\x1b'));
		assert_null(strchr(f.message, '\xff'));
	}
}

static void more_links_than_the_boot_takes_are_an_error(void **state)
{
	AUTO_AGENT_JSON struct agent_json agent = {};
	AUTO_TEXT struct text whole = {};

	(void)state;
	text_add(&whole, "{\"sandbox\":{\"symlinks\":[");
	for (int i = 0; i <= PLAN_LINKS_MAX; i++)
		text_add(&whole, "%s{\"from\":\"~/%d\",\"to\":\"w\"}", i ? "," : "", i);
	text_add(&whole, "]}}");
	assert_int_equal(parse(whole.data, &agent, NULL), -E2BIG);
}

static void a_planted_link_or_fifo_is_not_read(void **state)
{
	char folder[] = "/tmp/test_agent_json.XXXXXX";
	AUTO_AGENT_JSON struct agent_json agent = {};
	AUTO_CLOSE int dir = -1;
	struct fault f = {};

	(void)state;
	assert_non_null(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	assert_int_equal(agent_json_read(dir, &agent, &f), -ENOENT);
	assert_int_equal(symlinkat("/etc/passwd", dir, "typeclaw.json"), 0);
	assert_int_equal(agent_json_read(dir, &agent, &f), -ELOOP);
	assert_int_equal(unlinkat(dir, "typeclaw.json", 0), 0);
	assert_int_equal(mkfifoat(dir, "typeclaw.json", 0600), 0);
	assert_int_equal(agent_json_read(dir, &agent, &f), -EINVAL);
	assert_int_equal(unlinkat(dir, "typeclaw.json", 0), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void a_file_over_the_limit_is_refused_whole(void **state)
{
	char folder[] = "/tmp/test_agent_json.XXXXXX";
	AUTO_AGENT_JSON struct agent_json agent = {};
	AUTO_CLOSE int dir = -1;
	AUTO_CLOSE int fd = -1;

	(void)state;
	assert_non_null(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = openat(dir, "typeclaw.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(file_write_all(fd, "{}", 2), 0);
	assert_int_equal(agent_json_read(dir, &agent, NULL), 0);
	agent_json_clear(&agent);
	assert_int_equal(ftruncate(fd, (off_t)AGENT_JSON_MAX + 1), 0);
	assert_int_equal(agent_json_read(dir, &agent, NULL), -EFBIG);
	assert_int_equal(unlinkat(dir, "typeclaw.json", 0), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_that_is_there_is_read),
		cmocka_unit_test(what_is_missing_is_its_default),
		cmocka_unit_test(a_wrong_type_names_its_key),
		cmocka_unit_test(an_unknown_key_is_a_remark_and_its_bytes_are_escaped),
		cmocka_unit_test(bad_json_says_where_and_shows_no_raw_bytes),
		cmocka_unit_test(more_links_than_the_boot_takes_are_an_error),
		cmocka_unit_test(a_planted_link_or_fifo_is_not_read),
		cmocka_unit_test(a_file_over_the_limit_is_refused_whole),
	};

	return cmocka_run_group_tests_name("agent_json", tests, NULL, NULL);
}
