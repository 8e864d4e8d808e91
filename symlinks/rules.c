/* rules: see rules.h. */
#include "symlinks/rules.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "init/own.h"

/* What a tool must never be led into. */
const char *const rules_forbidden[] = { ".git",   ".env",      "secrets.json", "sessions",
					"memory", ".typeclaw", "node_modules", NULL };

/* Where a segment that begins at `at` ends: backslashes separate only for the `..` rule. */
static size_t rules_segment_end(const char *path, size_t length, size_t at, bool backslash)
{
	while (at < length && path[at] != '/' && !(backslash && path[at] == '\\'))
		at++;
	return at;
}

/* Backslashes count: the agent's folder may be shared with a host that splits on them. */
static bool rules_has_dotdot(const char *path, size_t length)
{
	for (size_t at = 0; at <= length;) {
		size_t end = rules_segment_end(path, length, at, true);

		if (end - at == 2 && path[at] == '.' && path[at + 1] == '.')
			return true;
		at = end + 1;
	}
	return false;
}

int rules_normalise(const char *path, size_t length, struct text *ret)
{
	if (rules_has_dotdot(path, length))
		return -EINVAL;
	for (size_t at = 0; at < length;) {
		size_t end = rules_segment_end(path, length, at, false);
		size_t size = end - at;

		if (size > RULES_COMPONENT_MAX)
			return -ENAMETOOLONG;
		if (size > 0 && !(size == 1 && path[at] == '.')) {
			text_add_bytes(ret, "/", 1);
			text_add_bytes(ret, path + at, size);
		}
		at = end + 1;
	}
	if (ret->length > RULES_PATH_MAX)
		return -ENAMETOOLONG;
	return text_error(ret);
}

bool rules_at_or_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* The kernel's and the engine's own ground, and whatever would hide this binary. */
static bool rules_is_system(const struct rules *rules, const char *path)
{
	static const char *const roots[] = { "/proc", "/sys", "/dev", "/run" };

	if (!path[0] || strcmp(path, "/tmp") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (rules_at_or_below(path, roots[i]))
			return true;
	if (rules->self && rules_at_or_below(rules->self, path))
		return true;
	return strncmp(strrchr(path, '/') + 1, RULES_SPARE_PREFIX, strlen(RULES_SPARE_PREFIX)) == 0;
}

static enum link_code rules_code(int error, enum link_code dotdot)
{
	if (error == -EINVAL)
		return dotdot;
	return error == -ENAMETOOLONG ? LINK_NAME_TOO_LONG : LINK_ERROR;
}

/* What can be said before the path is put together. */
static enum link_code rules_from_form(const char *from, size_t length)
{
	if (length == 0)
		return LINK_FROM_EMPTY;
	if (memchr(from, '\0', length))
		return LINK_NUL;
	if (from[0] == '~' && length == 1)
		return LINK_FROM_IS_HOME;
	if (from[0] != '/' && !(from[0] == '~' && from[1] == '/'))
		return LINK_FROM_NOT_ABSOLUTE;
	return LINK_NONE;
}

enum link_code rules_from(const struct rules *rules, const char *from, size_t length,
			  struct text *ret)
{
	enum link_code code = rules_from_form(from, length);
	AUTO_TEXT struct text path = {};
	bool in_home;
	int r;

	if (code != LINK_NONE)
		return code;
	in_home = from[0] == '~';
	r = rules_normalise(from + in_home, length - in_home, &path);
	if (r < 0)
		return rules_code(r, LINK_FROM_DOTDOT);
	if (in_home && path.length == 0)
		return LINK_FROM_IS_HOME;
	if (in_home && !rules->home)
		return LINK_HOME_UNUSABLE;
	text_add(ret, "%s%s", in_home ? rules->home : "", path.data);
	if (text_error(ret) < 0)
		return LINK_ERROR;
	if (ret->length > RULES_PATH_MAX)
		return LINK_NAME_TOO_LONG;
	if (rules_is_system(rules, ret->data))
		return LINK_FROM_SYSTEM_ROOT;
	return rules_at_or_below(ret->data, rules->agent_dir) ? LINK_FROM_IN_AGENT : LINK_NONE;
}

/*
 * Letter case is ignored, because the folder may lie on a host's file system that ignores it (as
 * with CVE-2014-9390).  What a host takes for the same name beyond that is for walk to notice.
 */
static bool rules_is_forbidden(const char *path)
{
	size_t size = rules_segment_end(path, strlen(path), 0, true);

	for (size_t i = 0; rules_forbidden[i]; i++)
		if (size == strlen(rules_forbidden[i]) &&
		    strncasecmp(path, rules_forbidden[i], size) == 0)
			return true;
	return false;
}

enum link_code rules_to(const struct rules *rules, const char *to, size_t length, struct text *ret)
{
	AUTO_TEXT struct text path = {};
	int r;

	if (length == 0)
		return LINK_TO_EMPTY;
	if (memchr(to, '\0', length))
		return LINK_NUL;
	if (to[0] == '/')
		return LINK_TO_ABSOLUTE;
	r = rules_normalise(to, length, &path);
	if (r < 0)
		return rules_code(r, LINK_TO_DOTDOT);
	if (path.length == 0)
		return LINK_TO_AGENT_ROOT;
	if (rules_is_forbidden(path.data + 1))
		return LINK_TO_FORBIDDEN;
	text_add(ret, "%s%s", rules->agent_dir, path.data);
	if (text_error(ret) < 0)
		return LINK_ERROR;
	return ret->length > RULES_PATH_MAX ? LINK_NAME_TOO_LONG : LINK_NONE;
}
