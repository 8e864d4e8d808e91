/*
 * fuzz rules: the first byte says whether the rest is a `from` or a `to`.  What is accepted is a
 * plain path on the right side of every border, and judging it again changes nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "init/text.h"
#include "symlinks/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

/* Told apart from rules_normalise(): said once more in other words. */
static void require_plain_path(const char *path, size_t length)
{
	size_t component = 0;

	require(path[0] == '/' && length == strlen(path) && length <= RULES_PATH_MAX);
	require(path[length - 1] != '/');
	for (size_t i = 1; i <= length; i++) {
		if (path[i] && path[i] != '/') {
			component++;
			continue;
		}
		require(component >= 1 && component <= RULES_COMPONENT_MAX);
		require(!(component == 1 && path[i - 1] == '.'));
		require(!(component == 2 && path[i - 1] == '.' && path[i - 2] == '.'));
		component = 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rules rules = { .agent_dir = "/agent",
				     .home = "/root",
				     .self = "/opt/x/init" };
	static const char *const closed[] = { "/proc", "/sys", "/dev", "/run", "/agent" };
	AUTO_TEXT struct text path = {};
	AUTO_TEXT struct text again = {};
	const char *given = (const char *)data + 1;
	bool is_to = size > 0 && data[0] & 1;
	enum link_code code;

	if (size == 0)
		return 0;
	code = is_to ? rules_to(&rules, given, size - 1, &path)
		     : rules_from(&rules, given, size - 1, &path);
	if (code != LINK_NONE)
		return 0;
	require_plain_path(path.data, path.length);
	if (is_to) {
		require(rules_at_or_below(path.data, "/agent") && strcmp(path.data, "/agent") != 0);
		require(!rules_at_or_below(path.data, "/agent/.git"));
		require(!rules_at_or_below(path.data, "/agent/.env"));
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(closed); i++)
		require(!rules_at_or_below(path.data, closed[i]));
	require(!rules_at_or_below("/opt/x/init", path.data) && strcmp(path.data, "/tmp") != 0);
	require(rules_from(&rules, path.data, path.length, &again) == LINK_NONE);
	require(strcmp(path.data, again.data) == 0);
	return 0;
}
