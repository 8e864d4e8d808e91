/* command_help: `help [COMMAND]`, and --help of every command, all from the tables. */
#include <errno.h>

#include "entrypoint/command.h"
#include "init/own.h"

#define HELP_NAME_COLUMN 12

static void help_write_command(const struct command *command, struct text *t)
{
	text_add(t, "Usage: typeclaw-init %s %s\n\n%s\n", command->name, command->usage,
		 command->summary);
	if (command->details)
		text_add(t, "\n%s", command->details);
	options_write_help(command->bit, t);
}

static void help_write_all(struct text *t)
{
	text_add(t, "Usage: typeclaw-init COMMAND [OPTIONS] ...\n\n"
		    "Container init for AI agents: links, a proven way to show /proc to sandboxed\n"
		    "tools, and a PID 1 that forwards and reaps.\n\nCommands:\n");
	for (size_t i = 0; i < command_count; i++)
		text_add(t, "  %-*s%s\n", HELP_NAME_COLUMN, command_table[i].name,
			 command_table[i].summary);
	text_add(t, "\nOptions:\n  -h, --help    show this help and exit\n"
		    "  --version     show the version and exit\n\n"
		    "`typeclaw-init help COMMAND` tells more.\n");
}

int command_help(const struct invocation *invocation)
{
	const struct arguments *arguments = invocation->arguments;
	const struct command *command = invocation->command;
	AUTO_TEXT struct text t = {};
	struct fault f = {};

	if (arguments && arguments->n_rest > 0) {
		command = command_find(arguments->rest[0]);
		if (!command || arguments->n_rest > 1) {
			fault_say(&f, -EINVAL, "help takes the name of one command");
			return command_misused(invocation->command, &f);
		}
	}
	if (arguments && arguments->n_rest == 0)
		help_write_all(&t);
	else
		help_write_command(command, &t);
	return command_print(invocation->command, &t);
}
