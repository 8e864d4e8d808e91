/* code: the words of the contract for the results of links.h. */
#include "init/own.h"
#include "symlinks/links.h"

static const char *const code_names[] = {
	[LINK_NONE] = "none",
	[LINK_CREATED] = "created",
	[LINK_UNCHANGED] = "unchanged",
	[LINK_REPLACED] = "replaced",
	[LINK_OCCUPIED] = "occupied",
	[LINK_FOREIGN_LINK] = "foreign-link",
	[LINK_RACED] = "raced",
	[LINK_TARGET_IS_LINK] = "target-is-link",
	[LINK_TARGET_NOT_DIRECTORY] = "target-not-directory",
	[LINK_PARENT_IS_LINK] = "parent-is-link",
	[LINK_PARENT_NOT_DIRECTORY] = "parent-not-directory",
	[LINK_PARENT_WRITABLE] = "parent-writable",
	[LINK_NAME_TOO_LONG] = "name-too-long",
	[LINK_TO_EMPTY] = "to-empty",
	[LINK_TO_ABSOLUTE] = "to-absolute",
	[LINK_TO_DOTDOT] = "to-dotdot",
	[LINK_TO_AGENT_ROOT] = "to-agent-root",
	[LINK_TO_FORBIDDEN] = "to-forbidden",
	[LINK_FROM_EMPTY] = "from-empty",
	[LINK_FROM_NOT_ABSOLUTE] = "from-not-absolute",
	[LINK_FROM_DOTDOT] = "from-dotdot",
	[LINK_FROM_IN_AGENT] = "from-in-agent",
	[LINK_FROM_IS_HOME] = "from-is-home",
	[LINK_FROM_SYSTEM_ROOT] = "from-system-root",
	[LINK_HOME_UNUSABLE] = "home-unusable",
	[LINK_NUL] = "nul",
	[LINK_DUPLICATE_FROM] = "duplicate-from",
	[LINK_ENTRY_NOT_OBJECT] = "entry-not-object",
	[LINK_ENTRY_MISSING_FROM] = "entry-missing-from",
	[LINK_ENTRY_MISSING_TO] = "entry-missing-to",
	[LINK_ENTRY_BAD_TYPE] = "entry-bad-type",
	[LINK_ERROR] = "error",
	[LINK_ENV_BAD_BASE64] = "env-bad-base64",
	[LINK_ENV_BAD_JSON] = "env-bad-json",
	[LINK_ENV_NOT_ARRAY] = "env-not-array",
	[LINK_ENV_TOO_DEEP] = "env-too-deep",
	[LINK_ENV_TOO_LONG] = "env-too-long",
};

const char *link_code_name(enum link_code code)
{
	return (size_t)code < ARRAY_SIZE(code_names) ? code_names[code] : "none";
}

bool link_code_done(enum link_code code)
{
	return code == LINK_CREATED || code == LINK_UNCHANGED || code == LINK_REPLACED;
}
