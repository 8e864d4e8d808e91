/* keys: see keys.h. */
#include "entrypoint/keys.h"

#include <errno.h>
#include <string.h>

#include "init/own.h"
#include "init/signals.h"

#define KEY_PATH_MAX 1023

const struct key key_table[KEY_COUNT] = {
	[KEY_AGENT_DIR] = { "agent", "dir", "/agent", KEY_IS_PATH, NULL, 0, 0 },
	[KEY_AGENT_HOME] = { "agent", "home", "", KEY_IS_PATH, NULL, 0, 0 },
	[KEY_SANDBOX_REAL_PROC] = { "sandbox", "real_proc", "false", KEY_IS_BOOLEAN, NULL, 0, 0 },
	[KEY_SANDBOX_BWRAP] = { "sandbox", "bwrap", "", KEY_IS_PATH, NULL, 0, 0 },
	[KEY_SANDBOX_NETWORK] = { "sandbox", "network", "none", KEY_IS_WORD, "none|inherit", 0, 0 },
	[KEY_SANDBOX_FAIL_IF_UNAVAILABLE] = { "sandbox", "fail_if_unavailable", "false",
					      KEY_IS_BOOLEAN, NULL, 0, 0 },
	[KEY_SANDBOX_WRITABLE_PATHS] = { "sandbox", "writable_paths", "", KEY_IS_PATHS, NULL, 0,
					 0 },
	[KEY_SYMLINKS_FAIL_IF_REFUSED] = { "symlinks", "fail_if_refused", "false", KEY_IS_BOOLEAN,
					   NULL, 0, 0 },
	[KEY_PROBES_RETRY_BACKOFF_MS] = { "probes", "retry_backoff_ms", "250, 1000, 2000, 4000",
					  KEY_IS_NUMBERS, NULL, 0, 60000 },
	[KEY_PROBES_ATTEMPT_TIMEOUT_MS] = { "probes", "attempt_timeout_ms", "2000", KEY_IS_NUMBER,
					    NULL, 1, 60000 },
	[KEY_PROBES_BUDGET_MS] = { "probes", "budget_ms", "10000", KEY_IS_NUMBER, NULL, 0,
				   600000 },
	[KEY_INIT_FORWARD] = { "init", "forward", "child", KEY_IS_WORD, "child|group|all", 0, 0 },
	[KEY_INIT_REWRITE] = { "init", "rewrite", "", KEY_IS_REWRITE, NULL, 0, 0 },
	[KEY_INIT_WAIT] = { "init", "wait", "main", KEY_IS_WORD, "main|all", 0, 0 },
	[KEY_INIT_KILL_GRACE_MS] = { "init", "kill_grace_ms", "500", KEY_IS_NUMBER, NULL, 0,
				     3600000 },
	[KEY_INIT_STOP_TIMEOUT_MS] = { "init", "stop_timeout_ms", "0", KEY_IS_NUMBER, NULL, 0,
				       3600000 },
	[KEY_INIT_EXIT_OK] = { "init", "exit_ok", "", KEY_IS_STATUSES, NULL, 0, 255 },
	[KEY_INIT_LOG] = { "init", "log", "info", KEY_IS_WORD, "info|quiet|debug", 0, 0 },
};

enum config_key key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (strcmp(key_table[i].section, section) == 0 &&
		    strcmp(key_table[i].name, name) == 0)
			return (enum config_key)i;
	return KEY_COUNT;
}

bool key_is_list(enum config_key key)
{
	enum key_kind kind = key_table[key].kind;

	return kind == KEY_IS_NUMBERS || kind == KEY_IS_PATHS || kind == KEY_IS_REWRITE ||
	       kind == KEY_IS_STATUSES;
}

/* "not X: MESSAGE" with what was given, escaped and short. */
static int key_refuse(const char *text, const char *allowed, struct fault *f)
{
	AUTO_TEXT struct text shown = {};
	size_t length = strlen(text);

	text_escape(&shown, text, length > 100 ? 100 : length);
	return fault_say(f, -EINVAL, "\"%s\"%s is not allowed; allowed: %s",
			 text_error(&shown) ? "" : shown.data, length > 100 ? "..." : "", allowed);
}

static int boolean_parse(const char *text, bool *ret, struct fault *f)
{
	if (strcmp(text, "1") == 0 || strcmp(text, "true") == 0)
		*ret = true;
	else if (strcmp(text, "0") == 0 || strcmp(text, "false") == 0)
		*ret = false;
	else
		return key_refuse(text, "1, 0, true, false", f);
	return 0;
}

/* The index of `text` among "a|b|c", which is the value of the enum. */
static int word_parse(const char *text, const char *words, int *ret, struct fault *f)
{
	size_t length = strlen(text);
	const char *word = words;

	for (int i = 0;; i++) {
		size_t n = strcspn(word, "|");

		if (n == length && memcmp(word, text, n) == 0) {
			*ret = i;
			return 0;
		}
		if (!word[n])
			return key_refuse(text, words, f);
		word += n + 1;
	}
}

static int numbers_refuse(const struct key *key, const char *text, struct fault *f)
{
	AUTO_TEXT struct text allowed = {};

	text_add(&allowed, "whole numbers from %llu to %llu", (unsigned long long)key->min,
		 (unsigned long long)key->max);
	return key_refuse(text, text_error(&allowed) ? "?" : allowed.data, f);
}

static int path_parse(const char *text, bool may_be_root, const char **ret, struct fault *f)
{
	size_t length = strlen(text);

	if (text[0] != '/' || length > KEY_PATH_MAX)
		return key_refuse(text, "an absolute path of at most 1023 bytes", f);
	for (const char *part = text; part; part = strchr(part, '/')) {
		part += strspn(part, "/");
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
			return key_refuse(text, "an absolute path without `..`", f);
	}
	if (!may_be_root && strspn(text, "/.") == length)
		return key_refuse(text, "a directory below /", f);
	*ret = text;
	return 0;
}

/* Steps through "a, b, c" in place: the next item, trimmed and terminated; NULL at the end. */
static char *list_next(char **rest)
{
	char *item = *rest;
	char *end;

	if (!item)
		return NULL;
	end = strchr(item, ',');
	*rest = end ? end + 1 : NULL;
	if (!end)
		end = item + strlen(item);
	while (end > item && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	return item + strspn(item, " \t");
}

static int rewrite_add(char *item, struct config *config, struct fault *f)
{
	AUTO_TEXT struct text whole = {};
	char *colon = strchr(item, ':');
	int from;
	int to;

	text_add(&whole, "%s", item);
	if (colon)
		*colon = '\0';
	from = colon ? signal_parse(item) : -EINVAL;
	to = colon && strcmp(colon + 1, "0") == 0 ? 0 : colon ? signal_parse(colon + 1) : -EINVAL;
	if (from <= 0 || to < 0)
		return key_refuse(text_error(&whole) ? "" : whole.data,
				  "FROM:TO, signals by name or number, TO may be 0", f);
	config->init.rewrite[from] = (int8_t)to;
	return 0;
}

static int list_add(const struct key *key, char *item, struct config *config, struct fault *f)
{
	uint64_t number = 0;

	if (key->kind == KEY_IS_REWRITE)
		return rewrite_add(item, config, f);
	if (key->kind == KEY_IS_PATHS) {
		if (!*item || config->n_writable_paths == CONFIG_PATHS_MAX)
			return key_refuse(item, "at most 64 relative paths, none empty", f);
		config->writable_paths[config->n_writable_paths++] = item;
		return 0;
	}
	if (number_parse(item, key->min, key->max, &number) < 0)
		return numbers_refuse(key, item, f);
	if (key->kind == KEY_IS_STATUSES) {
		config->init.exit_ok[number / 64] |= UINT64_C(1) << (number % 64);
		return 0;
	}
	if (config->n_retries == PROBES_RETRIES_MAX)
		return key_refuse(item, "at most 16 waits", f);
	config->retry_backoff_ms[config->n_retries++] = number;
	return 0;
}

/* A list replaces what was there; its items point into a copy that the config keeps. */
static int list_apply(enum config_key id, const char *text, struct config *config, struct fault *f)
{
	const struct key *key = &key_table[id];
	char *rest;

	free(config->lists[id]);
	rest = config->lists[id] = strdup(text);
	if (!rest)
		return fault_set(f, -ENOMEM, "keep a list");
	if (key->kind == KEY_IS_NUMBERS)
		config->n_retries = 0;
	if (key->kind == KEY_IS_PATHS)
		config->n_writable_paths = 0;
	if (key->kind == KEY_IS_STATUSES)
		memset(config->init.exit_ok, 0, sizeof(config->init.exit_ok));
	if (key->kind == KEY_IS_REWRITE)
		memset(config->init.rewrite, REWRITE_NONE, sizeof(config->init.rewrite));
	if (strspn(text, " \t") == strlen(text))
		return 0;
	for (char *item = list_next(&rest); item; item = list_next(&rest)) {
		int r = list_add(key, item, config, f);

		if (r < 0)
			return r;
	}
	return 0;
}

static int number_apply(enum config_key id, const char *text, struct config *config,
			struct fault *f)
{
	const struct key *key = &key_table[id];
	uint64_t value = 0;

	if (number_parse(text, key->min, key->max, &value) < 0)
		return numbers_refuse(key, text, f);
	if (id == KEY_PROBES_ATTEMPT_TIMEOUT_MS)
		config->attempt_timeout_ms = value;
	else if (id == KEY_PROBES_BUDGET_MS)
		config->budget_ms = value;
	else if (id == KEY_INIT_KILL_GRACE_MS)
		config->init.kill_grace_ms = value;
	else
		config->init.stop_timeout_ms = value;
	return 0;
}

static int word_apply(enum config_key id, const char *text, struct config *config, struct fault *f)
{
	int value = 0;
	int r = word_parse(text, key_table[id].words, &value, f);

	if (r < 0)
		return r;
	if (id == KEY_SANDBOX_NETWORK)
		config->network = (enum sandbox_network)value;
	else if (id == KEY_INIT_FORWARD)
		config->init.forward = (enum supervise_forward)value;
	else if (id == KEY_INIT_WAIT)
		config->init.wait = (enum supervise_wait)value;
	else
		config->log = (enum log_level)value;
	return 0;
}

static int path_apply(enum config_key id, const char *text, struct config *config, struct fault *f)
{
	const char **field = id == KEY_AGENT_DIR  ? &config->agent_dir :
			     id == KEY_AGENT_HOME ? &config->home :
						    &config->bwrap;

	if (!*text && id != KEY_AGENT_DIR) {
		*field = NULL;
		return 0;
	}
	return path_parse(text, id == KEY_AGENT_HOME, field, f);
}

/* What no value may hold: bytes that would forge a line of a log or break the document. */
static int value_check(const char *text, struct fault *f)
{
	for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
		if (*byte < 0x20 || *byte == 0x7f)
			return key_refuse(text, "text without control characters", f);
	if (!text_is_utf8(text, strlen(text)))
		return key_refuse(text, "UTF-8 text", f);
	return 0;
}

int key_apply(enum config_key id, const char *text, struct config *config, struct fault *f)
{
	int r = value_check(text, f);

	if (r < 0)
		return r;
	switch (key_table[id].kind) {
	case KEY_IS_BOOLEAN:
		return boolean_parse(text,
				     id == KEY_SANDBOX_REAL_PROC	   ? &config->real_proc :
				     id == KEY_SANDBOX_FAIL_IF_UNAVAILABLE ? &config->fail_if_unavailable :
									     &config->fail_if_refused,
				     f);
	case KEY_IS_WORD:
		return word_apply(id, text, config, f);
	case KEY_IS_NUMBER:
		return number_apply(id, text, config, f);
	case KEY_IS_PATH:
		return path_apply(id, text, config, f);
	default:
		return list_apply(id, text, config, f);
	}
}
