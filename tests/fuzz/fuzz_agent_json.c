/*
 * fuzz agent_json: a typeclaw.json, through the plan into every format.  What is written for a
 * shell, as JSON and with NULs are the same words, and the links' value is what was asked for.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dockerfile/agent_json.h"
#include "dockerfile/plan_write.h"
#include "init/own.h"
#include "symlinks/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

/* What sh makes of a word that stands bare or in '...' with '\'' for a quote: nothing else. */
static const char *shell_word(const char *line, struct text *word)
{
	static const char special[] = " \t\n\"\\$`&|;<>()*?[]{}~#!^";

	while (*line && *line != ' ' && *line != '\n') {
		if (*line == '\\') {
			require(line[1] == '\'');
			text_add_bytes(word, line + 1, 1);
			line += 2;
		} else if (*line == '\'') {
			size_t length = strcspn(line + 1, "'");

			text_add_bytes(word, line + 1, length);
			require(line[length + 1] == '\'');
			line += length + 2;
		} else {
			require(!strchr(special, *line));
			text_add_bytes(word, line++, 1);
		}
	}
	require(text_error(word) == 0);
	return line + 1;
}

static void check_words(const struct text *nulls, const char *line, const char *json)
{
	json_t *array = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
	size_t n = 0;

	require(json_is_array(array));
	for (const char *word = nulls->data; word < nulls->data + nulls->length; n++) {
		AUTO_TEXT struct text read = {};

		line = shell_word(line, &read);
		require(strcmp(read.data, word) == 0);
		require(strcmp(json_string_value(json_array_get(array, n)), word) == 0);
		word += strlen(word) + 1;
	}
	require(*line == '\0' && json_array_size(array) == n);
	json_decref(array);
}

static void check_links(const struct agent_json *agent, const char *value)
{
	AUTO_FREE char *json = NULL;
	size_t length = 0;
	size_t at = 0;
	json_t *array;

	require(base64_decode(value, strlen(value), &json, &length, &at) == 0);
	array = json_loadb(json, length, JSON_REJECT_DUPLICATES, NULL);
	require(json_array_size(array) == agent->n_links);
	for (size_t i = 0; i < agent->n_links; i++) {
		json_t *link = json_array_get(array, i);

		require(strcmp(json_string_value(json_object_get(link, "from")),
			       agent->links[i].from) == 0);
		require(strcmp(json_string_value(json_object_get(link, "to")),
			       agent->links[i].to) == 0);
	}
	json_decref(array);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_AGENT_JSON struct agent_json agent = {};
	AUTO_PLAN struct plan plan = {};
	struct text texts[PLAN_JSON + 1] = {};
	AUTO_TEXT struct text nulls = {};
	struct plan_layout layout = { .name = "agent", .binary = "/b" };
	struct plan_request request = {};

	if (agent_json_parse((const char *)data, size, &agent, NULL) < 0)
		return 0;
	request.real_proc = agent.real_proc;
	request.writable_paths = agent.writable_paths;
	request.n_writable_paths = agent.n_writable_paths;
	request.links = agent.links;
	request.n_links = agent.n_links;
	if (plan_choose(&request, &plan, NULL) < 0)
		return 0;
	for (layout.format = PLAN_DOCKER; layout.format <= PLAN_JSON; layout.format++)
		require(plan_write(&plan, &layout, &texts[layout.format], NULL) == 0);
	layout = (struct plan_layout){ .format = PLAN_DOCKER, .null_separated = true };
	require(plan_write(&plan, &layout, &nulls, NULL) == 0);
	check_words(&nulls, texts[PLAN_DOCKER].data, texts[PLAN_JSON].data);
	for (size_t i = 0; i < plan.n_steps; i++)
		if (plan.steps[i].name && strstr(plan.steps[i].name, "SYMLINKS"))
			check_links(&agent, plan.steps[i].value);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		text_clear(&texts[i]);
	return 0;
}
