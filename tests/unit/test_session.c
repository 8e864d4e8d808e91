/* session: names, paths, and the folder on disk; the vector files read as data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <cmocka.h>

#include "sandbox/session.h"
#include "tests/unit/ground.h"

static void check_path(const json_t *vector)
{
	const json_t *expected = json_object_get(vector, "expect");
	const char *path = string_of(vector, "path");
	AUTO_TEXT struct text found = {};
	int r = session_path(string_of(vector, "agentDir"), string_of(vector, "session"), path,
			     &found);

	if (json_is_null(expected)) {
		if (r != 1)
			fail_msg("%s: %d %s", path, r, found.data);
	} else if (strcmp(json_string_value(expected), "reject SESSION_ID") == 0) {
		assert_int_equal(r, -EINVAL);
	} else {
		assert_int_equal(r, 0);
		assert_string_equal(found.data, json_string_value(expected));
	}
}

static void a_path_in_tmp_lies_in_the_folder_of_its_session(void **state)
{
	(void)state;
	vectors_run("tests/vectors/session-tmp.json", check_path);
	vectors_run("tests/vectors/session-tmp-more.json", check_path);
}

static void session_names_are_narrow(void **state)
{
	static const char *const bad[] = { "", ".", "..", "a/b", "a b", "\xc3\xa4", "a\n", "a:b" };
	char longest[SESSION_ID_MAX + 2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(session_id_valid(bad[i]));
	memset(longest, 'x', sizeof(longest));
	longest[SESSION_ID_MAX] = '\0';
	assert_true(session_id_valid(longest));
	longest[SESSION_ID_MAX] = 'x';
	longest[SESSION_ID_MAX + 1] = '\0';
	assert_false(session_id_valid(longest));
	assert_true(session_id_valid("..."));
	assert_true(session_id_valid("-rf"));
}

/* A name that no other test uses, and the path of its folder. */
static void session_name(char ret_id[64], char ret_path[128])
{
	(void)snprintf(ret_id, 64, "unit-test-%d", (int)getpid());
	(void)snprintf(ret_path, 128, SESSION_ROOT "/%s", ret_id);
}

static void a_session_folder_is_made_for_us_alone_and_found_again(void **state)
{
	char id[64], path[128];
	struct fault f = {};
	struct stat first, second;
	int fd = -1;

	(void)state;
	session_name(id, path);
	assert_int_equal(session_open(id, &fd, &f), 0);
	assert_int_equal(fstat(fd, &first), 0);
	assert_int_equal(first.st_mode, S_IFDIR | 0700);
	fd_close(&fd);
	assert_int_equal(session_open(id, &fd, &f), 0);
	assert_int_equal(fstat(fd, &second), 0);
	assert_int_equal(first.st_ino, second.st_ino);
	fd_close(&fd);
	assert_int_equal(rmdir(path), 0);
}

static void a_session_folder_that_others_can_reach_is_refused(void **state)
{
	char id[64], path[128];
	struct fault f = {};
	int fd = -1;

	(void)state;
	session_name(id, path);
	assert_int_equal(session_open(id, &fd, &f), 0);
	fd_close(&fd);
	assert_int_equal(chmod(path, 0711), 0);
	assert_int_equal(session_open(id, &fd, &f), -EPERM);
	assert_int_equal(fd, -1);
	assert_int_equal(rmdir(path), 0);
}

static void a_link_where_the_session_folder_belongs_is_refused(void **state)
{
	char id[64], path[128];
	struct fault f = {};
	int fd = -1;

	(void)state;
	session_name(id, path);
	assert_int_equal(session_open(id, &fd, &f), 0);
	fd_close(&fd);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/etc", path), 0);
	assert_true(session_open(id, &fd, &f) < 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(session_open("../x", &fd, &f), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_in_tmp_lies_in_the_folder_of_its_session),
		cmocka_unit_test(session_names_are_narrow),
		cmocka_unit_test(a_session_folder_is_made_for_us_alone_and_found_again),
		cmocka_unit_test(a_session_folder_that_others_can_reach_is_refused),
		cmocka_unit_test(a_link_where_the_session_folder_belongs_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
