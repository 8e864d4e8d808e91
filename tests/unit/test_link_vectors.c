/* link vectors: the cases of tests/vectors, read as data and run against the real file system. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "init/file.h"
#include "init/own.h"
#include "init/text.h"
#include "symlinks/links.h"
#include "symlinks/rules.h"
#include "tests/helpers/ground.h"

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *vectors = json_load_file(path, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

	if (!vectors)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	assert_true(json_array_size(json_object_get(vectors, "cases")) > 0);
	return vectors;
}

static const char *string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* With the ground's path for `$ROOT`; the caller frees it. */
static char *expand(const struct ground *ground, const char *string, size_t length,
		    size_t *ret_length)
{
	static const char word[] = "$ROOT";
	struct text t = {};

	for (size_t i = 0; i < length;) {
		if (length - i >= strlen(word) && memcmp(string + i, word, strlen(word)) == 0) {
			text_add(&t, "%s", ground->root);
			i += strlen(word);
		} else {
			text_add_bytes(&t, string + i++, 1);
		}
	}
	if (ret_length)
		*ret_length = t.length;
	return text_take(&t);
}

static char *expand_string(const struct ground *ground, const char *string)
{
	return expand(ground, string, strlen(string), NULL);
}

static void make_parents(const char *path)
{
	AUTO_FREE char *copy = strdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(copy, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

static void set_up_one(const struct ground *ground, const json_t *step)
{
	AUTO_FREE char *path = ground_path(ground, string_of(step, "path"));
	const char *op = string_of(step, "op");
	const json_t *mode = json_object_get(step, "mode");

	make_parents(path);
	if (strcmp(op, "dir") == 0) {
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
	} else if (strcmp(op, "file") == 0) {
		FILE *file = fopen(path, "we");

		assert_non_null(file);
		assert_true(fputs(string_of(step, "content"), file) >= 0);
		assert_int_equal(fclose(file), 0);
	} else if (strcmp(op, "symlink") == 0) {
		AUTO_FREE char *target = expand_string(ground, string_of(step, "target"));

		assert_int_equal(symlink(target, path), 0);
	} else if (strcmp(op, "fifo") == 0) {
		assert_int_equal(mkfifo(path, 0600), 0);
	} else {
		fail_msg("unknown op %s", op);
	}
	if (mode)
		assert_int_equal(chmod(path, (mode_t)json_integer_value(mode)), 0);
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *base64_encode(const char *bytes, size_t length)
{
	struct text t = {};

	for (size_t i = 0; i < length; i += 3) {
		unsigned int group = 0;

		for (size_t j = 0; j < 3; j++)
			group = group << 8 | (i + j < length ? (unsigned char)bytes[i + j] : 0);
		for (size_t j = 0; j < 4; j++)
			text_add(&t, "%c",
				 i + j <= length ? base64_digits[group >> (18 - 6 * j) & 63] : '=');
	}
	return text_take(&t);
}

/* The specs as the value of the environment variable. */
static char *encode_specs(const struct ground *ground, const json_t *specs)
{
	AUTO_FREE char *json = json_dumps(specs, 0);
	size_t length;
	AUTO_FREE char *expanded = expand(ground, json, strlen(json), &length);

	return base64_encode(expanded, length);
}

/* How many descriptors are open: none may stay behind. */
static unsigned int count_descriptors(void)
{
	unsigned int open = 0;

	for (int fd = 0; fd < 256; fd++)
		open += fcntl(fd, F_GETFD) >= 0;
	return open;
}

static void place(const struct ground *ground, const char *value, const json_t *vector,
		  bool dry_run, struct links_report *ret)
{
	const char *home = string_of(vector, "home");
	const char *agent = string_of(vector, "agent");
	AUTO_FREE char *home_dir = expand_string(ground, home ? home : "$ROOT/home");
	AUTO_FREE char *agent_dir = expand_string(ground, agent ? agent : "$ROOT/agent");
	struct links_request request = {
		.value = value, .agent_dir = agent_dir, .home = home_dir, .dry_run = dry_run
	};
	unsigned int descriptors = count_descriptors();
	struct fault f = {};
	size_t done = 0;

	if (links_place(&request, ret, &f) < 0)
		fail_msg("%s", f.message);
	assert_int_equal(count_descriptors(), descriptors);
	for (size_t i = 0; i < ret->n_links; i++) {
		assert_int_not_equal(ret->links[i].code, LINK_NONE);
		done += link_code_done(ret->links[i].code);
	}
	assert_int_equal(ret->created + ret->unchanged + ret->replaced, done);
	assert_int_equal(ret->refused, ret->n_links - done);
}

static void assert_result(const char *name, const struct link_result *link, const char *want)
{
	if (strcmp(link_code_name(link->code), want) != 0)
		fail_msg("%s: %s (%s) instead of %s", name, link_code_name(link->code),
			 link->detail ? link->detail : "no detail", want);
}

static void assert_results(const char *name, const struct links_report *report,
			   const json_t *expect)
{
	const json_t *results = json_object_get(expect, "results");
	const char *result = string_of(expect, "result");
	const char *detail = string_of(expect, "detail");
	const json_t *want;
	size_t i;

	if (result)
		assert_result(name, &report->links[report->n_links - 1], result);
	if (results && json_array_size(results) != report->n_links)
		fail_msg("%s: %zu results", name, report->n_links);
	if ((result || detail) && report->n_links == 0)
		fail_msg("%s: no entry", name);
	json_array_foreach(results, i, want)
		assert_result(name, &report->links[i], json_string_value(want));
	if (detail && (!report->links[report->n_links - 1].detail ||
		       !strstr(report->links[report->n_links - 1].detail, detail)))
		fail_msg("%s: detail is %s", name, report->links[report->n_links - 1].detail);
}

static void assert_disk(const struct ground *ground, const char *name, json_t *expect)
{
	const json_t *value;
	const char *key;
	size_t i;

	json_object_foreach(json_object_get(expect, "links"), key, value)
	{
		AUTO_FREE char *path = ground_path(ground, key);
		AUTO_FREE char *want = expand_string(ground, json_string_value(value));
		char says[4096] = "";

		if (readlink(path, says, sizeof(says) - 1) < 0 || strcmp(says, want) != 0)
			fail_msg("%s: %s says \"%s\", not %s", name, key, says, want);
	}
	json_array_foreach(json_object_get(expect, "dirs"), i, value)
	{
		AUTO_FREE char *path = ground_path(ground, json_string_value(value));
		struct stat status;

		if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode))
			fail_msg("%s: no folder %s", name, path);
	}
	json_array_foreach(json_object_get(expect, "must_not_exist"), i, value)
	{
		AUTO_FREE char *path = ground_path(ground, json_string_value(value));
		struct stat status;

		if (lstat(path, &status) == 0)
			fail_msg("%s: %s exists", name, path);
	}
	json_object_foreach(json_object_get(expect, "keep"), key, value)
	{
		AUTO_FREE char *content = NULL;
		AUTO_FREE char *path = ground_path(ground, key);

		assert_int_equal(file_slurp(AT_FDCWD, path, 4096, &content, NULL), 0);
		assert_string_equal(content, json_string_value(value));
	}
}

static void run_place_file(const char *path)
{
	json_t *vectors = load(path);
	json_t *vector;
	size_t i;

	json_array_foreach(json_object_get(vectors, "cases"), i, vector)
	{
		const char *name = string_of(vector, "name");
		json_t *expect = json_object_get(vector, "expect");
		AUTO_LINKS struct links_report dry = {};
		AUTO_LINKS struct links_report report = {};
		AUTO_FREE char *value = NULL;
		AUTO_FREE char *before = NULL;
		AUTO_FREE char *after = NULL;
		struct ground ground;
		const json_t *step;
		size_t j;

		assert_true(ground_begin(&ground));
		json_array_foreach(json_object_get(vector, "setup"), j, step)
			set_up_one(&ground, step);
		value = encode_specs(&ground, json_object_get(vector, "specs"));
		before = ground_read(&ground);
		place(&ground, value, vector, true, &dry);
		after = ground_read(&ground);
		assert_string_equal(before, after);
		place(&ground, value, vector, false, &report);
		assert_results(name, &report, expect);
		assert_results(name, &dry, expect);
		assert_disk(&ground, name, expect);
		assert_true(ground_end(&ground));
	}
	json_decref(vectors);
}

static void placing_does_what_the_vectors_say(void **state)
{
	(void)state;
	run_place_file("tests/vectors/place.json");
	run_place_file("tests/vectors/own-place.json");
}

static void run_rules_file(const char *path, const char *key)
{
	const struct rules rules = { .agent_dir = "/agent", .home = "/root" };
	json_t *vectors = load(path);
	const json_t *vector;
	size_t i;

	json_array_foreach(json_object_get(vectors, "cases"), i, vector)
	{
		const json_t *given = json_object_get(vector, key);
		const char *bytes = json_string_value(given);
		size_t length = json_string_length(given);
		const char *result = string_of(vector, "result");
		bool accept = strcmp(string_of(vector, "expect"), "accept") == 0;
		AUTO_TEXT struct text ret = {};
		enum link_code code = strcmp(key, "from") == 0
					      ? rules_from(&rules, bytes, length, &ret)
					      : rules_to(&rules, bytes, length, &ret);

		if ((code == LINK_NONE) != accept)
			fail_msg("%s \"%s\": %s", key, bytes, link_code_name(code));
		if (result && strcmp(link_code_name(code), result) != 0)
			fail_msg("%s \"%s\": %s instead of %s", key, bytes, link_code_name(code),
				 result);
	}
	json_decref(vectors);
}

static void from_is_judged_as_the_vectors_say(void **state)
{
	(void)state;
	run_rules_file("tests/vectors/from.json", "from");
	run_rules_file("tests/vectors/own-from.json", "from");
}

static void to_is_judged_as_the_vectors_say(void **state)
{
	(void)state;
	run_rules_file("tests/vectors/to.json", "to");
	run_rules_file("tests/vectors/own-to.json", "to");
}

static void run_env_file(const char *path)
{
	json_t *vectors = load(path);
	json_t *vector;
	size_t i;

	json_array_foreach(json_object_get(vectors, "cases"), i, vector)
	{
		const char *name = string_of(vector, "name");
		const char *code = string_of(vector, "code");
		const char *why = string_of(vector, "why");
		AUTO_LINKS struct links_report report = {};
		struct ground ground;

		assert_true(ground_begin(&ground));
		place(&ground, string_of(vector, "env"), vector, false, &report);
		if (report.created != json_integer_value(json_object_get(vector, "links")))
			fail_msg("%s: %u links", name, report.created);
		if (strcmp(link_code_name(report.code), code ? code : "none") != 0)
			fail_msg("%s: %s (%s)", name, link_code_name(report.code), report.detail);
		assert_int_equal(report.detail != NULL, code != NULL);
		if (why && !strstr(report.detail, why))
			fail_msg("%s: %s", name, report.detail);
		assert_results(name, &report, vector);
		assert_true(ground_end(&ground));
	}
	json_decref(vectors);
}

static void values_are_read_as_the_vectors_say(void **state)
{
	(void)state;
	run_env_file("tests/vectors/env.json");
	run_env_file("tests/vectors/own-env.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_is_judged_as_the_vectors_say),
		cmocka_unit_test(to_is_judged_as_the_vectors_say),
		cmocka_unit_test(values_are_read_as_the_vectors_say),
		cmocka_unit_test(placing_does_what_the_vectors_say),
	};

	return cmocka_run_group_tests_name("link vectors", tests, NULL, NULL);
}
