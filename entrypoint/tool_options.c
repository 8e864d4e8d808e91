/* tool_options: the options of `sandbox`, judged one by one.  See tool.h. */
#include <errno.h>
#include <string.h>

#include "entrypoint/tool.h"
#include "init/own.h"
#include "sandbox/script.h"

#define TIMEOUT_MAX_MS (UINT64_C(7) * 24 * 3600 * 1000)
#define VALUE_MAX 131071 /* execve(2) takes no longer string */

static bool name_valid(const char *name, size_t length)
{
	if (length == 0 || (name[0] >= '0' && name[0] <= '9'))
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_'))
			return false;
	}
	return true;
}

/* Adds a variable; the last of a name wins. */
static int variable_add(struct tool_options *options, char *name, const char *value,
			struct fault *f)
{
	for (size_t i = 0; i < options->n_variables; i++) {
		if (strcmp(options->variables[i].name, name) == 0) {
			free(options->names[i]);
			options->names[i] = name;
			options->variables[i] = (struct sandbox_variable){ name, value };
			return 0;
		}
	}
	if (options->n_variables == TOOL_VARIABLES_MAX) {
		free(name);
		return fault_say(f, -EINVAL, "more than %d variables", TOOL_VARIABLES_MAX);
	}
	options->names[options->n_variables] = name;
	options->variables[options->n_variables++] = (struct sandbox_variable){ name, value };
	return 0;
}

/* NAME=VALUE: both in one copy, and the original overwritten. */
static int use_set_env(struct tool_options *options, const char *word, struct fault *f)
{
	size_t length = strcspn(word, "=");
	char *copy;

	if (!word[length] || !name_valid(word, length))
		return fault_say(f, -EINVAL, "option --set-env needs NAME=VALUE");
	if (strlen(word) > VALUE_MAX)
		return fault_say(f, -EINVAL, "a value of --set-env is longer than %d bytes",
				 VALUE_MAX);
	copy = strdup(word);
	if (!copy)
		return fault_set(f, -ENOMEM, "copy a variable");
	memset((char *)word + length + 1, '*', strlen(word + length + 1));
	copy[length] = '\0';
	return variable_add(options, copy, copy + length + 1, f);
}

/* A variable that we do not have is none of the command's either. */
static int use_inherit_env(struct tool_options *options, const char *name, char *const *environment,
			   struct fault *f)
{
	const char *value;
	char *copy;

	if (!name_valid(name, strlen(name)))
		return fault_say(f, -EINVAL, "option --inherit-env needs the name of a variable");
	value = environment_get(environment, name);
	if (!value)
		return 0;
	copy = strdup(name);
	return copy ? variable_add(options, copy, value, f)
		    : fault_set(f, -ENOMEM, "copy a variable");
}

static int use_network(struct tool_options *options, const char *word, struct fault *f)
{
	options->network_given = true;
	if (strcmp(word, "inherit") == 0)
		options->network = SANDBOX_NETWORK_INHERIT;
	else if (strcmp(word, "none") != 0)
		return fault_say(f, -EINVAL, "option --network needs none or inherit");
	return 0;
}

static int use_see(struct tool_options *options, const char *words, struct fault *f)
{
	if (policy_see_parse(words, &options->see) < 0)
		return fault_say(f, -EINVAL,
				 "option --see needs private, secrets, or both with a"
				 " comma");
	options->see_given = true;
	return 0;
}

static int use_profile(struct tool_options *options, const char *word, struct fault *f)
{
	options->profile = profile_parse(word);
	return options->profile == PROFILE_NONE
		       ? fault_say(f, -EINVAL,
				   "option --profile needs public-bot or trusted-maintenance")
		       : 0;
}

static int use_limit(struct tool_options *options, const char *word, struct fault *f)
{
	if (options->n_limits == TOOL_LIMITS_MAX)
		return fault_say(f, -EINVAL, "more than %d limits", TOOL_LIMITS_MAX);
	return tighten_limit_parse(word, &options->limits[options->n_limits++], f);
}

static int use_prefix(struct tool_options *options, const char *words, struct fault *f)
{
	if (options->n_prefixes == TOOL_PREFIXES_MAX || !words[0])
		return fault_say(f, -EINVAL, "option --allow-prefix needs words, at most %d times",
				 TOOL_PREFIXES_MAX);
	options->prefixes[options->n_prefixes++] = words;
	return 0;
}

static int use_timeout(struct tool_options *options, const char *word, struct fault *f)
{
	return number_parse(word, 1, TIMEOUT_MAX_MS, &options->timeout_ms) < 0
		       ? fault_say(f, -EINVAL, "option --timeout needs milliseconds, 1 to %llu",
				   (unsigned long long)TIMEOUT_MAX_MS)
		       : 0;
}

static int use_session(struct tool_options *options, const char *id, struct fault *f)
{
	options->session = id;
	return session_id_valid(id) ? 0
				    : fault_say(f, -EINVAL,
						"option --session needs 1 to %d of A-Z a-z 0-9 . _"
						" -, and not . or ..",
						SESSION_ID_MAX);
}

/* Options whose value is taken as it is, and those that have none. */
static void use_plain(struct tool_options *options, enum option_id id, const char *value)
{
	switch (id) {
	case OPTION_ROLE:
		options->role_word = value;
		options->role = policy_role_parse(value);
		break;
	case OPTION_CWD:
		options->cwd = value;
		break;
	case OPTION_SCRIPT:
		options->script = value;
		break;
	case OPTION_SELF_EXE:
		options->self_exe = value;
		break;
	case OPTION_WORKSPACE:
		options->workspace = value;
		break;
	case OPTION_HOME:
		options->home = value;
		break;
	case OPTION_TMP:
		options->tmp = value;
		break;
	case OPTION_CACHE:
		options->cache = value;
		break;
	default:
		break;
	}
}

static int use(struct tool_options *options, const struct option_use *use, char *const *environment,
	       struct fault *f)
{
	switch (use->option->id) {
	case OPTION_SET_ENV:
		return use_set_env(options, use->value, f);
	case OPTION_INHERIT_ENV:
		return use_inherit_env(options, use->value, environment, f);
	case OPTION_NETWORK:
		return use_network(options, use->value, f);
	case OPTION_SEE:
		return use_see(options, use->value, f);
	case OPTION_PROFILE:
		return use_profile(options, use->value, f);
	case OPTION_LIMIT:
		return use_limit(options, use->value, f);
	case OPTION_ALLOW_PREFIX:
		return use_prefix(options, use->value, f);
	case OPTION_TIMEOUT:
		return use_timeout(options, use->value, f);
	case OPTION_SESSION:
		return use_session(options, use->value, f);
	default:
		use_plain(options, use->option->id, use->value);
		return 0;
	}
}

/* -c COMMAND is `sh -c COMMAND`. */
static int take_command(struct tool_options *options, const struct arguments *arguments,
			struct fault *f)
{
	bool shown = options->print || options->json;

	options->argv = arguments->rest;
	if (options->script && arguments->n_rest > 0)
		return fault_say(f, -EINVAL, "sandbox takes -c COMMAND or words, not both");
	if (!options->script && arguments->n_rest == 0 && !shown)
		return fault_say(f, -EINVAL, "sandbox needs -c COMMAND, or the words of one");
	if (!options->script)
		return 0;
	options->shell[0] = (char *)"/bin/sh";
	options->shell[1] = (char *)"-c";
	options->shell[2] = (char *)options->script;
	options->argv = options->shell;
	return 0;
}

/* What does not go together, or would be quietly ignored. */
static int judge_together(const struct tool_options *options, struct fault *f)
{
	bool folders = options->workspace || options->home || options->tmp || options->cache;

	if (options->role_word && options->see_given)
		return fault_say(f, -EINVAL, "sandbox takes --role or --see, not both");
	if (folders && options->profile == PROFILE_NONE)
		return fault_say(f, -EINVAL,
				 "--workspace, --home, --tmp and --cache belong to a --profile");
	if (options->profile != PROFILE_NONE && options->tmp && options->session)
		return fault_say(f, -EINVAL, "--tmp and --session both say what /tmp is");
	if (options->profile == PROFILE_PUBLIC_BOT && options->network == SANDBOX_NETWORK_INHERIT)
		return fault_say(f, -EINVAL, "the profile public-bot has no network");
	return 0;
}

int tool_options_read(const struct invocation *invocation, struct tool_options *ret,
		      struct fault *f)
{
	const struct arguments *arguments = invocation->arguments;
	int r = 0;

	for (size_t i = 0; i < arguments->n_uses; i++) {
		r = use(ret, &arguments->uses[i], invocation->environment, f);
		if (r < 0)
			return r;
	}
	if (!ret->see_given)
		ret->see = policy_role_sees(ret->role);
	ret->reject_metacharacters = arguments_has(arguments, OPTION_REJECT_METACHARACTERS);
	ret->print = arguments_has(arguments, OPTION_PRINT);
	ret->json = arguments_has(arguments, OPTION_JSON);
	ret->allow_unsandboxed = arguments_has(arguments, OPTION_ALLOW_UNSANDBOXED);
	ret->deny_syscalls = arguments_has(arguments, OPTION_DENY_SYSCALLS);
	ret->hide_pids = arguments_has(arguments, OPTION_HIDE_PIDS);
	r = take_command(ret, arguments, f);
	return r < 0 ? r : judge_together(ret, f);
}

void tool_options_clear(struct tool_options *options)
{
	for (size_t i = 0; i < options->n_variables; i++)
		free(options->names[i]);
	options->n_variables = 0;
}
