/* document: what is written is what the contract shows, and the reader believes nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "entrypoint/document.h"
#include "init/own.h"

static char from[] = "~/.foo";
static char to[] = "w\xc3\xa9";
static char path[] = "/root/\xff";

static const struct identity identity = { 1, 1234, 4026532301 };
static const struct link_result results[] = {
	{ LINK_CREATED, from, 6, to, 3, path, NULL, NULL },
	{ LINK_TO_DOTDOT, NULL, 0, NULL, 0, NULL, NULL, NULL },
};
static const struct links_report report = { .links = (struct link_result *)results,
					    .n_links = 2,
					    .created = 1,
					    .refused = 1 };

static char *written(enum probe_verdict verdict, struct config *config)
{
	const struct facts facts = { .seccomp_mode = SECCOMP_DISABLED };
	const struct findings findings = { .proc_bind = { .verdict = verdict, .attempts = 1 } };
	const struct strategy strategy = strategy_choose(config->real_proc, &findings);
	const struct document_source source = { &identity, config, "/usr/bin/bwrap", &report,
						&facts,	   &findings, &strategy };

	return document_write(&source);
}

static struct config config_sample(void)
{
	return (struct config){ .agent_dir = "/agent",
				.home = "/root",
				.writable_paths = { "workspace/cache" },
				.n_writable_paths = 1 };
}

static void the_document_has_the_keys_of_the_contract(void **state)
{
	static const char *const keys[] = {
		"schema", "init", "strategy", "reason", "because", "retry_helps", "requested",
		"probes", "sandbox", "seccomp", "sys_admin", "symlinks",
	};
	struct config config = config_sample();
	AUTO_FREE char *line = written(PROBE_SAFE, &config);
	json_t *root;
	json_t *sandbox;

	(void)state;
	assert_non_null(line);
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	root = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_object_size(root), ARRAY_SIZE(keys));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_non_null(json_object_get(root, keys[i]));
	sandbox = json_object_get(root, "sandbox");
	assert_int_equal(json_object_size(sandbox), 8);
	assert_int_equal(json_array_size(json_object_get(sandbox, "links")), 1);
	assert_string_equal(json_string_value(json_object_get(sandbox, "usable")), "yes");
	json_decref(root);
}

static void what_was_written_is_read_back(void **state)
{
	struct config config = config_sample();
	AUTO_FREE char *line = written(PROBE_UNSAFE, &config);
	AUTO_DOCUMENT struct document document = {};

	(void)state;
	assert_int_equal(document_read(line, strlen(line), &document), 0);
	assert_int_equal(document.proc, SANDBOX_PROC_TMPFS);
	assert_int_equal(document.reason, REASON_DEFINITIVE);
	assert_int_equal(document.usable, USABLE_UNKNOWN);
	assert_int_equal(document.identity.pid, 1);
	assert_int_equal(document.identity.start_ticks, 1234);
	assert_string_equal(document.agent_dir, "/agent");
	assert_string_equal(document.bwrap, "/usr/bin/bwrap");
}

/* The whole document with one text in it replaced. */
static char *replaced(const char *line, const char *old, const char *fresh)
{
	const char *at = strstr(line, old);
	AUTO_TEXT struct text t = {};

	if (!at)
		fail_msg("not in the document: %s", old);
	text_add_bytes(&t, line, (size_t)(at - line));
	text_add(&t, "%s%s", fresh, at + strlen(old));
	return text_take(&t);
}

static void a_document_that_claims_the_impossible_is_refused(void **state)
{
	static const struct {
		const char *old, *fresh;
	} rows[] = {
		{ "typeclaw.strategy/1", "typeclaw.strategy/2" },
		{ "\"strategy\":\"proc-bind\"", "\"strategy\":\"none\"" },
		{ "\"strategy\":\"proc-bind\"", "\"strategy\":\"tmpfs\"" },
		{ "\"strategy\":\"proc-bind\"", "\"strategy\":\"tmpfs\",\"strategy\":\"tmpfs\"" },
		{ "\"reason\":null", "\"reason\":\"definitive\"" },
		{ "\"reason\":null", "\"reason\":7" },
		{ "\"usable\":\"yes\"", "\"usable\":\"unknown\"" },
		{ "\"usable\":\"yes\"", "\"usable\":true" },
		{ "\"usable\":\"yes\",", "" },
		{ "\"agent_dir\":\"/agent\"", "\"agent_dir\":\"agent\"" },
		{ "\"pid\":1", "\"pid\":\"1\"" },
		{ "{", "[" },
		{ "}\n", "}\nx" },
	};
	struct config config = config_sample();
	AUTO_FREE char *line = written(PROBE_SAFE, &config);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *forged = replaced(line, rows[i].old, rows[i].fresh);
		AUTO_DOCUMENT struct document document = {};

		if (document_read(forged, strlen(forged), &document) != -EINVAL)
			fail_msg("row %zu was believed", i);
		assert_null(document.agent_dir);
	}
}

static void every_cut_of_the_document_is_refused(void **state)
{
	struct config config = config_sample();
	AUTO_FREE char *line = written(PROBE_SAFE, &config);

	(void)state;
	for (size_t length = 0; length + 1 < strlen(line); length++) {
		AUTO_DOCUMENT struct document document = {};

		assert_int_equal(document_read(line, length, &document), -EINVAL);
	}
}

static void bytes_that_are_no_utf8_are_shown_escaped(void **state)
{
	AUTO_FREE char *line = document_write_links(&report);

	(void)state;
	assert_non_null(line);
	assert_non_null(strstr(line, "\"path\":\"/root/\\\\xff\""));
	assert_non_null(strstr(line, "w\xc3\xa9"));
	assert_non_null(strstr(line, "\"from\":null"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_document_has_the_keys_of_the_contract),
		cmocka_unit_test(what_was_written_is_read_back),
		cmocka_unit_test(a_document_that_claims_the_impossible_is_refused),
		cmocka_unit_test(every_cut_of_the_document_is_refused),
		cmocka_unit_test(bytes_that_are_no_utf8_are_shown_escaped),
	};

	return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
