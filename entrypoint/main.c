/*
 * main: signals and descriptors first, then the command table.  The pass itself is boot.c.
 */
#include <errno.h>
#include <string.h>

#include "entrypoint/command.h"
#include "entrypoint/standin.h"
#include "probes/probes.h"

/* The command a name of ours stands for: the ENTRYPOINT name is `run` itself. */
static const struct command *main_command_by_name(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
	const char *name = slash ? slash + 1 : argv0;

	return name && strcmp(name, "typeclaw-entrypoint") == 0 ? command_find("run") : NULL;
}

/* Finds the command that the first word names and steps over it; NULL with `f` when none. */
static const struct command *main_command_by_word(char ***words, struct fault *f)
{
	const char *word = **words;
	const struct command *command;
	AUTO_TEXT struct text shown = {};

	if (!word) {
		fault_say(f, -EINVAL, "no command given; try `typeclaw-init --help`");
		return NULL;
	}
	(*words)++;
	command = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ? command_find("help")
									 : command_find(word);
	text_escape(&shown, word, strlen(word));
	if (!command)
		fault_say(f, -EINVAL, "unknown command \"%s\"; try `typeclaw-init --help`",
			  text_error(&shown) ? "?" : shown.data);
	return command;
}

static int main_print_version(void)
{
	AUTO_TEXT struct text t = {};

	text_add(&t, "typeclaw-init " VERSION "\n");
	return command_print(command_find("help"), &t);
}

int main(int argc, char *argv[], char *environment[])
{
	static char *no_words[] = { NULL };
	char **words = argc > 0 ? argv + 1 : no_words;
	const struct command *command = main_command_by_name(argc > 0 ? argv[0] : NULL);
	struct inherited inherited = {};
	struct fault f = {};
	const struct standin *standin = standin_find(argc > 0 ? argv[0] : NULL);
	int status = standin ? -1 : probes_main(argc, argv);

	if (status >= 0)
		return status;
	if (inherit_begin(&inherited, &f) < 0)
		return command_fail(command, &f, EXIT_OURS);
	if (standin)
		return standin_run(standin, words, &inherited, environment);
	if (*words && strcmp(*words, "--version") == 0)
		return main_print_version();
	if (!command)
		command = main_command_by_word(&words, &f);
	if (!command)
		return command_fail(NULL, &f, EXIT_USAGE);
	status = command_start(command, words, &inherited, environment);
	inherited_clear(&inherited);
	return status;
}
