/*
 * bare_init: `bare_init [OPTION...] CMD [ARG...]` is `run` without a boot: remember, start,
 * supervise.  What init/ does can so be tested, and sanitized, by itself.
 *
 * Options: -g group, -a all, -W wait for all, -w warn on reap, -s subreaper, -d debug log,
 * -G MS grace, -T MS stop timeout, -r FROM:TO, -e STATUS, -p SIGNAL, -H FD: hand FD on.
 */
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
	int handoff_fd;
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

static void set(struct setup *setup, int option, char *value)
{
	struct supervise_options *options = &setup->options;

	switch (option) {
	case 'g':
		options->forward = FORWARD_GROUP;
		break;
	case 'a':
		options->forward = FORWARD_ALL;
		break;
	case 'W':
		options->wait = WAIT_ALL;
		break;
	case 'w':
		options->warn_on_reap = true;
		break;
	case 's':
		options->subreaper = true;
		break;
	case 'd':
		setup->level = LOG_DEBUG;
		break;
	case 'G':
		options->kill_grace_ms = number(value, UINT32_MAX);
		break;
	case 'T':
		options->stop_timeout_ms = number(value, UINT32_MAX);
		break;
	case 'r':
		rewrite(options, value);
		break;
	case 'e':
		options->exit_ok[number(value, 255) / 64] |= UINT64_C(1)
							     << (number(value, 255) % 64);
		break;
	case 'p':
		options->parent_death_signal = signal_parse(value);
		break;
	case 'H':
		setup->handoff_fd = (int)number(value, 1024);
		break;
	default:
		fail("unknown option");
	}
}

int main(int argc, char *argv[])
{
	struct setup setup = { .options = supervise_defaults(), .handoff_fd = -1 };
	struct inherited inherited;
	struct child_request request;
	struct child child;
	struct fault f = {};
	struct log log;
	int status = 125;
	int option;

	if (inherit_begin(&inherited, &f) < 0)
		fail(f.message);
	while ((option = getopt(argc, argv, "+gaWwsdG:T:r:e:p:H:")) >= 0)
		set(&setup, option, optarg);
	if (!argv[optind])
		fail("no command");
	setup.options.parent = inherited.parent;
	log = log_open(setup.level);
	supervise_adopt_orphans();
	request = (struct child_request){ argv + optind, environ, &inherited, setup.handoff_fd };
	if (child_start(&request, &child, &status, &f) < 0) {
		log_line(&log, LINE_ERROR, "%s", f.message);
		inherited_clear(&inherited);
		return status;
	}
	inherited_clear(&inherited);
	return supervise(&child, &setup.options, &log);
}
