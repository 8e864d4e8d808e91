/* options: see options.h. */
#include "entrypoint/options.h"

#include <errno.h>
#include <string.h>

#include "init/own.h"
#include "sandbox/tighten.h"

const struct option option_table[] = {
	{ OPTION_HELP, 'h', "help", NULL, COMMAND_ANY, "show this help and exit", NULL, NULL },
	{ OPTION_CONFIG, 0, "config", "FILE", COMMAND_ANY & ~COMMAND_HELP,
	  "read this INI file instead of /etc/typeclaw/init.ini", NULL, NULL },
	{ OPTION_SET, 0, "set", "SECTION.KEY=VALUE", COMMAND_ANY & ~COMMAND_HELP,
	  "set one configuration value; may be given again", NULL, NULL },
	{ OPTION_JSON, 0, "json", NULL,
	  COMMAND_LINK | COMMAND_PROBE | COMMAND_STRATEGY | COMMAND_DOCTOR | COMMAND_SANDBOX,
	  "print JSON", NULL, NULL },
	{ OPTION_DRY_RUN, 0, "dry-run", NULL, COMMAND_LINK, "judge everything, write nothing", NULL,
	  NULL },
	{ OPTION_REFRESH, 0, "refresh", NULL, COMMAND_STRATEGY,
	  "when unverified: probe again, rewrite the boot record", NULL, NULL },
	{ OPTION_SET, 'g', NULL, NULL, COMMAND_RUN, "forward signals to the child's group",
	  "init.forward", "group" },
	{ OPTION_SET, 'c', "single-child", NULL, COMMAND_RUN,
	  "forward signals to the child only (default)", "init.forward", "child" },
	{ OPTION_SET, 'r', "rewrite", "FROM:TO", COMMAND_RUN,
	  "forward signal TO for FROM; TO 0 drops it", "init.rewrite", NULL },
	{ OPTION_SET, 'e', NULL, "STATUS", COMMAND_RUN, "exit 0 when the child exits with STATUS",
	  "init.exit_ok", NULL },
	{ OPTION_SET, 'v', NULL, NULL, COMMAND_RUN, "say more", "init.log", "debug" },
	{ OPTION_SUBREAPER, 's', NULL, NULL, COMMAND_RUN,
	  "adopt orphans when not PID 1 (done anyway)", NULL, NULL },
	{ OPTION_PARENT_DEATH, 'p', NULL, "SIGNAL", COMMAND_RUN,
	  "get this signal when our own parent dies", NULL, NULL },
	{ OPTION_WARN_ON_REAP, 'w', NULL, NULL, COMMAND_RUN, "say which orphans were reaped", NULL,
	  NULL },
	{ OPTION_AGENT_DIR, 0, "agent-dir", "DIR", COMMAND_PLAN | COMMAND_DOCKERFILE,
	  "read DIR/typeclaw.json", NULL, NULL },
	{ OPTION_FORMAT, 0, "format", "docker|podman|compose|kubernetes|json", COMMAND_PLAN,
	  "whose flags to print (docker)", NULL, NULL },
	{ OPTION_NULL, 0, "null", NULL, COMMAND_PLAN, "end each flag by a NUL, quote nothing", NULL,
	  NULL },
	{ OPTION_NAME, 0, "name", "NAME", COMMAND_PLAN,
	  "the compose service, the Kubernetes container (agent)", NULL, NULL },
	{ OPTION_EXPLAIN, 0, "explain", NULL, COMMAND_PLAN,
	  "say on stderr what each flag is for and what it costs", NULL, NULL },
	{ OPTION_SECCOMP, 0, "seccomp", "unconfined|scoped", COMMAND_PLAN,
	  "no filter, or the engine's with what bwrap needs", NULL, NULL },
	{ OPTION_SECCOMP_FILE, 0, "seccomp-file", "FILE", COMMAND_PLAN,
	  "where the scoped profile is written", NULL, NULL },
	{ OPTION_SECCOMP_BASE, 0, "seccomp-base", "FILE", COMMAND_PLAN,
	  "the engine's default profile, instead of the built-in one", NULL, NULL },
	{ OPTION_APPARMOR, 0, "apparmor", "default|unconfined", COMMAND_PLAN,
	  "for hosts where AppArmor denies mount", NULL, NULL },
	{ OPTION_SELINUX, 0, "selinux", "default|disable", COMMAND_PLAN,
	  "for hosts where SELinux denies mount", NULL, NULL },
	{ OPTION_BASE, 0, "base", "IMAGE", COMMAND_DOCKERFILE, "FROM (debian:bookworm-slim)", NULL,
	  NULL },
	{ OPTION_CMD, 0, "cmd", "WORD", COMMAND_DOCKERFILE,
	  "a word of CMD; may be given again, or as words after --", NULL, NULL },
	{ OPTION_PACKAGE, 0, "package", "NAME", COMMAND_DOCKERFILE,
	  "install this one too; may be given again", NULL, NULL },
	{ OPTION_NO_PACKAGES, 0, "no-packages", NULL, COMMAND_DOCKERFILE,
	  "the base has them all, bubblewrap among them", NULL, NULL },
	{ OPTION_BINARY_FROM, 0, "binary-from", "IMAGE", COMMAND_DOCKERFILE,
	  "take the binary from an image, not the build context", NULL, NULL },
	{ OPTION_STRICT, 0, "strict", NULL, COMMAND_DOCTOR, "exit 1 on warnings too", NULL, NULL },
	{ OPTION_QUICK, 0, "quick", NULL, COMMAND_DOCTOR,
	  "believe the boot, probe nothing: for health checks", NULL, NULL },
	{ OPTION_QUIET, 'q', "quiet", NULL, COMMAND_DOCTOR, "print nothing, only exit", NULL,
	  NULL },
	{ OPTION_COLOR, 0, "color", "auto|always|never", COMMAND_DOCTOR,
	  "colours; auto: on a terminal", NULL, NULL },
	{ OPTION_MESSAGE, 0, "message", "TEXT", COMMAND_DOCTOR,
	  "explain what bwrap or unshare printed", NULL, NULL },
	{ OPTION_SYSROOT, 0, "sysroot", "DIR", COMMAND_DOCTOR,
	  "judge a snapshot of another container", NULL, NULL },
	{ OPTION_ROLE, 0, "role", "ROLE", COMMAND_SANDBOX,
	  "guest (default), member, trusted or owner", NULL, NULL },
	{ OPTION_SEE, 0, "see", "private,secrets", COMMAND_SANDBOX,
	  "instead of a role: what the caller may see", NULL, NULL },
	{ OPTION_PROFILE, 0, "profile", "NAME", COMMAND_SANDBOX,
	  "public-bot or trusted-maintenance", NULL, NULL },
	{ OPTION_NETWORK, 0, "network", "none|inherit", COMMAND_SANDBOX,
	  "for this call (sandbox.network)", NULL, NULL },
	{ OPTION_SESSION, 0, "session", "ID", COMMAND_SANDBOX,
	  "share /tmp with the other calls of this session", NULL, NULL },
	{ OPTION_SET_ENV, 0, "set-env", "NAME=VALUE", COMMAND_SANDBOX,
	  "set a variable of the command; may be given again", NULL, NULL },
	{ OPTION_INHERIT_ENV, 0, "inherit-env", "NAME", COMMAND_SANDBOX,
	  "pass our own variable on; may be given again", NULL, NULL },
	{ OPTION_CWD, 0, "cwd", "DIR", COMMAND_SANDBOX, "where it starts (the agent folder)", NULL,
	  NULL },
	{ OPTION_TIMEOUT, 0, "timeout", "MS", COMMAND_SANDBOX, "then kill all of it and exit 124",
	  NULL, NULL },
	{ OPTION_SCRIPT, 'c', NULL, "COMMAND", COMMAND_SANDBOX, "run COMMAND by /bin/sh", NULL,
	  NULL },
	{ OPTION_ALLOW_PREFIX, 0, "allow-prefix", "WORDS", COMMAND_SANDBOX,
	  "refuse what begins otherwise; a convenience, no boundary", NULL, NULL },
	{ OPTION_REJECT_METACHARACTERS, 0, "reject-metacharacters", NULL, COMMAND_SANDBOX,
	  "refuse what a shell might read more into; no boundary", NULL, NULL },
	{ OPTION_PRINT, 0, "print", NULL, COMMAND_SANDBOX,
	  "print what would be hidden and writable, run nothing", NULL, NULL },
	{ OPTION_SELF_EXE, 0, "self-exe", "PATH", COMMAND_SANDBOX,
	  "what /proc/self/exe is when /proc is empty", NULL, NULL },
	{ OPTION_WORKSPACE, 0, "workspace", "DIR", COMMAND_SANDBOX, "a profile's work folder", NULL,
	  NULL },
	{ OPTION_HOME, 0, "home", "DIR", COMMAND_SANDBOX, "a profile's home folder", NULL, NULL },
	{ OPTION_TMP, 0, "tmp", "DIR", COMMAND_SANDBOX, "a profile's /tmp", NULL, NULL },
	{ OPTION_CACHE, 0, "cache", "DIR", COMMAND_SANDBOX,
	  "trusted-maintenance: a cache at this very path", NULL, NULL },
	{ OPTION_ALLOW_UNSANDBOXED, 0, "allow-unsandboxed", NULL, COMMAND_SANDBOX,
	  "run a trusted or owner's command without a sandbox", NULL, NULL },
	{ OPTION_DENY_SYSCALLS, 0, "deny-syscalls", NULL, COMMAND_SANDBOX,
	  "costs: " TIGHTEN_SYSCALLS_COST, NULL, NULL },
	{ OPTION_HIDE_PIDS, 0, "hide-pids", NULL, COMMAND_SANDBOX, "costs: " TIGHTEN_PIDS_COST,
	  NULL, NULL },
	{ OPTION_LIMIT, 0, "limit", "NAME=N", COMMAND_SANDBOX,
	  "nproc nofile as fsize cpu stack; costs: " TIGHTEN_LIMIT_COST, NULL, NULL },
};
const size_t option_count = ARRAY_SIZE(option_table);

static const struct option *option_by_name(enum command_bit command, const char *name,
					   size_t length)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &option_table[i];

		if ((option->commands & command) && option->name &&
		    strlen(option->name) == length && memcmp(option->name, name, length) == 0)
			return option;
	}
	return NULL;
}

static const struct option *option_by_letter(enum command_bit command, char letter)
{
	for (size_t i = 0; i < option_count; i++)
		if ((option_table[i].commands & command) && option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

static int options_use(struct arguments *arguments, const struct option *option, const char *value,
		       struct fault *f)
{
	if (arguments->n_uses == OPTION_USES_MAX)
		return fault_say(f, -EINVAL, "more than %d options", OPTION_USES_MAX);
	arguments->uses[arguments->n_uses++] = (struct option_use){ option, value };
	return 0;
}

static int options_unknown(const char *word, struct fault *f)
{
	AUTO_TEXT struct text t = {};

	text_escape(&t, word, strlen(word));
	return fault_say(f, -EINVAL, "unknown option \"%s\"", text_error(&t) ? "?" : t.data);
}

/* --name, --name=value, --name value; moves *words past what it used. */
static int options_parse_long(enum command_bit command, char ***words, struct arguments *arguments,
			      struct fault *f)
{
	const char *name = (*words)[0] + 2;
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : NULL;
	const struct option *option = option_by_name(command, name, length);

	if (!option)
		return options_unknown((*words)[0], f);
	if (!option->argument && value)
		return fault_say(f, -EINVAL, "option --%s takes no value", option->name);
	(*words)++;
	if (option->argument && !value) {
		value = **words;
		if (!value)
			return fault_say(f, -EINVAL, "option --%s needs %s", option->name,
					 option->argument);
		(*words)++;
	}
	return options_use(arguments, option, value, f);
}

/* -a, -abc, -e143, -e 143. */
static int options_parse_letters(enum command_bit command, char ***words,
				 struct arguments *arguments, struct fault *f)
{
	const char *word = *(*words)++;

	for (const char *letter = word + 1; *letter; letter++) {
		const struct option *option = option_by_letter(command, *letter);
		const char *value = NULL;
		int r;

		if (!option)
			return options_unknown(word, f);
		if (option->argument) {
			value = letter[1] ? letter + 1 : **words;
			if (!value)
				return fault_say(f, -EINVAL, "option -%c needs %s", *letter,
						 option->argument);
			if (!letter[1])
				(*words)++;
		}
		r = options_use(arguments, option, value, f);
		if (r < 0 || option->argument)
			return r;
	}
	return 0;
}

static int options_keep_word(struct arguments *arguments, char *word, struct fault *f)
{
	if (arguments->n_rest == OPTION_WORDS_MAX)
		return fault_say(f, -EINVAL, "more than %d words", OPTION_WORDS_MAX);
	arguments->words[arguments->n_rest++] = word;
	return 0;
}

/* Everything from here on is no option. */
static int options_keep_rest(enum command_bit command, char **words, struct arguments *arguments,
			     struct fault *f)
{
	int r = 0;

	if (!(command & COMMAND_CARRIERS)) {
		while (*words && r == 0)
			r = options_keep_word(arguments, *words++, f);
		return r;
	}
	arguments->rest = words;
	while (words[arguments->n_rest])
		arguments->n_rest++;
	return 0;
}

int options_parse(enum command_bit command, char **words, struct arguments *ret, struct fault *f)
{
	struct arguments arguments = {};
	int r = 0;

	while (*words && r == 0) {
		bool is_option = (*words)[0] == '-' && (*words)[1];

		if (is_option && strcmp(*words, "--") == 0) {
			words++;
			break;
		}
		if (!is_option && (command & COMMAND_CARRIERS))
			break;
		if (!is_option)
			r = options_keep_word(&arguments, *words++, f);
		else if ((*words)[1] == '-')
			r = options_parse_long(command, &words, &arguments, f);
		else
			r = options_parse_letters(command, &words, &arguments, f);
	}
	if (r == 0)
		r = options_keep_rest(command, words, &arguments, f);
	if (r < 0)
		return r;
	*ret = arguments;
	if (!ret->rest)
		ret->rest = ret->words;
	return 0;
}

bool arguments_has(const struct arguments *arguments, enum option_id id)
{
	for (size_t i = 0; i < arguments->n_uses; i++)
		if (arguments->uses[i].option->id == id)
			return true;
	return false;
}

const char *arguments_value(const struct arguments *arguments, enum option_id id)
{
	for (size_t i = arguments->n_uses; i > 0; i--)
		if (arguments->uses[i - 1].option->id == id)
			return arguments->uses[i - 1].value;
	return NULL;
}

#define HELP_COLUMN 27
#define HELP_WIDTH 80

/* The words of `help`, wrapped, from HELP_COLUMN to HELP_WIDTH; the first line is at `column`. */
static void help_write_wrapped(const char *help, size_t column, struct text *t)
{
	const char *cursor = help;
	struct word word;

	text_add(t, "%*s", (int)(HELP_COLUMN - column), "");
	column = HELP_COLUMN;
	while (word_next(&cursor, &word)) {
		bool first = column == HELP_COLUMN;

		if (!first && column + 1 + word.length > HELP_WIDTH) {
			text_add(t, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
			first = true;
		}
		text_add(t, "%s", first ? "" : " ");
		text_add_bytes(t, word.start, word.length);
		column += word.length + !first;
	}
	text_add(t, "\n");
}

void options_write_help(enum command_bit command, struct text *t)
{
	text_add(t, "\nOptions:\n");
	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &option_table[i];
		size_t begin = t->length;

		if (!(option->commands & command))
			continue;
		if (option->letter)
			text_add(t, "  -%c%s", option->letter, option->name ? ", " : "");
		else
			text_add(t, "      ");
		if (option->name)
			text_add(t, "--%s", option->name);
		if (option->argument)
			text_add(t, "%s%s", option->name ? "=" : " ", option->argument);
		if (t->length - begin >= HELP_COLUMN) {
			text_add(t, "\n");
			begin = t->length;
		}
		help_write_wrapped(option->help, t->length - begin, t);
	}
}
