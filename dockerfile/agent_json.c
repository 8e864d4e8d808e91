/* agent_json: see agent_json.h. */
#include "dockerfile/agent_json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "init/file.h"
#include "init/own.h"

void agent_json_clear(struct agent_json *agent)
{
	free(agent->writable_paths);
	free(agent->links);
	text_clear(&agent->remarks);
	json_decref(agent->document);
	*agent = (struct agent_json){};
}

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		return "null";
	}
	return "something else";
}

static int wrong_type(const char *key, const char *wanted, const json_t *found, struct fault *f)
{
	return fault_say(f, -EINVAL, AGENT_JSON_NAME ": %s must be %s, not %s", key, wanted,
			 type_name(found));
}

static void remark_unknown(struct agent_json *agent, const char *below, const char *key)
{
	text_add(&agent->remarks, AGENT_JSON_NAME ": unknown key %s.", below);
	text_escape(&agent->remarks, key, strnlen(key, 128));
	text_add(&agent->remarks, " is left out\n");
}

static int take_real_proc(struct agent_json *agent, const json_t *value, struct fault *f)
{
	if (!json_is_boolean(value))
		return wrong_type("sandbox.realProc", "true or false", value, f);
	agent->real_proc = json_is_true(value);
	return 0;
}

static int take_paths(struct agent_json *agent, const json_t *value, struct fault *f)
{
	size_t n = json_array_size(value);
	char key[48];

	if (!json_is_array(value))
		return wrong_type("sandbox.writablePaths", "an array of strings", value, f);
	if (n > PLAN_PATHS_MAX)
		return fault_say(f, -E2BIG, AGENT_JSON_NAME ": sandbox.writablePaths: more than %d",
				 PLAN_PATHS_MAX);
	agent->writable_paths = calloc(n + 1, sizeof(*agent->writable_paths));
	if (!agent->writable_paths)
		return fault_set(f, -ENOMEM, "read " AGENT_JSON_NAME);
	for (size_t i = 0; i < n; i++) {
		const json_t *path = json_array_get(value, i);

		(void)snprintf(key, sizeof(key), "sandbox.writablePaths[%zu]", i);
		if (!json_is_string(path))
			return wrong_type(key, "a string", path, f);
		agent->writable_paths[agent->n_writable_paths++] = json_string_value(path);
	}
	return 0;
}

/* One end of one link: `name` is "from" or "to". */
static int take_end(json_t *entry, const char *below, const char *name, const char **ret,
		    struct fault *f)
{
	const json_t *value = json_object_get(entry, name);
	char key[64];

	(void)snprintf(key, sizeof(key), "%s.%s", below, name);
	if (!value)
		return fault_say(f, -EINVAL, AGENT_JSON_NAME ": %s is missing", key);
	if (!json_is_string(value))
		return wrong_type(key, "a string", value, f);
	*ret = json_string_value(value);
	return 0;
}

static int take_link(struct agent_json *agent, json_t *entry, size_t index, struct fault *f)
{
	struct plan_link link = {};
	char below[48];
	const char *key;
	json_t *value;
	int r;

	(void)snprintf(below, sizeof(below), "sandbox.symlinks[%zu]", index);
	if (!json_is_object(entry))
		return wrong_type(below, "an object with from and to", entry, f);
	r = take_end(entry, below, "from", &link.from, f);
	if (r == 0)
		r = take_end(entry, below, "to", &link.to, f);
	if (r < 0)
		return r;
	json_object_foreach(entry, key, value)
	{
		if (strcmp(key, "from") != 0 && strcmp(key, "to") != 0)
			remark_unknown(agent, below, key);
	}
	agent->links[agent->n_links++] = link;
	return 0;
}

static int take_links(struct agent_json *agent, const json_t *value, struct fault *f)
{
	size_t n = json_array_size(value);

	if (!json_is_array(value))
		return wrong_type("sandbox.symlinks", "an array of objects", value, f);
	if (n > PLAN_LINKS_MAX)
		return fault_say(f, -E2BIG, AGENT_JSON_NAME ": sandbox.symlinks: more than %d",
				 PLAN_LINKS_MAX);
	agent->links = calloc(n + 1, sizeof(*agent->links));
	if (!agent->links)
		return fault_set(f, -ENOMEM, "read " AGENT_JSON_NAME);
	for (size_t i = 0; i < n; i++) {
		int r = take_link(agent, json_array_get(value, i), i, f);

		if (r < 0)
			return r;
	}
	return 0;
}

static int take_sandbox(struct agent_json *agent, json_t *sandbox, struct fault *f)
{
	static const struct {
		const char *key;
		int (*take)(struct agent_json *agent, const json_t *value, struct fault *f);
	} keys[] = {
		{ "realProc", take_real_proc },
		{ "writablePaths", take_paths },
		{ "symlinks", take_links },
	};
	const char *key;
	json_t *value;

	if (!json_is_object(sandbox))
		return wrong_type("sandbox", "an object", sandbox, f);
	json_object_foreach(sandbox, key, value)
	{
		size_t i = 0;
		int r;

		while (i < ARRAY_SIZE(keys) && strcmp(keys[i].key, key) != 0)
			i++;
		if (i == ARRAY_SIZE(keys)) {
			remark_unknown(agent, "sandbox", key);
			continue;
		}
		r = keys[i].take(agent, value, f);
		if (r < 0)
			return r;
	}
	return 0;
}

/* jansson quotes what it met, so its message holds foreign bytes. */
static int bad_json(const json_error_t *error, struct fault *f)
{
	AUTO_TEXT struct text shown = {};

	text_escape(&shown, error->text, strnlen(error->text, sizeof(error->text)));
	return fault_say(f, -EBADMSG, AGENT_JSON_NAME ":%d:%d: %s", error->line, error->column,
			 text_error(&shown) < 0 ? "bad JSON" : shown.data);
}

int agent_json_parse(const char *text, size_t length, struct agent_json *ret, struct fault *f)
{
	AUTO_AGENT_JSON struct agent_json agent = {};
	json_error_t error;
	json_t *sandbox;
	int r;

	agent.document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (!agent.document)
		return bad_json(&error, f);
	if (!json_is_object(agent.document))
		return wrong_type("the whole", "an object", agent.document, f);
	sandbox = json_object_get(agent.document, "sandbox");
	if (sandbox) {
		r = take_sandbox(&agent, sandbox, f);
		if (r < 0)
			return r;
	}
	if (text_error(&agent.remarks) < 0)
		return fault_set(f, text_error(&agent.remarks), "read " AGENT_JSON_NAME);
	*ret = agent;
	agent = (struct agent_json){};
	return 0;
}

int agent_json_read(int dir, struct agent_json *ret, struct fault *f)
{
	AUTO_FREE char *text = NULL;
	size_t length = 0;
	int r = file_slurp(dir, AGENT_JSON_NAME, AGENT_JSON_MAX, &text, &length);

	if (r == -EFBIG)
		return fault_say(f, r, AGENT_JSON_NAME ": larger than %zu bytes", AGENT_JSON_MAX);
	if (r == -ELOOP)
		return fault_say(f, r,
				 AGENT_JSON_NAME " is a symbolic link, which is not followed");
	if (r < 0)
		return fault_set(f, r, "read " AGENT_JSON_NAME);
	return agent_json_parse(text, length, ret, f);
}
