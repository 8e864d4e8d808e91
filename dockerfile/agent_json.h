/*
 * agent_json: the `sandbox` object of an agent folder's typeclaw.json.
 *
 * The folder is hostile ground: the file is read without following a link and up to a limit,
 * a wrong type is an error that names the key, and what is not known is a remark.  Which links
 * and paths are good ones is judged where they are used, in the container.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "dockerfile/plan.h"
#include "init/fault.h"
#include "init/text.h"

#define AGENT_JSON_NAME "typeclaw.json"
#define AGENT_JSON_MAX ((size_t)1 << 20)

struct json_t;

/* The strings live as long as `document`. */
struct agent_json {
	bool real_proc;
	const char **writable_paths;
	size_t n_writable_paths;
	struct plan_link *links;
	size_t n_links;
	struct text remarks; /* one line each, escaped; unknown keys */
	struct json_t *document;
};

#define AUTO_AGENT_JSON __attribute__((cleanup(agent_json_clear)))

/*
 * Reads DIR/typeclaw.json.  0 with `*ret`, the caller's to agent_json_clear(); a missing
 * `sandbox` is all defaults.  With `f`: -errno of open(2) or read(2), -EFBIG above
 * AGENT_JSON_MAX, -EBADMSG for bad JSON (RFC 8259; duplicate keys are refused too),
 * -EINVAL for a wrong type, -E2BIG for too many entries.
 */
int agent_json_read(int dir, struct agent_json *ret, struct fault *f);

/* The same of text in memory. */
int agent_json_parse(const char *text, size_t length, struct agent_json *ret, struct fault *f);
void agent_json_clear(struct agent_json *agent);
