/* standin: see standin.h. */
#include "entrypoint/standin.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "entrypoint/config.h"
#include "entrypoint/keys.h"
#include "entrypoint/standin_words.h"
#include "init/child.h"
#include "init/file.h"
#include "init/own.h"
#include "init/signals.h"
#include "init/text.h"

#define EXIT_MISUSED 1 /* of all three */
#define EXIT_TWIN 125  /* a bad TYPECLAW_INIT_* is ours to refuse */

struct standin_life {
	const struct standin *standin;
	struct config config; /* its [init] section */
	int verbosity;        /* as tini counts; 1 is its default */
	bool session;
	bool pause;
	bool over; /* nothing is to be run */
	int status;
};

static void standin_write(int fd, const char *text)
{
	(void)file_write_all(fd, text, strlen(text));
}

/* Ends the life with a message in the program's own words; `text` is foreign and escaped. */
static void standin_fail(struct standin_life *life, int status, const char *message,
			 const char *text)
{
	AUTO_TEXT struct text line = {};

	if (life->standin->program == STANDIN_TINI)
		text_add(&line, "[FATAL tini (%d)] ", getpid());
	else if (life->standin->program == STANDIN_CATATONIT)
		text_add(&line, "ERROR (catatonit:%d): ", getpid());
	else
		text_add(&line, "[dumb-init] ");
	text_add(&line, "%s", message);
	text_escape(&line, text, strlen(text));
	text_add(&line, "\n");
	standin_write(STDERR_FILENO, text_error(&line) < 0 ? "out of memory\n" : line.data);
	life->over = true;
	life->status = status;
}

/* As getopt_long(3) says it: "NAME: MESSAGE'WORD'". */
static void standin_misuse(struct standin_life *life, const char *message, const char *word)
{
	AUTO_TEXT struct text line = {};

	text_add(&line, "%s: %s", life->standin->name, message);
	text_escape(&line, word, strlen(word));
	text_add(&line, "'\n%s", life->standin->usage);
	standin_write(STDERR_FILENO, text_error(&line) < 0 ? "out of memory\n" : line.data);
	life->over = true;
	life->status = EXIT_MISUSED;
}

static void standin_show(struct standin_life *life, int fd, const char *text)
{
	standin_write(fd, text);
	life->over = true;
	life->status = 0;
}

static void standin_set_exit_ok(struct standin_life *life, const char *text)
{
	uint64_t status;

	if (number_parse(text, 0, 255, &status) < 0)
		standin_fail(life, EXIT_MISUSED, "Not a valid option for -e: ", text);
	else
		life->config.init.exit_ok[status / 64] |= UINT64_C(1) << (status % 64);
}

static void standin_set_parent_death(struct standin_life *life, const char *text)
{
	int number = signal_parse(text);

	if (number < 0)
		standin_fail(life, EXIT_MISUSED, "Not a valid option for -p: ", text);
	else
		life->config.init.parent_death_signal = number;
}

static void standin_set_rewrite(struct standin_life *life, const char *text)
{
	struct fault f = {};

	if (key_apply(KEY_INIT_REWRITE, text, &life->config, &f) == 0)
		return;
	standin_show(
		life, STDERR_FILENO,
		"Usage: -r option takes <signum>:<signum>, where <signum> is between 1 and 31.\n"
		"This option can be specified multiple times.\n"
		"Use --help for full usage.\n");
	life->status = EXIT_MISUSED;
}

static void standin_apply(struct standin_life *life, enum standin_meaning meaning,
			  const char *value)
{
	const struct standin *standin = life->standin;
	struct supervise_options *options = &life->config.init;

	switch (meaning) {
	case MEANS_HELP:
		standin_show(life, standin->help_fd, standin->help);
		break;
	case MEANS_VERSION:
		standin_show(life, standin->version_fd, standin->version);
		break;
	case MEANS_LICENSE:
		standin_show(life, STDOUT_FILENO,
			     "This is typeclaw-init " VERSION
			     "; its license is with its source.\n");
		break;
	case MEANS_SUBREAPER:
		options->subreaper = true;
		break;
	case MEANS_PARENT_DEATH:
		standin_set_parent_death(life, value);
		break;
	case MEANS_VERBOSE:
		life->verbosity++;
		break;
	case MEANS_WARN_ON_REAP:
		options->warn_on_reap = true;
		break;
	case MEANS_GROUP:
		options->forward = FORWARD_GROUP;
		break;
	case MEANS_SINGLE_CHILD:
		options->forward = FORWARD_CHILD;
		life->session = false;
		break;
	case MEANS_EXIT_OK:
		standin_set_exit_ok(life, value);
		break;
	case MEANS_REWRITE:
		standin_set_rewrite(life, value);
		break;
	case MEANS_PAUSE:
		life->pause = true;
	}
}

static const struct standin_option *standin_option(const struct standin *standin, char letter,
						   const char *name, size_t length)
{
	for (size_t i = 0; i < standin_option_count; i++) {
		const struct standin_option *option = &standin_options[i];

		if (!(option->programs & standin->program))
			continue;
		if (name ? option->name && strlen(option->name) == length &&
				    memcmp(option->name, name, length) == 0
			 : letter && option->letter == letter)
			return option;
	}
	return NULL;
}

/* --name, --name=value, --name value.  tini knows --version and no other: to it -- is a letter. */
static void standin_parse_long(struct standin_life *life, char ***words)
{
	const char *word = *(*words)++;
	size_t length = strcspn(word + 2, "=");
	const struct standin_option *option = standin_option(life->standin, 0, word + 2, length);
	const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;

	if (!option && life->standin->program == STANDIN_TINI) {
		standin_misuse(life, "invalid option -- '", "-");
	} else if (!option) {
		standin_misuse(life, "unrecognized option '", word);
	} else if (!option->takes_value && value) {
		standin_misuse(life, "option takes no argument: '", word);
	} else if (option->takes_value && !value && !**words) {
		standin_misuse(life, "option requires an argument: '", word);
	} else {
		if (option->takes_value && !value)
			value = *(*words)++;
		standin_apply(life, option->meaning, value);
	}
}

/* -a, -abc, -e143, -e 143. */
static void standin_parse_letters(struct standin_life *life, char ***words)
{
	const char *word = *(*words)++;

	for (const char *letter = word + 1; *letter && !life->over; letter++) {
		const struct standin_option *option =
			standin_option(life->standin, *letter, NULL, 0);
		char shown[] = { *letter, '\0' };
		const char *value = letter[1] ? letter + 1 : **words;

		if (!option) {
			standin_misuse(life, "invalid option -- '", shown);
		} else if (!option->takes_value) {
			standin_apply(life, option->meaning, NULL);
		} else if (!value) {
			standin_misuse(life, "option requires an argument -- '", shown);
		} else {
			if (!letter[1])
				(*words)++;
			standin_apply(life, option->meaning, value);
			return;
		}
	}
}

/* Options end at the first word that is none, so that `tini sh -c x` works, or at `--`. */
static void standin_parse(struct standin_life *life, char ***words)
{
	while (!life->over && **words && (**words)[0] == '-' && (**words)[1]) {
		if (strcmp(**words, "--") == 0) {
			(*words)++;
			return;
		}
		if ((**words)[1] == '-')
			standin_parse_long(life, words);
		else
			standin_parse_letters(life, words);
	}
}

/* What the programs read from their environment, before their options. */
static void standin_read_own_variables(struct standin_life *life, char *const *environment)
{
	const char *value;
	uint64_t number;

	switch (life->standin->program) {
	case STANDIN_TINI:
		if (environment_get(environment, "TINI_SUBREAPER"))
			life->config.init.subreaper = true;
		if (environment_get(environment, "TINI_KILL_PROCESS_GROUP"))
			life->config.init.forward = FORWARD_GROUP;
		value = environment_get(environment, "TINI_VERBOSITY");
		if (value && number_parse(value, 0, 100, &number) == 0)
			life->verbosity = (int)number;
		break;
	case STANDIN_DUMB_INIT:
		value = environment_get(environment, "DUMB_INIT_DEBUG");
		if (value && strcmp(value, "1") == 0)
			life->verbosity++;
		value = environment_get(environment, "DUMB_INIT_SETSID");
		if (value && strcmp(value, "0") == 0)
			standin_apply(life, MEANS_SINGLE_CHILD, NULL);
		break;
	case STANDIN_CATATONIT:
		if (environment_get(environment, "CATATONIT_DEBUG"))
			life->verbosity++;
	}
}

static bool standin_has_twins(char *const *environment)
{
	while (*environment && strncmp(*environment, "TYPECLAW_INIT_", 14) != 0)
		environment++;
	return *environment;
}

/* TYPECLAW_INIT_<KEY>, as config.c reads it for `run`. */
static void standin_read_twins(struct standin_life *life, char *const *environment)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		char name[64] = "TYPECLAW_INIT_";
		size_t length = strlen(name);
		struct fault f = {};
		const char *value;

		if (strcmp(key_table[i].section, "init") != 0)
			continue;
		for (const char *c = key_table[i].name; *c && length < sizeof(name) - 1; c++)
			name[length++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
		value = environment_get(environment, name);
		if (!value || !*value ||
		    key_apply((enum config_key)i, value, &life->config, &f) == 0)
			continue;
		standin_write(STDERR_FILENO, name);
		standin_write(STDERR_FILENO, ": ");
		standin_fail(life, EXIT_TWIN, f.message, "");
		return;
	}
}

/*
 * dumb-init's child leads a session, whose group is nobody's child for job control: the kernel
 * drops a TSTP there, and only a STOP stops it.
 */
static void standin_finish_session(struct standin_life *life)
{
	static const int job_signals[] = { SIGTSTP, SIGTTIN, SIGTTOU };
	struct supervise_options *options = &life->config.init;

	if (!life->session)
		return;
	options->stop_self = true;
	for (size_t i = 0; i < ARRAY_SIZE(job_signals); i++) {
		if (options->rewrite[job_signals[i]] == REWRITE_NONE)
			options->rewrite[job_signals[i]] = SIGSTOP;
	}
}

static int standin_say_not_started(struct standin_life *life, const char *command, int status,
				   const struct fault *f)
{
	AUTO_TEXT struct text message = {};
	enum standin_program program = life->standin->program;

	if (program == STANDIN_CATATONIT) {
		text_add(&message, "failed to exec pid1");
	} else {
		text_add(&message, program == STANDIN_TINI ? "exec " : "");
		text_escape(&message, command, strlen(command));
		text_add(&message, program == STANDIN_TINI ? " failed" : "");
	}
	text_add(&message, ": %s", strerror(f->error));
	standin_fail(life, EXIT_MISUSED, text_error(&message) < 0 ? "" : message.data, "");
	if (status == CHILD_NOT_FOUND)
		return life->standin->not_found_status;
	return status == CHILD_NOT_EXECUTABLE ? life->standin->not_usable_status : EXIT_MISUSED;
}

static int standin_supervise(struct standin_life *life, char **words,
			     const struct inherited *inherited, char **environment)
{
	struct child_request request = { words, environment, inherited, -1, life->session };
	struct log log;
	struct child child;
	struct fault f = {};
	int status = EXIT_MISUSED;

	if (life->verbosity > 1)
		life->config.log = LOG_DEBUG;
	else if (life->verbosity < 1)
		life->config.log = LOG_QUIET;
	log = log_open(life->config.log);
	life->config.init.parent = inherited->parent;
	supervise_adopt_orphans();
	if (life->pause)
		return supervise_pause();
	if (child_start(&request, &child, &status, &f) < 0)
		return standin_say_not_started(life, words[0], status, &f);
	return supervise(&child, &life->config.init, &log);
}

const struct standin *standin_find(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	for (size_t i = 0; argv0 && i < standin_count; i++) {
		if (strcmp(slash ? slash + 1 : argv0, standin_table[i].name) == 0)
			return &standin_table[i];
	}
	return NULL;
}

int standin_run(const struct standin *standin, char **words, const struct inherited *inherited,
		char **environment)
{
	struct standin_life life = { .standin = standin, .verbosity = 1 };

	life.config.init = supervise_defaults();
	if (standin->program == STANDIN_DUMB_INIT) {
		life.config.init.forward = FORWARD_GROUP;
		life.session = true;
	}
	if (standin_has_twins(environment))
		standin_read_twins(&life, environment);
	standin_read_own_variables(&life, environment);
	standin_parse(&life, &words);
	standin_finish_session(&life);
	if (!life.over && !*words && !life.pause) {
		if (standin->program == STANDIN_CATATONIT)
			standin_fail(&life, EXIT_MISUSED, "missing program name", "");
		standin_write(STDERR_FILENO, standin->missing);
		life.over = true;
		life.status = EXIT_MISUSED;
	}
	if (!life.over)
		life.status = standin_supervise(&life, words, inherited, environment);
	config_clear(&life.config);
	return life.status;
}
