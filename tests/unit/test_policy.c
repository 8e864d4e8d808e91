/* policy: roles, zones, masks and installs; the vector files read as data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <cmocka.h>

#include "sandbox/policy.h"
#include "tests/unit/ground.h"

#define PATHS_MAX 64

/* The taken zones of one kind, as a JSON array of their paths. */
static json_t *paths_of(const struct zones *zones, enum zone_kind kind)
{
	json_t *paths = json_array();

	for (size_t i = 0; i < zones->n; i++) {
		if (zones->list[i].verdict == ZONE_TAKEN && zones->list[i].kind == kind)
			json_array_append_new(paths, json_string(zones->list[i].path));
	}
	return paths;
}

static void assert_same(const char *name, const char *what, json_t *found, const json_t *expected)
{
	char *found_text = json_dumps(found, JSON_SORT_KEYS);
	char *expected_text = json_dumps(expected, JSON_SORT_KEYS);

	if (strcmp(found_text, expected_text) != 0)
		fail_msg("%s: %s is %s, not %s", name, what, found_text, expected_text);
	free(found_text);
	free(expected_text);
	json_decref(found);
}

static json_t *expand_all(const struct ground *ground, const json_t *list)
{
	json_t *expanded = json_array();
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		AUTO_FREE char *path = ground_expand(ground, json_string_value(item));

		json_array_append_new(expanded, json_string(path));
	}
	return expanded;
}

/* `expected` is {"dirs": [...], "files": [...]}. */
static void assert_zones(const struct ground *ground, const char *name, const struct zones *zones,
			 const json_t *expected)
{
	json_t *dirs = expand_all(ground, json_object_get(expected, "dirs"));
	json_t *files = expand_all(ground, json_object_get(expected, "files"));

	assert_same(name, "dirs", paths_of(zones, ZONE_DIRECTORY), dirs);
	assert_same(name, "files", paths_of(zones, ZONE_FILE), files);
	json_decref(dirs);
	json_decref(files);
}

/* `expected` is {"PATH": "reason"}: exactly those are not taken. */
static void assert_dropped(const char *name, const struct zones *zones, const json_t *expected)
{
	json_t *dropped = json_object();

	for (size_t i = 0; i < zones->n; i++) {
		if (zones->list[i].verdict != ZONE_TAKEN)
			json_object_set_new(dropped, zones->list[i].path,
					    json_string(zone_verdict_name(zones->list[i].verdict)));
	}
	assert_same(name, "dropped", dropped, expected);
}

static size_t strings(const json_t *list, const char **ret)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		ret[i] = json_string_value(json_array_get(list, i));
	return json_array_size(list);
}

static unsigned int see_of(const json_t *vector)
{
	const char *role = string_of(vector, "role");
	const char *see = string_of(vector, "see");
	unsigned int bits;

	if (!see)
		return policy_role_sees(role ? policy_role_parse(role) : ROLE_MEMBER);
	assert_int_equal(policy_see_parse(see, &bits), 0);
	return bits;
}

static void check_writable_zones(const json_t *vector)
{
	const json_t *expected = json_object_get(vector, "expect");
	const char *name = string_of(vector, "name");
	const char *paths[PATHS_MAX], *targets[PATHS_MAX];
	AUTO_POLICY struct policy policy = POLICY_NONE;
	struct policy_request request = { .see = see_of(vector),
					  .writable_paths = paths,
					  .link_targets = targets };
	struct ground ground;
	struct fault f = {};
	int r;

	ground_begin(&ground);
	ground_make(&ground, json_object_get(vector, "setup"));
	request.agent_dir = ground.agent;
	request.n_writable_paths = strings(json_object_get(vector, "writable_paths"), paths);
	request.n_link_targets = strings(json_object_get(vector, "links"), targets);
	r = policy_resolve(&request, &policy, &f);
	if (json_is_true(json_object_get(expected, "refused"))) {
		assert_int_equal(r, -EPERM);
		assert_non_null(strstr(f.message, string_of(expected, "message")));
	} else {
		if (r < 0)
			fail_msg("%s: %s", name, f.message);
		assert_zones(&ground, name, &policy.writable, expected);
	}
	if (json_object_get(expected, "dropped"))
		assert_dropped(name, &policy.writable, json_object_get(expected, "dropped"));
	if (json_object_get(expected, "hidden"))
		assert_zones(&ground, name, &policy.hidden, json_object_get(expected, "hidden"));
	ground_end(&ground);
}

static void the_given_writable_zones_are_judged_as_written(void **state)
{
	(void)state;
	vectors_run("tests/vectors/writable-zones.json", check_writable_zones);
}

static void our_own_writable_zones_are_judged_as_written(void **state)
{
	(void)state;
	vectors_run("tests/vectors/writable-zones-more.json", check_writable_zones);
}

/* Lists of strings that were never on disk, as zones. */
static void zones_of(const json_t *lists, struct zones *ret)
{
	static const struct {
		const char *key;
		enum zone_kind kind;
	} kinds[] = { { "dirs", ZONE_DIRECTORY }, { "files", ZONE_FILE } };
	size_t n = 0;

	ret->list = calloc(PATHS_MAX, sizeof(*ret->list));
	for (size_t i = 0; i < 2; i++) {
		const json_t *path;
		size_t k;

		json_array_foreach(json_object_get(lists, kinds[i].key), k, path) ret->list[n++] =
			(struct zone){ strdup(json_string_value(path)), kinds[i].kind, ZONE_TAKEN,
				       false, -1 };
	}
	ret->n = n;
}

static void check_subtract_masked(const json_t *vector)
{
	static const struct ground nowhere;
	AUTO_ZONES struct zones writable = {};
	AUTO_ZONES struct zones masked = {};

	zones_of(json_object_get(vector, "writable"), &writable);
	zones_of(json_object_get(vector, "masked"), &masked);
	zones_subtract(&writable, &masked);
	assert_zones(&nowhere, "subtract", &writable, json_object_get(vector, "expect"));
}

static void what_is_at_or_under_a_mask_is_not_writable(void **state)
{
	(void)state;
	vectors_run("tests/vectors/subtract-masked.json", check_subtract_masked);
	vectors_run("tests/vectors/subtract-masked-more.json", check_subtract_masked);
}

static void check_install(const json_t *vector)
{
	const json_t *expected = json_object_get(vector, "expect");
	const char *name = string_of(vector, "name");
	struct zone_ground agent = { .fd = -1 };
	struct install install = {};
	struct ground ground;

	ground_begin(&ground);
	ground_make(&ground, json_object_get(vector, "setup"));
	assert_int_equal(zone_ground_open(ground.agent, &agent), 0);
	assert_int_equal(install_read(&agent, &install), 0);
	if (json_is_true(json_object_get(expected, "refused"))) {
		if (install.verdict == INSTALL_TAKEN)
			fail_msg("%s: taken", name);
		assert_int_equal(install.protected.n + install.writable.n, 0);
	} else {
		if (install.verdict != INSTALL_TAKEN)
			fail_msg("%s: %s", name, install_verdict_name(install.verdict));
		assert_zones(&ground, name, &install.protected,
			     json_object_get(expected, "protected"));
	}
	if (string_of(expected, "reason"))
		assert_string_equal(install_verdict_name(install.verdict),
				    string_of(expected, "reason"));
	install_clear(&install);
	zone_ground_close(&agent);
	ground_end(&ground);
}

static void an_install_protects_all_but_what_it_must_write(void **state)
{
	(void)state;
	vectors_run("tests/vectors/package-install-zones.json", check_install);
	vectors_run("tests/vectors/package-install-zones-more.json", check_install);
}

static void an_unknown_or_missing_role_is_a_guest(void **state)
{
	static const char *const words[] = { "", "Owner", "member ", "root", "guest", "trusted\n" };

	(void)state;
	assert_int_equal(policy_role_parse(NULL), ROLE_GUEST);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(policy_role_parse(words[i]), ROLE_GUEST);
	assert_int_equal(policy_role_sees(ROLE_GUEST), 0);
	assert_false(policy_role_unsandboxed(ROLE_GUEST));
	assert_false(policy_role_unsandboxed(ROLE_MEMBER));
	assert_true(policy_role_unsandboxed(policy_role_parse("trusted")));
	assert_true(policy_role_unsandboxed(policy_role_parse("owner")));
	assert_false(policy_role_known("root"));
	assert_true(policy_role_known("guest"));
}

static void capabilities_are_two_words_and_nothing_else(void **state)
{
	static const char *const bad[] = { "Private",          "private,", ",",
					   "private,,secrets", "all",      "private secrets" };
	unsigned int see = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(policy_see_parse(bad[i], &see), -EINVAL);
	assert_int_equal(policy_see_parse("secrets,private", &see), 0);
	assert_int_equal(see, SEE_PRIVATE | SEE_SECRETS);
	assert_int_equal(policy_see_parse("", &see), 0);
	assert_int_equal(see, 0);
}

/* Swaps the zone's name for a link between the judgement and a second look: the fd holds on. */
static void what_was_judged_stays_open_whatever_its_name_is_later(void **state)
{
	const struct policy_request request = { .see = SEE_PRIVATE };
	AUTO_POLICY struct policy policy = POLICY_NONE;
	struct policy_request here = request;
	struct stat before, after;
	struct ground ground;
	struct fault f = {};
	char zone[128], moved[128];

	(void)state;
	ground_begin(&ground);
	here.agent_dir = ground.agent;
	(void)snprintf(zone, sizeof(zone), "%s/workspace", ground.agent);
	(void)snprintf(moved, sizeof(moved), "%s/moved", ground.root);
	assert_int_equal(mkdir(zone, 0755), 0);
	assert_int_equal(stat(zone, &before), 0);
	assert_int_equal(policy_resolve(&here, &policy, &f), 0);
	assert_int_equal(rename(zone, moved), 0);
	assert_int_equal(symlink("/etc", zone), 0);
	assert_int_equal(policy.writable.n, 1);
	assert_int_equal(fstat(policy.writable.list[0].fd, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	ground_end(&ground);
}

static void a_zone_below_another_needs_no_mount_of_its_own(void **state)
{
	static const char *const paths[] = { "workspace/cache", "other" };
	AUTO_POLICY struct policy policy = POLICY_NONE;
	struct policy_request request = { .see = SEE_PRIVATE,
					  .writable_paths = paths,
					  .n_writable_paths = 2 };
	struct ground ground;
	struct fault f = {};
	char path[128];

	(void)state;
	ground_begin(&ground);
	request.agent_dir = ground.agent;
	(void)snprintf(path, sizeof(path), "%s/workspace/cache/x", ground.agent);
	ground_make_parents(path);
	(void)snprintf(path, sizeof(path), "%s/other/x", ground.agent);
	ground_make_parents(path);
	assert_int_equal(policy_resolve(&request, &policy, &f), 0);
	assert_int_equal(policy.writable.n, 3);
	assert_false(policy.writable.list[0].covered);
	assert_true(policy.writable.list[1].covered);
	assert_false(policy.writable.list[2].covered);
	ground_end(&ground);
}

static void an_agent_folder_that_is_not_there_is_a_fault(void **state)
{
	AUTO_POLICY struct policy policy = POLICY_NONE;
	struct policy_request request = { .agent_dir = "/nowhere/at/all" };
	struct fault f = {};

	(void)state;
	assert_int_equal(policy_resolve(&request, &policy, &f), -ENOENT);
	request.agent_dir = "agent";
	assert_int_equal(policy_resolve(&request, &policy, &f), -EINVAL);
	request.agent_dir = "/dev/null";
	assert_int_equal(policy_resolve(&request, &policy, &f), -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_given_writable_zones_are_judged_as_written),
		cmocka_unit_test(our_own_writable_zones_are_judged_as_written),
		cmocka_unit_test(what_is_at_or_under_a_mask_is_not_writable),
		cmocka_unit_test(an_install_protects_all_but_what_it_must_write),
		cmocka_unit_test(an_unknown_or_missing_role_is_a_guest),
		cmocka_unit_test(capabilities_are_two_words_and_nothing_else),
		cmocka_unit_test(what_was_judged_stays_open_whatever_its_name_is_later),
		cmocka_unit_test(a_zone_below_another_needs_no_mount_of_its_own),
		cmocka_unit_test(an_agent_folder_that_is_not_there_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
