/*
 * manual: writes the man pages from the tables that the parser, --help and the INI reader use,
 * so that they cannot disagree.  What no table knows (examples, files, the format of a file) is
 * taken from the fragments of packaging/man, as roff.
 *
 * Usage: manual OUT-DIRECTORY FRAGMENT-DIRECTORY DATE
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrypoint/command.h"
#include "entrypoint/doctor.h"
#include "init/own.h"
#include "packaging/key_help.h"
#include "packaging/roff.h"

struct manual {
	const char *out;
	const char *fragments;
	const char *date;
};

static void page_add_fragment(const struct manual *manual, const char *page, struct text *t)
{
	AUTO_TEXT struct text name = {};
	AUTO_FREE char *bytes = NULL;

	text_add(&name, "%s.roff", page);
	bytes = text_error(&name) ? NULL : roff_load(manual->fragments, name.data);
	if (bytes)
		text_add(t, "%s", bytes);
}

/* -r, --rewrite=FROM:TO, as --help writes it. */
static void option_add_words(const struct option *option, struct text *t)
{
	if (option->letter)
		text_add(t, "\\fB\\-%c\\fR%s", option->letter, option->name ? ", " : "");
	if (option->name) {
		text_add(t, "\\fB\\-\\-");
		roff_add_string(t, option->name);
		text_add(t, "\\fR");
	}
	if (option->argument) {
		text_add(t, "%s\\fI", option->name ? "=" : " ");
		roff_add_string(t, option->argument);
		text_add(t, "\\fR");
	}
	text_add(t, "\n");
}

static void option_add(const struct option *option, struct text *t)
{
	text_add(t, ".TP\n");
	option_add_words(option, t);
	roff_add_sentence(t, option->help);
	if (!option->key)
		return;
	text_add(t, "Sets \\fB");
	roff_add_string(t, option->key);
	text_add(t, "\\fR");
	if (option->value) {
		text_add(t, " to \\fB");
		roff_add_string(t, option->value);
		text_add(t, "\\fR");
	}
	text_add(t, ", see\n.BR typeclaw\\-init.ini (5).\n");
}

static void page_add_options(const struct command *command, struct text *t)
{
	text_add(t, ".SH OPTIONS\n");
	for (size_t i = 0; i < option_count; i++)
		if (option_table[i].commands & command->bit)
			option_add(&option_table[i], t);
}

/* The paragraphs of a command's details: those about the exit status apart from the others. */
static void page_add_details(const struct command *command, bool of_status, struct text *t)
{
	static const char mark[] = "Exit status: ";
	const char *paragraph = command->details;

	while (paragraph && *paragraph) {
		const char *end = strstr(paragraph, "\n\n");
		size_t length = end ? (size_t)(end - paragraph) : strlen(paragraph);
		bool is_status = strncmp(paragraph, mark, strlen(mark)) == 0;
		size_t skip = is_status ? strlen(mark) : 0;

		if (is_status == of_status) {
			text_add(t, "%s", of_status ? ".SH \"EXIT STATUS\"\n" : ".PP\n");
			roff_add_prose(t, paragraph + skip, length - skip);
		}
		paragraph = end ? end + 2 : NULL;
	}
}

static void page_add_see_also(const struct command *but, struct text *t)
{
	text_add(t, ".SH \"SEE ALSO\"\n");
	if (but)
		text_add(t, ".BR typeclaw\\-init (1),\n");
	for (size_t i = 0; i < command_count; i++)
		if (&command_table[i] != but)
			text_add(t, ".BR typeclaw\\-init\\-%s (1),\n", command_table[i].name);
	text_add(t, ".BR typeclaw\\-init.ini (5),\n.BR typeclaw\\-strategy (7),\n.BR bwrap (1)\n");
}

static void page_add_usage(const struct command *command, struct text *t)
{
	text_add(t, "\\fBtypeclaw\\-init %s\\fR ", command->name);
	roff_add_string(t, command->usage);
	text_add(t, "\n");
}

static void row_add(const char *id, const char *tell, struct text *t)
{
	text_add(t, ".TP\n.B ");
	roff_add_string(t, id);
	text_add(t, "\n");
	roff_add_sentence(t, tell);
}

/* The ids of the JSON: of the checks, and of the causes that fixes are known for. */
static void page_add_doctor(struct text *t)
{
	text_add(t, ".SH CHECKS\n");
	for (enum doctor_check check = 0; check < DOCTOR_CHECKS; check++) {
		text_add(t, ".BR ");
		roff_add_string(t, doctor_row(check)->id);
		text_add(t, "%s\n", check + 1 < DOCTOR_CHECKS ? " ," : " .");
	}
	text_add(t, ".SH CAUSES\n");
	roff_add_sentence(t, "a failure that is none of these is told word for word");
	for (enum catalogue_id id = CATALOGUE_NOTHING + 1; id < CATALOGUE_COUNT; id++)
		row_add(catalogue_row(id)->id, catalogue_row(id)->tell, t);
}

static void page_write_command(const struct manual *manual, const struct command *command)
{
	AUTO_TEXT struct text name = {};
	AUTO_TEXT struct text page = {};
	AUTO_TEXT struct text t = {};

	text_add(&name, "typeclaw-init-%s", command->name);
	text_add(&page, "%s.1", name.data);
	roff_begin(&t, name.data, "1", manual->date, command->summary);
	text_add(&t, ".SH SYNOPSIS\n");
	page_add_usage(command, &t);
	text_add(&t, ".SH DESCRIPTION\n");
	roff_add_sentence(&t, command->summary);
	page_add_details(command, false, &t);
	page_add_options(command, &t);
	page_add_details(command, true, &t);
	if (command->bit == COMMAND_DOCTOR)
		page_add_doctor(&t);
	page_add_fragment(manual, page.data, &t);
	page_add_see_also(command, &t);
	roff_save(manual->out, page.data, &t);
}

static void page_write_program(const struct manual *manual)
{
	AUTO_TEXT struct text t = {};

	roff_begin(&t, "typeclaw-init", "1", manual->date,
		   "container init for AI agents: links, a proven /proc for tools, PID 1");
	text_add(&t, ".SH SYNOPSIS\n");
	for (size_t i = 0; i < command_count; i++) {
		text_add(&t, "%s", i ? ".br\n" : "");
		page_add_usage(&command_table[i], &t);
	}
	text_add(&t, ".br\n\\fBtypeclaw\\-entrypoint\\fR ");
	roff_add_string(&t, command_find("run")->usage);
	text_add(&t, "\n.br\n\\fBtypeclaw\\-init \\-\\-help\\fR | \\fB\\-\\-version\\fR\n");
	page_add_fragment(manual, "typeclaw-init.1", &t);
	text_add(&t, ".SH COMMANDS\n");
	for (size_t i = 0; i < command_count; i++) {
		text_add(&t, ".TP\n.BR typeclaw\\-init\\-%s (1)\n", command_table[i].name);
		roff_add_sentence(&t, command_table[i].summary);
	}
	page_add_see_also(NULL, &t);
	roff_save(manual->out, "typeclaw-init.1", &t);
}

static const char *key_allowed(enum key_kind kind)
{
	static const char *const allowed[] = {
		[KEY_IS_BOOLEAN] = "`1`, `0`, `true`, `false`",
		[KEY_IS_PATH] = "an absolute path without `..`",
		[KEY_IS_PATHS] = "relative paths with commas between, at most 64",
		[KEY_IS_REWRITE] = "pairs with commas between, signals by name or number",
		[KEY_IS_STATUSES] = "whole numbers from 0 to 255 with commas between",
	};

	return kind < ARRAY_SIZE(allowed) ? allowed[kind] : NULL;
}

static void key_add_allowed(const struct key *key, struct text *t)
{
	text_add(t, "Allowed: ");
	if (key->kind == KEY_IS_WORD) {
		for (const char *word = key->words; *word; word += word[0] == '|') {
			size_t n = strcspn(word, "|");

			text_add(t, "%s\\fB%.*s\\fR", word == key->words ? "" : ", ", (int)n, word);
			word += n;
		}
	} else if (key->kind == KEY_IS_NUMBER || key->kind == KEY_IS_NUMBERS) {
		text_add(t, "whole numbers from %llu to %llu%s", (unsigned long long)key->min,
			 (unsigned long long)key->max,
			 key->kind == KEY_IS_NUMBERS ? " with commas between" : "");
	} else {
		roff_add_string(t, key_allowed(key->kind));
	}
	text_add(t, ".\n");
}

static void key_add_variable(const struct key *key, struct text *t)
{
	text_add(t, "Environment: \\fBTYPECLAW_");
	for (const char *letter = key->section; *letter; letter++)
		text_add(t, "%c", *letter - 32);
	text_add(t, "_");
	for (const char *letter = key->name; *letter; letter++)
		text_add(t, "%c", *letter == '_' ? '_' : *letter - 32);
	text_add(t, "\\fR.\n");
}

static void key_add(enum config_key id, struct text *t)
{
	const struct key *key = &key_table[id];

	if (!key_help[id]) {
		dprintf(STDERR_FILENO, "packaging/key_help.c says nothing of %s.%s\n", key->section,
			key->name);
		exit(1);
	}
	text_add(t, ".TP\n\\fB%s\\fR = \\fI", key->name);
	roff_add_string(t, key->standard);
	text_add(t, "\\fR\n");
	roff_add_prose(t, key_help[id], strlen(key_help[id]));
	key_add_allowed(key, t);
	key_add_variable(key, t);
}

static void page_write_ini(const struct manual *manual)
{
	const char *section = "";
	AUTO_TEXT struct text t = {};

	roff_begin(&t, "typeclaw-init.ini", "5", manual->date, "configuration of typeclaw-init");
	page_add_fragment(manual, "typeclaw-init.ini.5", &t);
	text_add(&t, ".SH KEYS\nWhat stands behind the equals sign is the default.\n");
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strcmp(section, key_table[i].section) != 0)
			text_add(&t, ".SS [%s]\n", key_table[i].section);
		section = key_table[i].section;
		key_add((enum config_key)i, &t);
	}
	page_add_see_also(NULL, &t);
	roff_save(manual->out, "typeclaw-init.ini.5", &t);
}

static void page_write_strategy(const struct manual *manual)
{
	AUTO_TEXT struct text t = {};

	roff_begin(&t, "typeclaw-strategy", "7", manual->date,
		   "how the init tells other programs what it found");
	page_add_fragment(manual, "typeclaw-strategy.7", &t);
	page_add_see_also(NULL, &t);
	roff_save(manual->out, "typeclaw-strategy.7", &t);
}

int main(int argc, char *argv[])
{
	struct manual manual;

	if (argc != 4) {
		dprintf(STDERR_FILENO, "usage: manual OUT-DIRECTORY FRAGMENT-DIRECTORY DATE\n");
		return 2;
	}
	manual = (struct manual){ argv[1], argv[2], argv[3] };
	page_write_program(&manual);
	page_write_ini(&manual);
	page_write_strategy(&manual);
	for (size_t i = 0; i < command_count; i++)
		page_write_command(&manual, &command_table[i]);
	return 0;
}
