/*
 * bare_init: `bare_init run [OPTION...] CMD [ARG...]` is `run` without a boot: remember, start,
 * supervise.  What init/ does can so be tested, and sanitized, by itself.  Takes the options of
 * `run` that are about PID 1, `--set init.KEY=VALUE` among them, and passes over other keys.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init/child.h"
#include "init/inherit.h"
#include "init/log.h"
#include "init/signals.h"
#include "init/supervise.h"
#include "init/text.h"

struct setup {
	struct supervise_options options;
	enum log_level level;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "bare_init: %s\n", what);
	exit(125);
}

static uint64_t number(const char *text, uint64_t max)
{
	uint64_t value = 0;

	if (number_parse(text, 0, max, &value) < 0)
		fail(text);
	return value;
}

static void rewrite(struct supervise_options *options, char *text)
{
	char *colon = strchr(text, ':');
	int from;
	int to;

	if (!colon)
		fail(text);
	*colon = '\0';
	from = signal_parse(text);
	to = strcmp(colon + 1, "0") == 0 ? 0 : signal_parse(colon + 1);
	if (from < 0 || to < 0)
		fail(text);
	options->rewrite[from] = (int8_t)to;
}

static void exit_ok(struct supervise_options *options, const char *text)
{
	uint64_t status = number(text, 255);

	options->exit_ok[status / 64] |= UINT64_C(1) << (status % 64);
}

static void set_key(struct setup *setup, char *text)
{
	struct supervise_options *options = &setup->options;
	char *value = strchr(text, '=');

	if (!value)
		fail(text);
	*value++ = '\0';
	if (strcmp(text, "init.kill_grace_ms") == 0)
		options->kill_grace_ms = number(value, UINT32_MAX);
	else if (strcmp(text, "init.stop_timeout_ms") == 0)
		options->stop_timeout_ms = number(value, UINT32_MAX);
	else if (strcmp(text, "init.wait") == 0)
		options->wait = strcmp(value, "all") == 0 ? WAIT_ALL : WAIT_MAIN;
	else if (strcmp(text, "init.forward") == 0)
		options->forward = strcmp(value, "all") == 0     ? FORWARD_ALL
				   : strcmp(value, "group") == 0 ? FORWARD_GROUP
								 : FORWARD_CHILD;
	else if (strcmp(text, "init.log") == 0)
		setup->level = strcmp(value, "debug") == 0 ? LOG_DEBUG : LOG_INFO;
	else if (strncmp(text, "init.", 5) == 0)
		fail(text);
}

static void set(struct setup *setup, int option, char *value)
{
	struct supervise_options *options = &setup->options;

	switch (option) {
	case 'g':
		options->forward = FORWARD_GROUP;
		break;
	case 'w':
		options->warn_on_reap = true;
		break;
	case 's':
		options->subreaper = true;
		break;
	case 'v':
		setup->level = LOG_DEBUG;
		break;
	case 'S':
		set_key(setup, value);
		break;
	case 'r':
		rewrite(options, value);
		break;
	case 'e':
		exit_ok(options, value);
		break;
	case 'p':
		options->parent_death_signal = signal_parse(value);
		break;
	default:
		fail("unknown option");
	}
}

int main(int argc, char *argv[])
{
	struct setup setup = { .options = supervise_defaults() };
	static const struct option names[] = { { "set", required_argument, NULL, 'S' }, {} };
	struct inherited inherited;
	struct child_request request;
	struct child child;
	struct fault f = {};
	struct log log;
	int status = 125;
	int option;

	if (inherit_begin(&inherited, &f) < 0)
		fail(f.message);
	if (argv[1] && strcmp(argv[1], "run") == 0)
		optind = 2;
	while ((option = getopt_long(argc, argv, "+gwsvr:e:p:", names, NULL)) >= 0)
		set(&setup, option, optarg);
	if (!argv[optind])
		fail("no command");
	setup.options.parent = inherited.parent;
	log = log_open(setup.level);
	supervise_adopt_orphans();
	request = (struct child_request){ argv + optind, environ, &inherited, -1, false };
	if (child_start(&request, &child, &status, &f) < 0) {
		log_line(&log, LINE_ERROR, "%s", f.message);
		inherited_clear(&inherited);
		return status;
	}
	inherited_clear(&inherited);
	return supervise(&child, &setup.options, &log);
}
