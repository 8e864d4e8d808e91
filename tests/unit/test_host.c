/* host: mountinfo, id maps and labels, as they are and as somebody might forge them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "init/own.h"
#include "probes/host.h"
#include "init/mountinfo.h"

static int parse(const char *text, struct host_facts *ret)
{
	AUTO_FREE char *copy = strdup(text);

	assert_non_null(copy);
	return host_parse_mountinfo(copy, "/agent", ret);
}

static void a_line_is_taken_apart_whatever_tags_it_has(void **state)
{
	char text[] = "36 35 98:0 /mnt1 /mnt\\0402\\134x rw,noatime master:1 shared:2 - ext3 "
		      "/dev/a\\040b rw,errors=continue\n"
		      "37 35 0:5 / /proc rw - proc proc rw,hidepid=2\n";
	struct mount_line line;
	char *cursor = text;

	(void)state;
	assert_int_equal(mountinfo_next(&cursor, &line), 1);
	assert_string_equal(line.root, "/mnt1");
	assert_string_equal(line.point, "/mnt 2\\x");
	assert_string_equal(line.options, "rw,noatime");
	assert_string_equal(line.type, "ext3");
	assert_string_equal(line.source, "/dev/a b");
	assert_string_equal(line.super, "rw,errors=continue");
	assert_int_equal(mountinfo_next(&cursor, &line), 1);
	assert_string_equal(line.type, "proc");
	assert_int_equal(mountinfo_next(&cursor, &line), 0);
	assert_int_equal(mountinfo_next(&cursor, &line), 0);
}

static void what_is_no_mountinfo_is_refused(void **state)
{
	static const char *const rows[] = {
		"x\n",
		"36 35 98:0 / /proc rw\n",
		"36 35 98:0 / /proc rw shared:1\n",
		"36 35 98:0 / /proc rw -\n",
		"36 35 98:0 / /proc rw - proc\n",
		"36 35 98:0 / /proc rw - proc proc\n",
		"- - - - - - -\n",
		"       \n",
	};
	struct host_facts host;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&host, 0, sizeof(host));
		assert_int_equal(parse(rows[i], &host), -EINVAL);
		assert_false(host.proc.known);
	}
	assert_int_equal(parse("", &host), 0);
	/* What stands behind an empty line is not lost. */
	assert_int_equal(parse("\n\n1 0 0:1 / /proc rw - proc proc rw\n\n", &host), 0);
	assert_true(host.proc.known);
}

static void options_are_whole_words(void **state)
{
	size_t length;

	(void)state;
	assert_true(mount_has_option("rw,ro,x", "ro"));
	assert_true(mount_has_option("ro", "ro"));
	assert_false(mount_has_option("rootcontext=a,nosuid", "ro"));
	assert_false(mount_has_option("", "ro"));
	assert_non_null(mount_option_value("rw,hidepid=2", "hidepid", &length));
	assert_int_equal(length, 1);
	assert_null(mount_option_value("rw,xhidepid=2", "hidepid", &length));
	assert_null(mount_option_value("rw,hidepid", "hidepid", &length));
}

static void masks_protections_and_hidepid_are_counted(void **state)
{
	static const struct {
		const char *text;
		struct host_proc want;
	} rows[] = {
		{ "1 0 0:1 / /proc rw - proc proc rw\n", { .known = true, .sys_writable = true } },
		{ "1 0 0:1 / /proc ro - proc proc rw\n", { .known = true, .read_only = true } },
		{ "1 0 0:1 / /proc rw - proc proc rw\n2 1 0:1 /sys /proc/sys ro - proc proc rw\n",
		  { .known = true, .protected = 1 } },
		{ "1 0 0:1 / /proc rw - proc proc rw\n2 1 0:2 /null /proc/keys rw - tmpfs tmpfs "
		  "rw\n",
		  { .known = true, .masked = 1, .sys_writable = true } },
		{ "1 0 0:1 / /proc rw - proc proc rw,hidepid=1\n",
		  { .known = true, .sys_writable = true, .hidepid = 1 } },
		{ "1 0 0:1 / /proc rw - proc proc rw,hidepid=invisible,gid=3\n",
		  { .known = true, .sys_writable = true, .hidepid = 2 } },
		{ "1 0 0:1 / /proc rw - proc proc rw,hidepid=ptraceable\n",
		  { .known = true, .sys_writable = true, .hidepid = 4 } },
		/* Another one on top: what lay on the first is covered with it. */
		{ "1 0 0:1 / /proc rw - proc proc rw\n2 1 0:1 /sys /proc/sys ro - proc proc rw\n"
		  "3 1 0:3 / /proc rw - proc proc rw\n",
		  { .known = true, .sys_writable = true } },
		{ "1 0 0:1 / /processes ro - proc proc rw\n", {} },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_facts host = {};

		assert_int_equal(parse(rows[i].text, &host), 0);
		assert_memory_equal(&host.proc, &rows[i].want, sizeof(host.proc));
	}
}

static void the_agent_folder_lies_on_the_mount_that_covers_it_most(void **state)
{
	struct host_facts host = {};

	(void)state;
	assert_int_equal(parse("1 0 0:1 / / rw - overlay overlay ro\n"
			       "2 1 0:2 / /agent ro - ext4 /dev/a rw\n"
			       "3 1 0:3 / /agent2 rw - xfs /dev/b rw\n"
			       "4 1 0:3 / /agent/x rw - xfs /dev/b rw\n",
			       &host),
			 0);
	assert_true(host.agent.mount_point);
	assert_true(host.agent.read_only);
	assert_string_equal(host.agent.type, "ext4");
	assert_true(host.root_read_only);
	assert_string_equal(host.root_type, "overlay");
}

static void id_maps_are_read_strictly(void **state)
{
	struct host_id_map map = {};

	(void)state;
	assert_int_equal(host_parse_id_map("         0       1000          1\n"
					   "         1     100000      65536\n",
					   &map),
			 0);
	assert_int_equal(map.rows, 2);
	assert_int_equal(map.outside, 1000);
	assert_int_equal(map.count, 1);
	assert_int_equal(host_parse_id_map("0 0 4294967295", &map), 0);
	assert_int_equal(map.count, UINT32_MAX);
	assert_int_equal(host_parse_id_map("", &map), 0);
	assert_int_equal(map.rows, 0);
	assert_int_equal(host_parse_id_map("0 0\n", &map), -EINVAL);
	assert_int_equal(host_parse_id_map("0 0 x\n", &map), -EINVAL);
	assert_int_equal(host_parse_id_map("0 0 1 2\n", &map), -EINVAL);
	assert_int_equal(host_parse_id_map("0 0 99999999999999999999\n", &map), -EINVAL);
}

static void a_label_says_whose_it_is_and_cannot_paint_the_terminal(void **state)
{
	static const struct {
		const char *text;
		enum host_lsm lsm;
		bool apparmor, selinux;
		const char *label;
	} rows[] = {
		{ "", LSM_NONE, false, false, "" },
		{ "unconfined\n", LSM_APPARMOR, false, false, "unconfined" },
		{ "unconfined (complain)", LSM_APPARMOR, false, false, "unconfined (complain)" },
		{ "docker-default (enforce)\n", LSM_APPARMOR, true, false,
		  "docker-default (enforce)" },
		{ "a//&:ns:b (enforce)\n", LSM_APPARMOR, true, false, "a//&:ns:b (enforce)" },
		{ "system_u:system_r:container_t:s0:c1,c2", LSM_SELINUX, false, true,
		  "system_u:system_r:container_t:s0:c1,c2" },
		{ "system_u:system_r:spc_t:s0", LSM_SELINUX, false, false,
		  "system_u:system_r:spc_t:s0" },
		{ "\x1b[31mred\nmore", LSM_APPARMOR, true, false, "\\x1b[31mred" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_facts host = {};

		host_parse_label(rows[i].text, &host);
		assert_int_equal(host.lsm, rows[i].lsm);
		assert_string_equal(host.lsm_label, rows[i].label);
		assert_int_equal(host_apparmor_confined(&host), rows[i].apparmor);
		assert_int_equal(host_selinux_confined(&host), rows[i].selinux);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_taken_apart_whatever_tags_it_has),
		cmocka_unit_test(what_is_no_mountinfo_is_refused),
		cmocka_unit_test(options_are_whole_words),
		cmocka_unit_test(masks_protections_and_hidepid_are_counted),
		cmocka_unit_test(the_agent_folder_lies_on_the_mount_that_covers_it_most),
		cmocka_unit_test(id_maps_are_read_strictly),
		cmocka_unit_test(a_label_says_whose_it_is_and_cannot_paint_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
