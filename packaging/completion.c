/*
 * completion: writes the completions of one shell from the tables of commands, options and keys.
 * What a value is, its argument's name in --help says: FILE, DIR, `a|b|c`, SECTION.KEY=VALUE.
 *
 * Usage: completion bash|zsh|fish
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrypoint/command.h"
#include "entrypoint/keys.h"
#include "init/own.h"
#include "packaging/roff.h"

#define NOTE "# Written from the tables of the program; `make completions` writes it anew.\n"

enum value_kind {
	VALUE_NONE, /* takes no value */
	VALUE_FREE, /* nothing can be offered */
	VALUE_FILE,
	VALUE_DIR,
	VALUE_KEY,
	VALUE_WORDS,
};

static enum value_kind option_kind(const struct option *option)
{
	const char *argument = option->argument;

	if (!argument)
		return VALUE_NONE;
	if (strcmp(argument, "FILE") == 0)
		return VALUE_FILE;
	if (strcmp(argument, "DIR") == 0)
		return VALUE_DIR;
	if (strcmp(argument, "SECTION.KEY=VALUE") == 0)
		return VALUE_KEY;
	return strchr(argument, '|') ? VALUE_WORDS : VALUE_FREE;
}

/* "a|b|c" as "a b c". */
static void words_add(struct text *t, const char *words, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text_add(t, "%c", words[i] == '|' ? ' ' : words[i]);
}

/* The words among which a command's own operand is chosen: [a|b] of its usage, or commands. */
static void operands_add(struct text *t, const struct command *command)
{
	const char *bar = command->bit & COMMAND_CARRIERS ? NULL : strchr(command->usage, '|');
	const char *begin = bar;

	if (command->bit == COMMAND_HELP)
		for (size_t i = 0; i < command_count; i++)
			text_add(t, "%s%s", i ? " " : "", command_table[i].name);
	if (!bar)
		return;
	while (begin > command->usage && begin[-1] != '[')
		begin--;
	words_add(t, begin, strcspn(begin, "]"));
}

static void commands_add(struct text *t)
{
	for (size_t i = 0; i < command_count; i++)
		text_add(t, "%s ", command_table[i].name);
}

static void keys_add(struct text *t, const char *before, const char *after)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		const struct key *key = &key_table[i];

		text_add(t, "%s%s.%s=%s", before, key->section, key->name, after);
	}
}

static bool takes(const struct command *command, const struct option *option)
{
	return option->commands & command->bit;
}

/* Text inside single quotes of a shell. */
static void quoted_add(struct text *t, const char *string, const char *escaped)
{
	for (; *string; string++) {
		if (*string == '\'')
			text_add(t, "'\\''");
		else
			text_add(t, "%s%c", strchr(escaped, *string) ? "\\" : "", *string);
	}
}

/* -x and --long of the options that take a value; `all`: of every option. */
static void option_words_add(struct text *t, const struct command *command, bool all,
			     const char *between)
{
	const char *before = "";

	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &option_table[i];

		if (!takes(command, option) || (!all && !option->argument))
			continue;
		if (option->letter)
			text_add(t, "%s-%c", before, option->letter);
		if (option->letter)
			before = between;
		if (option->name)
			text_add(t, "%s--%s", before, option->name);
		before = between;
	}
}

/* A case of bash: PREV) offer its values ;; */
static void bash_add_value(struct text *t, const struct command *command,
			   const struct option *option)
{
	enum value_kind kind = option_kind(option);

	if (kind == VALUE_NONE)
		return;
	text_add(t, "\t");
	if (option->letter)
		text_add(t, "%s:-%c%s", command->name, option->letter, option->name ? " | " : "");
	if (option->name)
		text_add(t, "%s:--%s", command->name, option->name);
	text_add(t, ") ");
	if (kind == VALUE_FILE)
		text_add(t,
			 "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); compopt -o filenames");
	else if (kind == VALUE_DIR)
		text_add(t,
			 "mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); compopt -o filenames");
	else if (kind == VALUE_KEY)
		text_add(t, "_typeclaw_init_offer nospace \"$keys\"");
	else if (kind == VALUE_WORDS) {
		text_add(t, "_typeclaw_init_offer '' '");
		words_add(t, option->argument, strlen(option->argument));
		text_add(t, "'");
	} else
		text_add(t, "COMPREPLY=()");
	text_add(t, "; return ;;\n");
}

static void bash_add_command(struct text *t, const struct command *command)
{
	text_add(t, "\t%s)\n\t\toptions='", command->name);
	option_words_add(t, command, true, " ");
	text_add(t, "' operands='");
	operands_add(t, command);
	text_add(t, "'\n\t\tvalued='");
	option_words_add(t, command, false, " ");
	text_add(t, "' carries=%s ;;\n", command->bit & COMMAND_CARRIERS ? "1" : "");
}

static const char bash_begin[] =
	"# bash completion of typeclaw-init\n" NOTE "_typeclaw_init_offer() # COMPOPT WORDS\n{\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$cur\")\n"
	"\t[ -z \"$1\" ] || compopt -o \"$1\" 2>/dev/null\n}\n\n"
	"# Where the words of another program's command line begin, or nothing.\n"
	"_typeclaw_init_carried() # FIRST\n{\n"
	"\tlocal i\n\n"
	"\tfor ((i = $1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--) echo $((i + 1)); return ;;\n"
	"\t\t=) i=$((i + 1)) ;;\n"
	"\t\t-*) [[ \" $valued \" != *\" ${COMP_WORDS[i]} \"* || ${COMP_WORDS[i + 1]} = = ]] ||"
	" i=$((i + 1)) ;;\n"
	"\t\t*) echo \"$i\"; return ;;\n"
	"\t\tesac\n\tdone\n"
	"\t[ \"$i\" -gt \"$COMP_CWORD\" ] || [[ $cur = -* ]] || echo \"$i\"\n}\n\n"
	"_typeclaw_init()\n{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} first=2 at\n"
	"\tlocal command=${COMP_WORDS[1]} options operands valued carries keys\n\n"
	"\t# bash splits --name=value at the equals sign.\n"
	"\tif [[ $cur = = ]]; then\n\t\tcur=\n"
	"\telif [[ $prev = = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
	"\tif [[ ${COMP_WORDS[0]##*/} = typeclaw-entrypoint ]]; then\n"
	"\t\tcommand=run first=1\n"
	"\telif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	"\t\t_typeclaw_init_offer '' '";

static void bash_write(struct text *t)
{
	text_add(t, "%s", bash_begin);
	commands_add(t);
	text_add(t, "--help --version'\n\t\treturn\n\tfi\n\tkeys='");
	keys_add(t, "", " ");
	text_add(t, "'\n\tcase $command in\n");
	for (size_t i = 0; i < command_count; i++)
		bash_add_command(t, &command_table[i]);
	text_add(t, "\t*) return ;;\n\tesac\n"
		    "\tat=\n\t[ -z \"$carries\" ] || at=$(_typeclaw_init_carried \"$first\")\n"
		    "\tif [ -n \"$at\" ] && declare -F _command_offset >/dev/null; then\n"
		    "\t\t_command_offset \"$at\"\n\t\treturn\n"
		    "\telif [ -n \"$at\" ]; then\n"
		    "\t\tcompopt -o default\n"
		    "\t\t[ \"$at\" -ne \"$COMP_CWORD\" ] ||"
		    " mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n\t\treturn\n\tfi\n"
		    "\tcase $command:$prev in\n");
	for (size_t i = 0; i < command_count; i++)
		for (size_t j = 0; j < option_count; j++)
			if (takes(&command_table[i], &option_table[j]))
				bash_add_value(t, &command_table[i], &option_table[j]);
	text_add(t, "\tesac\n\tif [[ $cur = -* ]]; then\n"
		    "\t\t_typeclaw_init_offer '' \"$options\"\n\telse\n"
		    "\t\t_typeclaw_init_offer '' \"$operands\"\n\tfi\n}\n"
		    "complete -F _typeclaw_init typeclaw-init typeclaw-entrypoint\n");
}

static void zsh_add_value(struct text *t, const struct option *option)
{
	enum value_kind kind = option_kind(option);

	if (kind == VALUE_NONE)
		return;
	text_add(t, ":");
	quoted_add(t, option->argument, ":");
	text_add(t, ":");
	if (kind == VALUE_FILE)
		text_add(t, "_files");
	else if (kind == VALUE_DIR)
		text_add(t, "_files -/");
	else if (kind == VALUE_KEY)
		text_add(t, "_typeclaw_init_keys");
	else if (kind == VALUE_WORDS) {
		text_add(t, "(");
		words_add(t, option->argument, strlen(option->argument));
		text_add(t, ")");
	}
}

static void zsh_add_word(struct text *t, const struct option *option, bool of_letter)
{
	text_add(t, " \\\n\t\t'*");
	if (of_letter)
		text_add(t, "-%c%s", option->letter, option->argument ? "+" : "");
	else
		text_add(t, "--%s%s", option->name, option->argument ? "=" : "");
	text_add(t, "[");
	quoted_add(t, option->help, "[]:\\");
	text_add(t, "]");
	zsh_add_value(t, option);
	text_add(t, "'");
}

static void zsh_add_command(struct text *t, const struct command *command)
{
	AUTO_TEXT struct text operands = {};

	text_add(t, "_typeclaw_init_%s()\n{\n\t_arguments -s -S", command->name);
	if (command->bit & COMMAND_CARRIERS)
		text_add(t, " -A '-*'");
	for (size_t i = 0; i < option_count; i++) {
		if (!takes(command, &option_table[i]))
			continue;
		if (option_table[i].letter)
			zsh_add_word(t, &option_table[i], true);
		if (option_table[i].name)
			zsh_add_word(t, &option_table[i], false);
	}
	operands_add(&operands, command);
	if (command->bit & COMMAND_CARRIERS)
		text_add(t, " \\\n\t\t'(-)1:command: _command_names -e' '*::arguments: _normal'");
	else if (operands.length > 0)
		text_add(t, " \\\n\t\t'1:operand:(%s)'", operands.data);
	text_add(t, "\n}\n\n");
}

static void zsh_write(struct text *t)
{
	text_add(t, "#compdef typeclaw-init typeclaw-entrypoint\n" NOTE
		    "_typeclaw_init_keys()\n{\n\tlocal -a keys=(");
	keys_add(t, " '", "'");
	text_add(t, " )\n\n\tcompadd -S '' -a keys\n}\n\n");
	for (size_t i = 0; i < command_count; i++)
		zsh_add_command(t, &command_table[i]);
	text_add(t, "_typeclaw_init()\n{\n"
		    "\tlocal -a commands=(");
	for (size_t i = 0; i < command_count; i++) {
		text_add(t, "\n\t\t'%s:", command_table[i].name);
		quoted_add(t, command_table[i].summary, ":\\");
		text_add(t, "'");
	}
	text_add(t, "\n\t)\n\n"
		    "\tif [[ $service = typeclaw-entrypoint ]]; then\n"
		    "\t\t_typeclaw_init_run\n"
		    "\telif ((CURRENT == 2)); then\n"
		    "\t\t_describe command commands\n"
		    "\t\tcompadd -- --help --version\n"
		    "\telse\n"
		    "\t\tlocal command=$words[2]\n\n"
		    "\t\tshift words\n\t\t((CURRENT--))\n"
		    "\t\t(( $+functions[_typeclaw_init_$command] )) && _typeclaw_init_$command\n"
		    "\tfi\n}\n\n"
		    "_typeclaw_init \"$@\"\n");
}

static void fish_add_option(struct text *t, const char *program, const char *condition,
			    const struct option *option)
{
	enum value_kind kind = option_kind(option);

	text_add(t, "complete -c %s%s%s%s", program, condition ? " -n '__typeclaw_init_is " : "",
		 condition ? condition : "", condition ? "'" : "");
	if (option->letter)
		text_add(t, " -s %c", option->letter);
	if (option->name)
		text_add(t, " -l %s", option->name);
	if (kind == VALUE_FILE)
		text_add(t, " -r -F");
	else if (kind == VALUE_DIR)
		text_add(t, " -x -a '(__fish_complete_directories)'");
	else if (kind == VALUE_KEY)
		text_add(t, " -x -a '(__typeclaw_init_keys)'");
	else if (kind == VALUE_WORDS) {
		text_add(t, " -x -a '");
		words_add(t, option->argument, strlen(option->argument));
		text_add(t, "'");
	} else if (kind == VALUE_FREE)
		text_add(t, " -x");
	text_add(t, " -d '");
	quoted_add(t, option->help, "\\");
	text_add(t, "'\n");
}

static const char fish_begin[] =
	"# fish completion of typeclaw-init\n" NOTE
	"# The command that the words name, while they are still ours: not those of the command\n"
	"# line that run and sandbox carry.\n"
	"function __typeclaw_init_words\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l command run\n"
	"\tset -e words[1]\n"
	"\tif not string match -q '*typeclaw-entrypoint' -- (commandline -opc)[1]\n"
	"\t\tset -q words[1]; or return 1\n"
	"\t\tset command $words[1]\n"
	"\t\tset -e words[1]\n"
	"\tend\n"
	"\techo $command\n"
	"\tcontains -- $command run sandbox; or return 0\n"
	"\twhile set -q words[1]\n"
	"\t\tset -l word $words[1]\n"
	"\t\tset -e words[1]\n"
	"\t\tif test \"$word\" = --; or not string match -q -- '-*' $word\n"
	"\t\t\techo carried\n"
	"\t\t\treturn 0\n"
	"\t\tend\n"
	"\t\tcontains -- $word $__typeclaw_init_valued; and set -e words[1]\n"
	"\tend\n"
	"\treturn 0\nend\n"
	"function __typeclaw_init_is\n"
	"\tset -l found (__typeclaw_init_words); or return 1\n"
	"\ttest \"$found\" = \"$argv\"\nend\n"
	"function __typeclaw_init_carries\n"
	"\tset -l found (__typeclaw_init_words); or return 1\n"
	"\tcontains -- $found[1] run sandbox\nend\n"
	"function __typeclaw_init_keys\n\tprintf '%s\\n'";

static void fish_write(struct text *t)
{
	text_add(t, "%s", fish_begin);
	keys_add(t, " ", "");
	text_add(t, "\nend\nset -g __typeclaw_init_valued ");
	option_words_add(t, command_find("run"), false, " ");
	text_add(t, " ");
	option_words_add(t, command_find("sandbox"), false, " ");
	text_add(t, "\n"
		    "complete -c typeclaw-init -f\n"
		    "complete -c typeclaw-init -n 'not __typeclaw_init_words' -l help -s h"
		    " -d 'show help'\n"
		    "complete -c typeclaw-init -n 'not __typeclaw_init_words' -l version"
		    " -d 'show the version'\n"
		    "complete -c typeclaw-init -n __typeclaw_init_carries -x"
		    " -a '(__fish_complete_subcommand --fcs-skip=2)'\n"
		    "complete -c typeclaw-entrypoint -x -a '(__fish_complete_subcommand)'\n");
	for (size_t i = 0; i < command_count; i++) {
		const struct command *command = &command_table[i];
		AUTO_TEXT struct text operands = {};

		text_add(t, "complete -c typeclaw-init -n 'not __typeclaw_init_words' -a %s -d '",
			 command->name);
		quoted_add(t, command->summary, "\\");
		text_add(t, "'\n");
		for (size_t j = 0; j < option_count; j++)
			if (takes(command, &option_table[j]))
				fish_add_option(t, "typeclaw-init", command->name,
						&option_table[j]);
		operands_add(&operands, command);
		if (operands.length > 0)
			text_add(t,
				 "complete -c typeclaw-init -n '__typeclaw_init_is %s' -a '%s'\n",
				 command->name, operands.data);
	}
	for (size_t j = 0; j < option_count; j++)
		if (takes(command_find("run"), &option_table[j]))
			fish_add_option(t, "typeclaw-entrypoint", NULL, &option_table[j]);
}

int main(int argc, char *argv[])
{
	const char *shell = argc == 2 ? argv[1] : "";
	AUTO_TEXT struct text t = {};

	if (strcmp(shell, "bash") == 0)
		bash_write(&t);
	else if (strcmp(shell, "zsh") == 0)
		zsh_write(&t);
	else if (strcmp(shell, "fish") == 0)
		fish_write(&t);
	else
		dprintf(STDERR_FILENO, "usage: completion bash|zsh|fish\n");
	if (!t.data)
		return 2;
	roff_save(NULL, shell, &t);
	return 0;
}
