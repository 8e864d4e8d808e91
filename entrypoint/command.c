/* command: see command.h. */
#include "entrypoint/command.h"

#include <unistd.h>
#include <string.h>

#include "entrypoint/config.h"
#include "init/file.h"
#include "init/own.h"
#include "init/termination.h"

const struct command command_table[] = {
	{ "run", COMMAND_RUN, "[OPTIONS] [--] COMMAND [ARG...]",
	  "prepare the container, start COMMAND, and be its init",
	  "Makes the configured links, probes how /proc can be shown to sandboxed tools,\n"
	  "hands the answer to COMMAND through the descriptor named by\n"
	  "TYPECLAW_STRATEGY_FD, then forwards signals and reaps until COMMAND ends.\n"
	  "The name typeclaw-entrypoint does the same without the word `run`.\n"
	  "\n"
	  "Exit status: COMMAND's; 128+N when signal N killed it; 127 not found; 126 not\n"
	  "executable; 125 our own failure; 143 or 130 when stopped during the boot.\n",
	  EXIT_OURS, EXIT_OURS, command_run },
	{ "link", COMMAND_LINK, "[OPTIONS]", "make the configured links, nothing else",
	  "Exit status: 0; 1 when an entry or the whole value was refused.\n", EXIT_USAGE,
	  EXIT_NOT_RUN, command_link },
	{ "probe", COMMAND_PROBE, "[OPTIONS] [real-proc|proc-bind]",
	  "find out which way of showing /proc is possible and safe here",
	  "Exit status: 0 safe or available; 10 unsafe; 11 unavailable; 20 inconclusive.\n"
	  "With no probe named: 0 real-proc or proc-bind, 10 tmpfs for good, 20 unverified.\n",
	  EXIT_USAGE, EXIT_NOT_RUN, command_probe },
	{ "strategy", COMMAND_STRATEGY, "[OPTIONS]", "print what the boot resolved",
	  "Exit status: 0 real-proc or proc-bind; 10 tmpfs for good; 20 tmpfs, unverified;\n"
	  "3 when there is no document.\n",
	  EXIT_USAGE, EXIT_NOT_RUN, command_strategy },
	{ "sandbox", COMMAND_SANDBOX, "[OPTIONS] (-c 'COMMAND' | -- COMMAND [ARG...])",
	  "run one command in bubblewrap under the resolved strategy",
	  "The agent folder is read-only in there; the caller's role says what of it is\n"
	  "hidden and what can be written.  --print and --json show that, and with what\n"
	  "reason a configured path was left out.\n"
	  "\n"
	  "Exit status: COMMAND's; 124 after --timeout; 125 when it could not be\n"
	  "sandboxed: it is NEVER run unsandboxed instead.\n",
	  EXIT_OURS, EXIT_OURS, command_sandbox },
	{ "plan", COMMAND_PLAN, "[OPTIONS]", "flags for whoever starts the container",
	  "Reads what the agent wants from typeclaw.json (--agent-dir), else from the\n"
	  "configuration, and prints what the engine must be told.  Runs on the host.\n",
	  EXIT_USAGE, EXIT_NOT_RUN, command_plan },
	{ "dockerfile", COMMAND_DOCKERFILE, "[OPTIONS] [-- CMD...]",
	  "print a Dockerfile for an agent",
	  "The configuration of --config goes into the image; links are made while it is\n"
	  "built, so that they are there when its root is read-only.\n",
	  EXIT_USAGE, EXIT_NOT_RUN, command_dockerfile },
	{ "config", COMMAND_CONFIG, "[OPTIONS]",
	  "print the effective configuration and where each value comes from", NULL, EXIT_USAGE,
	  EXIT_NOT_RUN, command_config },
	{ "doctor", COMMAND_DOCTOR, "[OPTIONS]",
	  "say what works here, what does not, why, and what mends it",
	  "Exit status: 0 no check failed (with --strict: and none warned); 1 otherwise.\n"
	  "With --quick it is only ever 0 or 1, as a HEALTHCHECK wants it.\n",
	  EXIT_USAGE, EXIT_NOT_RUN, command_doctor },
	{ "help", COMMAND_HELP, "[COMMAND]", "show help", NULL, EXIT_USAGE, EXIT_NOT_RUN,
	  command_help },
};
const size_t command_count = ARRAY_SIZE(command_table);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(command_table[i].name, name) == 0)
			return &command_table[i];
	return NULL;
}

/* Only a container that does not come up has an end to explain. */
static void command_tell_kubernetes(const struct command *command, const struct fault *f)
{
	if (command && command->bit == COMMAND_RUN)
		(void)termination_write(TERMINATION_LOG, f->message);
}

int command_fail(const struct command *command, const struct fault *f, enum exit_status status)
{
	struct log log = log_open(LOG_QUIET);

	command_tell_kubernetes(command, f);
	log_line(&log, LINE_ERROR, "%s", f->message);
	return (int)status;
}

int command_misused(const struct command *command, const struct fault *f)
{
	struct log log = log_open(LOG_QUIET);

	command_tell_kubernetes(command, f);
	log_line(&log, LINE_ERROR, "%s; try `typeclaw-init %s --help`", f->message, command->name);
	return (int)command->usage_status;
}

int command_print(const struct command *command, struct text *t)
{
	struct fault f = {};
	int r = text_error(t);

	if (r == 0)
		r = file_write_all(STDOUT_FILENO, t->data, t->length);
	if (r < 0) {
		fault_set(&f, r, "write to standard output");
		return command_fail(command, &f, command->not_run_status);
	}
	return EXIT_OK;
}

static int command_start_words(const struct command *command, char **words,
			       const struct inherited *inherited, char **environment)
{
	struct arguments arguments;
	struct fault f = {};
	struct invocation invocation = { command, &arguments, inherited, environment };

	if (options_parse(command->bit, words, &arguments, &f) < 0)
		return command_misused(command, &f);
	if (arguments_has(&arguments, OPTION_HELP)) {
		invocation.arguments = NULL; /* command_help: of this very command */
		return command_help(&invocation);
	}
	if (config_judge_options(&arguments, &f) < 0)
		return command_misused(command, &f);
	if (command->bit & COMMAND_WITHOUT_CHILDREN)
		inherited_unblock(inherited);
	return command->run(&invocation);
}

/* A health check knows 0 and 1; Docker reserves 2 for itself. */
static bool is_health_check(const struct command *command, char *const *words)
{
	for (; command->bit == COMMAND_DOCTOR && *words; words++)
		if (strcmp(*words, "--quick") == 0)
			return true;
	return false;
}

int command_start(const struct command *command, char **words, const struct inherited *inherited,
		  char **environment)
{
	int status = command_start_words(command, words, inherited, environment);

	return status > EXIT_REFUSED && is_health_check(command, words) ? EXIT_REFUSED : status;
}
