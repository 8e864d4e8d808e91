/* entries: see entries.h. */
#include "symlinks/entries.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"
#include "symlinks/base64.h"

static void json_release(json_t **value)
{
	json_decref(*value);
}

#define AUTO_JSON __attribute__((cleanup(json_release)))

/* Every byte that came from outside is escaped before it is put here. */
static int entries_fail(struct links_report *report, enum link_code code, struct text *detail)
{
	report->detail = text_take(detail);
	if (!report->detail)
		return -ENOMEM;
	report->code = code;
	return 0;
}

/* Grows the array by one zeroed result; NULL without memory. */
static struct link_result *entries_grow(struct links_report *report)
{
	struct link_result *links =
		reallocarray(report->links, report->n_links + 1, sizeof(*links));

	if (!links)
		return NULL;
	report->links = links;
	links[report->n_links] = (struct link_result){};
	return &links[report->n_links++];
}

static int entries_copy(const char *bytes, size_t length, char **ret, size_t *ret_length)
{
	char *copy = malloc(length + 1);

	if (!copy)
		return -ENOMEM;
	if (length)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	*ret = copy;
	*ret_length = length;
	return 0;
}

int entries_add(struct links_report *report, const char *from, const char *to)
{
	struct link_result *link = entries_grow(report);

	if (!link || entries_copy(from, strlen(from), &link->from, &link->from_length) < 0 ||
	    entries_copy(to, strlen(to), &link->to, &link->to_length) < 0)
		return -ENOMEM;
	return 0;
}

static const char *json_kind(const json_t *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",      [JSON_NULL] = "null",
	};

	return kinds[json_typeof(value)];
}

/* One string of an entry: copied when it is one, judged when it is not. */
static int entries_read_string(const json_t *object, const char *key, enum link_code missing,
			       struct link_result *link, char **ret, size_t *ret_length)
{
	const json_t *value = json_object_get(object, key);
	AUTO_TEXT struct text detail = {};

	if (json_is_string(value))
		return entries_copy(json_string_value(value), json_string_length(value), ret,
				    ret_length);
	if (link->code != LINK_NONE)
		return 0;
	link->code = value ? LINK_ENTRY_BAD_TYPE : missing;
	if (!value)
		return 0;
	text_add(&detail, "\"%s\" is %s", key, json_kind(value));
	link->detail = text_take(&detail);
	return link->detail ? 0 : -ENOMEM;
}

static int entries_read_one(struct links_report *report, const json_t *value)
{
	struct link_result *link = entries_grow(report);
	AUTO_TEXT struct text detail = {};
	int r;

	if (!link)
		return -ENOMEM;
	if (!json_is_object(value)) {
		link->code = LINK_ENTRY_NOT_OBJECT;
		text_add(&detail, "the entry is %s", json_kind(value));
		link->detail = text_take(&detail);
		return link->detail ? 0 : -ENOMEM;
	}
	r = entries_read_string(value, "from", LINK_ENTRY_MISSING_FROM, link, &link->from,
				&link->from_length);
	if (r < 0)
		return r;
	return entries_read_string(value, "to", LINK_ENTRY_MISSING_TO, link, &link->to,
				   &link->to_length);
}

static int entries_read_array(struct links_report *report, const json_t *array)
{
	AUTO_TEXT struct text detail = {};
	const json_t *value;
	size_t i;

	if (!json_is_array(array)) {
		text_add(&detail, "the JSON is %s, not an array", json_kind(array));
		return entries_fail(report, LINK_ENV_NOT_ARRAY, &detail);
	}
	if (json_array_size(array) > ENTRIES_MAX) {
		text_add(&detail, "%zu entries; at most %d are read", json_array_size(array),
			 ENTRIES_MAX);
		return entries_fail(report, LINK_ENV_TOO_LONG, &detail);
	}
	json_array_foreach(array, i, value)
	{
		int r = entries_read_one(report, value);

		if (r < 0)
			return r;
	}
	return 0;
}

/* How deep brackets nest outside of strings: asked before a parser that recurses sees them. */
static unsigned int json_depth(const char *bytes, size_t length)
{
	unsigned int depth = 0, deepest = 0;
	bool in_string = false;

	for (size_t i = 0; i < length; i++) {
		if (in_string && bytes[i] == '\\')
			i++;
		else if (bytes[i] == '"')
			in_string = !in_string;
		else if (!in_string && (bytes[i] == '[' || bytes[i] == '{'))
			deepest = ++depth > deepest ? depth : deepest;
		else if (!in_string && (bytes[i] == ']' || bytes[i] == '}') && depth > 0)
			depth--;
	}
	return deepest;
}

/* jansson seeds its hash from /dev/urandom otherwise, without CLOEXEC; zero asks for that. */
static void json_seed(void)
{
	size_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (size_t)kernel_now_ms();
	json_object_seed(seed | 1);
}

static int entries_read_json(struct links_report *report, const char *bytes, size_t length)
{
	AUTO_TEXT struct text detail = {};
	AUTO_JSON json_t *root = NULL;
	json_error_t error = {};

	if (json_depth(bytes, length) > ENTRIES_DEPTH_MAX) {
		text_add(&detail, "the JSON nests deeper than %d", ENTRIES_DEPTH_MAX);
		return entries_fail(report, LINK_ENV_TOO_DEEP, &detail);
	}
	json_seed();
	/* A NUL is let in so that the one entry that holds it is refused, not all of them. */
	root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL,
			  &error);
	if (root)
		return entries_read_array(report, root);
	/* Whatever is wrong with the text has words; memory need not have any. */
	if (json_error_code(&error) == json_error_out_of_memory || !error.text[0])
		return -ENOMEM;
	text_add(&detail, "line %d, column %d of the JSON: ", error.line, error.column);
	text_escape(&detail, error.text, strlen(error.text));
	return entries_fail(report, LINK_ENV_BAD_JSON, &detail);
}

int entries_read(const char *value, struct links_report *report)
{
	size_t length = strnlen(value, ENTRIES_VALUE_MAX + 1);
	AUTO_TEXT struct text detail = {};
	AUTO_FREE char *bytes = NULL;
	size_t n_bytes = 0, at = 0;
	int r;

	if (length > ENTRIES_VALUE_MAX) {
		text_add(&detail, "more than %zu bytes", ENTRIES_VALUE_MAX);
		return entries_fail(report, LINK_ENV_TOO_LONG, &detail);
	}
	r = base64_decode(value, length, &bytes, &n_bytes, &at);
	if (r == -ENOMEM)
		return r;
	if (r == 0)
		return entries_read_json(report, bytes, n_bytes);
	if (at == length) {
		text_add(&detail, "the base64 ends in the middle of a byte");
	} else {
		text_add(&detail, "byte %zu of the base64 is \"", at);
		text_escape(&detail, value + at, 1);
		text_add(&detail, "\"");
	}
	return entries_fail(report, LINK_ENV_BAD_BASE64, &detail);
}
