/* script: see script.h. */
#include "sandbox/script.h"

#include <string.h>

#include "init/own.h"
#include "init/text.h"

#define BLANKS " \t"
#define PLAIN                        \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789@/._:+=^,~-"
#define METACHARACTERS "\n\r;&|<>()$`\\\"'*?[]{}!#~"
/* Where one command of a script ends and another may begin. */
#define SEPARATORS "\n;&|()`{}"
#define QUOTES "\"'$"

static bool word_equals(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool word_among(const char *word, size_t length, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (word_equals(word, length, names[i]))
			return true;
	}
	return false;
}

/* -g, -dg, --global, --cwd: the install would go somewhere else. */
static bool option_leaves(const char *word, size_t length)
{
	static const char *const elsewhere[] = { "--global", "--global-dir", "--cwd", "--prefix",
						 "--dir" };
	size_t name = strcspn(word, "= \t");

	if (length < 2 || word[0] != '-')
		return false;
	if (word[1] != '-')
		return memchr(word, 'g', length) || memchr(word, 'C', length);
	return word_among(word, name < length ? name : length, elsewhere, ARRAY_SIZE(elsewhere));
}

bool script_is_install(const char *command)
{
	static const char *const verbs[] = { "add", "install", "i" };
	size_t n = 0;

	if (command[strspn(command, PLAIN BLANKS)])
		return false;
	for (const char *word = command + strspn(command, BLANKS); *word; n++) {
		size_t length = strcspn(word, BLANKS);

		if (n == 0 && !word_equals(word, length, "bun"))
			return false;
		if (n == 1 && !word_among(word, length, verbs, ARRAY_SIZE(verbs)))
			return false;
		if (word[0] == '~' || option_leaves(word, length))
			return false;
		word += length + strspn(word + length, BLANKS);
	}
	return n >= 2;
}

/* The words with a space between them; false when one of them holds a blank or nothing. */
static bool words_join(char *const *argv, struct text *t)
{
	for (size_t i = 0; argv[i]; i++) {
		if (!argv[i][0] || argv[i][strcspn(argv[i], BLANKS)])
			return false;
		text_add(t, "%s%s", i ? " " : "", argv[i]);
	}
	return text_error(t) == 0;
}

bool script_words_are_install(char *const *argv)
{
	AUTO_TEXT struct text t = {};

	return words_join(argv, &t) && script_is_install(t.data);
}

/* Words after which the next one is a command still: `then`, `env`, `sh -c`. */
static bool word_introduces(const char *word, size_t length)
{
	static const char *const introducing[] = {
		"if",   "then", "else", "elif", "while",  "until",   "do",
		"!",    "time", "exec", "env",  "nohup",  "command", "nice",
		"sudo", "sh",   "bash", "dash", "setsid", "xargs",
	};

	return word_among(word, length, introducing, ARRAY_SIZE(introducing));
}

static bool word_assigns(const char *word, size_t length)
{
	const char *equals = memchr(word, '=', length);

	return equals && equals != word;
}

/* The part after the last slash. */
static void word_base(const char **word, size_t *length)
{
	const char *slash = memrchr(*word, '/', *length);

	if (!slash)
		return;
	*length -= (size_t)(slash + 1 - *word);
	*word = slash + 1;
}

enum place { AT_COMMAND, AFTER_BUN, IN_ARGUMENTS };

/* Judges one word where it stands; true when it is the one that needs a real /proc. */
static bool word_needs_real_proc(const char *word, size_t length, enum place *place)
{
	static const char *const verbs[] = { "add", "a", "install", "i",  "ci",    "create",
					     "c",   "x", "update",  "rm", "remove" };
	bool option = word[0] == '-';

	if (*place == IN_ARGUMENTS || option)
		return false;
	if (*place == AFTER_BUN) {
		*place = IN_ARGUMENTS;
		return word_among(word, length, verbs, ARRAY_SIZE(verbs));
	}
	if (word_assigns(word, length))
		return false;
	word_base(&word, &length);
	if (word_introduces(word, length))
		return false;
	*place = word_equals(word, length, "bun") ? AFTER_BUN : IN_ARGUMENTS;
	return word_equals(word, length, "bunx");
}

bool script_needs_real_proc(const char *command)
{
	enum place place = AT_COMMAND;

	while (*command) {
		size_t length = strcspn(command, BLANKS SEPARATORS QUOTES);

		if (length > 0 && word_needs_real_proc(command, length, &place))
			return true;
		command += length;
		if (*command && strchr(SEPARATORS, *command))
			place = AT_COMMAND;
		if (*command)
			command++;
	}
	return false;
}

bool script_words_need_real_proc(char *const *argv)
{
	enum place place = AT_COMMAND;

	for (size_t i = 0; argv[i]; i++) {
		/* What follows `sh -c` is a script. */
		if (argv[i][0] && argv[i][strcspn(argv[i], BLANKS SEPARATORS QUOTES)]) {
			if (place == AT_COMMAND && script_needs_real_proc(argv[i]))
				return true;
		} else if (argv[i][0] && word_needs_real_proc(argv[i], strlen(argv[i]), &place)) {
			return true;
		}
	}
	return false;
}

const char *script_metacharacter(const char *command)
{
	const char *found = strpbrk(command, METACHARACTERS);

	return found;
}

bool script_allowed(const char *command, const char *const *prefixes, size_t n)
{
	command += strspn(command, BLANKS);
	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(prefixes[i]);

		if (length > 0 && strncmp(command, prefixes[i], length) == 0 &&
		    (!command[length] || strchr(BLANKS, command[length])))
			return true;
	}
	return false;
}
