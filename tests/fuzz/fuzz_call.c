/*
 * What a caller may write into the options of a tool call: commands, paths, sessions, limits.
 * Holds: an install is never anything with a metacharacter; a session's path never leaves its
 * folder; a zone that is taken lies below the agent folder and names no forbidden root.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "sandbox/homelinks.h"
#include "sandbox/profile.h"
#include "sandbox/script.h"
#include "sandbox/session.h"
#include "sandbox/tighten.h"

#define AGENT "/usr" /* a folder that is there and is not changed */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int held)
{
	if (!held)
		abort();
}

static void check_script(const char *input)
{
	static const char *const prefixes[] = { "git status", "ls" };

	if (script_is_install(input)) {
		require(script_metacharacter(input) == NULL || strchr(input, '~'));
		require(script_needs_real_proc(input));
	}
	if (script_allowed(input, prefixes, 2))
		require(strstr(input, "git status") || strstr(input, "ls"));
	(void)script_needs_real_proc(input);
}

static void check_session(const char *input)
{
	static const char folder[] = SESSION_ROOT "/id";
	AUTO_TEXT struct text path = {};

	if (session_path("/agent", "id", input, &path) == 0) {
		require(strncmp(path.data, folder, sizeof(folder) - 1) == 0);
		require(strstr(path.data, "/../") == NULL && strstr(path.data, "//") == NULL);
	}
	if (session_id_valid(input))
		require(strchr(input, '/') == NULL && input[0] && strcmp(input, "..") != 0);
}

static void check_zone(const char *input)
{
	AUTO_POLICY struct policy policy = POLICY_NONE;
	AUTO_HOMELINKS struct homelinks links = {};
	const char *const paths[] = { input };
	const struct policy_request request = { .agent_dir = AGENT,
						.see = SEE_PRIVATE,
						.writable_paths = paths,
						.n_writable_paths = 1 };

	require(policy_resolve(&request, &policy, NULL) == 0);
	for (size_t i = 0; i < policy.writable.n; i++) {
		const struct zone *zone = &policy.writable.list[i];

		if (zone->verdict == ZONE_TAKEN)
			require(strncmp(zone->path, AGENT "/", 5) == 0 &&
				!strstr(zone->path, "/../"));
	}
	require(homelinks_add(&links, &policy, input, input) == 0);
	if (links.list[0].verdict == HOMELINK_TAKEN)
		require(links.list[0].path[0] == '/' && !strstr(links.list[0].path, "/../"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *input = calloc(1, size + 1);
	struct sandbox_limit limit;
	unsigned int see;

	if (!input)
		return 0;
	memcpy(input, data, size);
	check_script(input);
	check_session(input);
	check_zone(input);
	(void)tighten_limit_parse(input, &limit, NULL);
	(void)policy_see_parse(input, &see);
	(void)tighten_pids_hidden(input);
	return 0;
}
