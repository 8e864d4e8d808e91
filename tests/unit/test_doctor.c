/* doctor: the catalogue against the vectors and the kernel's own words, and how a report looks. */
#include <errno.h>
#include <jansson.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "entrypoint/doctor_write.h"
#include "init/own.h"

#define VECTORS "tests/vectors/environment-failures.json"

/* What tools print, one line for each pattern of each row of the vectors, in their order. */
static const struct sample {
	const char *id;
	const char *text;
} samples[] = {
	{ "E01-SECCOMP-CLONE", "bwrap: No permissions to create a new namespace, likely because "
			       "the kernel does not allow non-privileged user namespaces." },
	{ "E01-SECCOMP-CLONE", "bwrap: No permissions to creating new namespace" },
	{ "E02-SECCOMP-MOUNT", "bwrap: Failed to make / slave: Operation not permitted" },
	{ "E03-SECCOMP-PIVOT", "bwrap: pivot_root: Operation not permitted" },
	{ "E04-SECCOMP-UMOUNT", "bwrap: unmount old root: Operation not permitted" },
	{ "E05-SECCOMP-UNSHARE", "bwrap: unshare user ns: Operation not permitted" },
	{ "E06-APPARMOR-MOUNT", "bwrap: Failed to make / slave: Permission denied" },
	{ "E06-APPARMOR-MOUNT",
	  "mount(NULL, \"/\", NULL, MS_REC|MS_PRIVATE, NULL) = -1: Permission denied" },
	{ "E07-APPARMOR-USERNS", "bwrap: setting up uid map: Permission denied" },
	{ "E07-APPARMOR-USERNS",
	  "unshare: write failed /proc/self/uid_map: Operation not permitted" },
	{ "E08-APPARMOR-NET", "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted" },
	{ "E09-SYSCTL-CLONE", "bwrap: No permissions to create new namespace" },
	{ "E10-MAX-USERNS", "bwrap: Creating new namespace failed: nesting depth or "
			    "/proc/sys/user/max_*_namespaces exceeded (ENOSPC)" },
	{ "E10-MAX-USERNS", "unshare: unshare failed: No space left on device" },
	{ "E11-CAPDROP-SETFCAP", "bwrap: setting up uid map: Operation not permitted" },
	{ "E12-PROC-MASKED", "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" },
	{ "E12-PROC-MASKED", "VFS: Mount too revealing" },
	{ "E13-REALPROC-NOCAP", "unshare: unshare failed: Operation not permitted" },
	{ "E14-REALPROC-MOUNT", "unshare: mount /proc failed: Permission denied" },
	{ "E15-SELINUX", "bwrap: Failed to mount tmpfs: Permission denied" },
	{ "E16-ROOTFS", "bwrap: pivot_root: Invalid argument" },
	{ "E17-GVISOR", "bwrap: cannot open /proc/sys/user/max_user_namespaces: No such file" },
	{ "E17-GVISOR", "bwrap: pivot_root: Function not implemented" },
	{ "E18-ORBSTACK-USERNS", "unshare: unshare failed: Operation not permitted" },
	{ "E19-ECI", "mount: /proc: permission denied." },
	{ "E20-K8S-PROCMOUNT", "spec: Forbidden: `hostUsers` must be false to use `Unmasked`" },
	{ "E21-LOADER", "bwrap: execvp /usr/bin/node: No such file or directory" },
	{ "E22-SOURCE", "bwrap: Can't find source path /lib64: No such file or directory" },
	{ "E23-MASK-TARGET", "bwrap: Can't create file at /agent/.env: Read-only file system" },
	{ "E23-MASK-TARGET", "bwrap: Can't mkdir /agent/.git: Read-only file system" },
	{ "E23-MASK-TARGET", "bwrap: Can't mount tmpfs on /newroot/a: No such file or directory" },
	{ "E24-SYMLINK", "bwrap: Can't make symlink at /tmp: File exists" },
	{ "E25-HIDEPID", "bwrap: setting up uid map: Operation not permitted" },
	{ "E26-SETGROUPS", "unshare: write /proc/self/setgroups failed: Permission denied" },
	{ "E27-ZOMBIES", "root  41  1  0 10:00 ?  00:00:00 [node] <defunct>" },
};

static void regex_must_match(const char *expression, const char *text)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&regex, text, 0, NULL, 0) != 0)
		fail_msg("%s does not match %s", expression, text);
	regfree(&regex);
}

/* Is the row of that id among those that the text finds? */
static bool text_finds(const char *text, const char *id)
{
	enum catalogue_id found = CATALOGUE_NOTHING;

	while ((found = catalogue_find_text(found, text)) != CATALOGUE_COUNT)
		if (strcmp(catalogue_row(found)->id, id) == 0)
			return true;
	return false;
}

static void each_pattern_of_the_vectors_has_a_sample_that_the_catalogue_knows(void **state)
{
	json_t *vectors = json_load_file(VECTORS, JSON_REJECT_DUPLICATES, NULL);
	const json_t *row, *expression;
	size_t i, k, n = 0;

	(void)state;
	assert_non_null(vectors);
	json_array_foreach(json_object_get(vectors, "rows"), i, row)
	{
		const char *id = json_string_value(json_object_get(row, "id"));

		json_array_foreach(json_object_get(row, "match"), k, expression)
		{
			assert_true(n < ARRAY_SIZE(samples));
			assert_string_equal(samples[n].id, id);
			regex_must_match(json_string_value(expression), samples[n].text);
			if (!text_finds(samples[n].text, id))
				fail_msg("%s is not found by: %s", id, samples[n].text);
			n++;
		}
	}
	assert_int_equal(i, 27);
	assert_int_equal(n, ARRAY_SIZE(samples));
	json_decref(vectors);
}

static void a_text_that_nobody_knows_finds_nothing(void **state)
{
	static const char *const texts[] = { "", "bwrap", "bwrap: pivot_root", "No permissions",
					     "bwrap: setting up uid map: No such file" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(catalogue_find_text(CATALOGUE_NOTHING, texts[i]), CATALOGUE_COUNT);
}

static void patterns_match_words_and_runs_and_nothing_else(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool want;
	} rows[] = {
		{ "a{b,c}d", "xabdx", true }, { "a{b,c}d", "acd", true },
		{ "a{b,c}d", "ad", false },   { "a{b ,}d", "ad", true },
		{ "a{b ,}d", "ab d", true },  { "a*d", "a---d", true },
		{ "a*d", "ad", true },        { "a*d", "a", false },
		{ "a*d", "da", false },       { "(a|b)", "(a|b)", true },
		{ "(a|b)", "a", false },      { "", "", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (pattern_find(rows[i].pattern, rows[i].text) != rows[i].want)
			fail_msg("%s against %s", rows[i].pattern, rows[i].text);
}

/* Conditions that name one cause, with what the kernel said; the widest row must not win. */
static void the_same_refusal_has_another_cause_on_another_host(void **state)
{
	static const struct {
		enum probe_cause cause;
		int error;
		unsigned int conditions;
		const char *id; /* NULL: nothing is known */
	} rows[] = {
		{ CAUSE_USERNS_BLOCKED, EPERM, WHEN_FILTER, "E01-SECCOMP-CLONE" },
		{ CAUSE_USERNS_BLOCKED, EPERM, WHEN_FILTER | WHEN_USERNS_CLONE_OFF,
		  "E01-SECCOMP-CLONE" },
		{ CAUSE_USERNS_BLOCKED, EPERM, WHEN_NO_FILTER | WHEN_USERNS_CLONE_OFF,
		  "E09-SYSCTL-CLONE" },
		{ CAUSE_USERNS_BLOCKED, EPERM, WHEN_FILTER | WHEN_ORBSTACK, "E18-ORBSTACK-USERNS" },
		{ CAUSE_USERNS_BLOCKED, EPERM, WHEN_NO_FILTER, NULL },
		{ CAUSE_USERNS_BLOCKED, EACCES, WHEN_NO_FILTER | WHEN_APPARMOR_USERNS,
		  "E07-APPARMOR-USERNS" },
		{ CAUSE_USERNS_LIMIT, ENOSPC, WHEN_FILTER, "E10-MAX-USERNS" },
		{ CAUSE_UID_MAP_BLOCKED, EPERM, WHEN_ROOT | WHEN_NO_SETFCAP,
		  "E11-CAPDROP-SETFCAP" },
		{ CAUSE_UID_MAP_BLOCKED, EPERM, WHEN_ROOT, NULL },
		{ CAUSE_UID_MAP_BLOCKED, EPERM, WHEN_NO_SETFCAP | WHEN_HIDEPID, "E25-HIDEPID" },
		{ CAUSE_UID_MAP_BLOCKED, EACCES, WHEN_APPARMOR_USERNS, "E07-APPARMOR-USERNS" },
		{ CAUSE_MOUNT_BLOCKED, EPERM, WHEN_FILTER, "E02-SECCOMP-MOUNT" },
		{ CAUSE_MOUNT_BLOCKED, EACCES, WHEN_FILTER | WHEN_APPARMOR, "E06-APPARMOR-MOUNT" },
		{ CAUSE_MOUNT_BLOCKED, EACCES, WHEN_SELINUX, "E15-SELINUX" },
		{ CAUSE_MOUNT_BLOCKED, EACCES, WHEN_NO_FILTER, NULL },
		{ CAUSE_MOUNT_BLOCKED, EPERM, WHEN_SYSBOX | WHEN_SYS_ADMIN, "E19-ECI" },
		{ CAUSE_PIVOT_ROOT_BLOCKED, EPERM, WHEN_FILTER, "E03-SECCOMP-PIVOT" },
		{ CAUSE_PIVOT_ROOT_BLOCKED, EINVAL, WHEN_NO_FILTER, "E16-ROOTFS" },
		{ CAUSE_PIVOT_ROOT_BLOCKED, ENOSYS, WHEN_GVISOR, "E17-GVISOR" },
		{ CAUSE_UMOUNT_BLOCKED, EPERM, WHEN_FILTER, "E04-SECCOMP-UMOUNT" },
		{ CAUSE_MASKED_PROC, EPERM, WHEN_SYS_ADMIN | WHEN_CHILD_USERNS,
		  "E14-REALPROC-MOUNT" },
		{ CAUSE_MASKED_PROC, EPERM, WHEN_SYS_ADMIN, "E12-PROC-MASKED" },
		{ CAUSE_NO_SYS_ADMIN, EPERM, WHEN_FILTER, "E13-REALPROC-NOCAP" },
		{ CAUSE_BWRAP_MISSING, ENOENT, 0, "bwrap-missing" },
		{ CAUSE_SIGNALABLE, 0, 0, "bwrap-unsound" },
		{ CAUSE_TIMEOUT, 0, 0, "load" },
		{ CAUSE_SETUP_FAILED, EPROTO, WHEN_NO_FILTER, NULL },
		{ CAUSE_NONE, 0, WHEN_FILTER, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct catalogue_row *row =
			catalogue_find_cause(rows[i].cause, rows[i].error, rows[i].conditions);
		const char *id = row ? row->id : "nothing";

		if (strcmp(id, rows[i].id ? rows[i].id : "nothing") != 0)
			fail_msg("row %zu found %s", i, id);
	}
}

static void bwraps_own_words_count_only_where_the_cause_tells_nothing(void **state)
{
	struct probe_finding finding = {
		.verdict = PROBE_INCONCLUSIVE,
		.cause = CAUSE_SETUP_FAILED,
		.evidence = "bwrap: Can't find source path /lib64: No such file or directory",
	};

	(void)state;
	assert_string_equal(catalogue_find(&finding, 0)->id, "E22-SOURCE");
	finding.cause = CAUSE_TIMEOUT;
	assert_string_equal(catalogue_find(&finding, 0)->id, "load");
	finding.cause = CAUSE_NONE;
	assert_null(catalogue_find(&finding, 0));
}

static void every_row_is_whole_and_its_fixes_are_flags_that_can_be_typed(void **state)
{
	static const char *const targets[] = { "docker", "podman", "kubernetes",
					       "host",   "image",  "config" };

	(void)state;
	assert_null(catalogue_row(CATALOGUE_NOTHING));
	for (enum catalogue_id id = CATALOGUE_NOTHING + 1; id < CATALOGUE_COUNT; id++) {
		const struct catalogue_row *row = catalogue_row(id);

		assert_true(row->id && row->tell && row->fixes && row->fixes[0].target);
		for (const struct fix *fix = row->fixes; fix->target; fix++) {
			size_t known = 0;

			for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
				known += strcmp(targets[i], fix->target) == 0;
			assert_int_equal(known, 1);
			assert_true(fix->change[0] && fix->cost[0]);
			/* DESIGN section 11: never told to be passed, only to be left out. */
			if (strstr(fix->change, "systempaths=unconfined"))
				assert_memory_equal(fix->change, "leave out ", 10);
		}
	}
}

static void colour_and_marks_follow_what_the_terminal_takes(void **state)
{
	static const char *const nothing[] = { NULL };
	static const char *const no_color[] = { "NO_COLOR=1", "CLICOLOR_FORCE=1", NULL };
	static const char *const no_color_empty[] = { "NO_COLOR=", NULL };
	static const char *const force[] = { "CLICOLOR_FORCE=1", NULL };
	static const char *const force_off[] = { "CLICOLOR_FORCE=0", NULL };
	static const char *const dumb[] = { "TERM=dumb", NULL };
	static const char *const utf8[] = { "LANG=de_DE.UTF-8", NULL };
	static const char *const all_wins[] = { "LC_ALL=C", "LANG=de_DE.UTF-8", NULL };
	static const char *const ctype[] = { "LC_ALL=", "LC_CTYPE=en_US.utf8", "LANG=C", NULL };
	static const struct {
		enum doctor_colour colour;
		const char *const *environment;
		bool is_terminal, want_colour, want_utf8;
	} rows[] = {
		{ DOCTOR_COLOUR_AUTO, nothing, true, true, false },
		{ DOCTOR_COLOUR_AUTO, nothing, false, false, false },
		{ DOCTOR_COLOUR_AUTO, no_color, true, false, false },
		{ DOCTOR_COLOUR_AUTO, no_color_empty, true, true, false },
		{ DOCTOR_COLOUR_AUTO, force, false, true, false },
		{ DOCTOR_COLOUR_AUTO, force_off, true, false, false },
		{ DOCTOR_COLOUR_AUTO, dumb, true, false, false },
		{ DOCTOR_COLOUR_ALWAYS, no_color, false, true, false },
		{ DOCTOR_COLOUR_NEVER, force, true, false, false },
		{ DOCTOR_COLOUR_AUTO, utf8, false, false, true },
		{ DOCTOR_COLOUR_AUTO, all_wins, false, false, false },
		{ DOCTOR_COLOUR_AUTO, ctype, false, false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct doctor_style style = doctor_style_choose(
			rows[i].colour, (char *const *)rows[i].environment, rows[i].is_terminal);

		if (style.colour != rows[i].want_colour || style.utf8 != rows[i].want_utf8)
			fail_msg("row %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pattern_of_the_vectors_has_a_sample_that_the_catalogue_knows),
		cmocka_unit_test(a_text_that_nobody_knows_finds_nothing),
		cmocka_unit_test(patterns_match_words_and_runs_and_nothing_else),
		cmocka_unit_test(the_same_refusal_has_another_cause_on_another_host),
		cmocka_unit_test(bwraps_own_words_count_only_where_the_cause_tells_nothing),
		cmocka_unit_test(every_row_is_whole_and_its_fixes_are_flags_that_can_be_typed),
		cmocka_unit_test(colour_and_marks_follow_what_the_terminal_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
