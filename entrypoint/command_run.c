/*
 * command_run: the whole pass, then the life of a PID 1.
 *
 * A failing step never stops the boot unless the configuration says so: it is reported and the
 * stricter choice is taken.  SIGTERM or SIGINT before the child starts ends the boot at once.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "entrypoint/record.h"
#include "entrypoint/report.h"
#include "init/child.h"
#include "init/handoff.h"
#include "init/kernel.h"
#include "init/own.h"
#include "init/signals.h"

/* The variables handed to the child; the strings are kept here. */
struct handoff_environment {
	char fd_variable[64];
	char id_variable[96];
	char **variables; /* owned; NULL-terminated */
};

static void handoff_environment_clear(struct handoff_environment *environment)
{
	free(environment->variables);
}

/* True for NAME=... of the handoff: whatever came in is never passed on. */
static bool variable_is_handoff(const char *variable)
{
	return strncmp(variable, HANDOFF_FD_VARIABLE "=", sizeof(HANDOFF_FD_VARIABLE)) == 0 ||
	       strncmp(variable, HANDOFF_ID_VARIABLE "=", sizeof(HANDOFF_ID_VARIABLE)) == 0;
}

static int handoff_environment_build(char *const *inherited, const struct handoff *handoff,
				     struct handoff_environment *ret, struct fault *f)
{
	size_t count = 0;
	size_t n = 0;

	while (inherited[count])
		count++;
	ret->variables = calloc(count + 3, sizeof(*ret->variables));
	if (!ret->variables)
		return fault_set(f, -ENOMEM, "build the child's environment");
	for (size_t i = 0; i < count; i++)
		if (!variable_is_handoff(inherited[i]))
			ret->variables[n++] = inherited[i];
	if (handoff->fd < 0)
		return 0;
	(void)snprintf(ret->fd_variable, sizeof(ret->fd_variable), "%s=%d", HANDOFF_FD_VARIABLE,
		       handoff->fd);
	(void)snprintf(ret->id_variable, sizeof(ret->id_variable), "%s=%s", HANDOFF_ID_VARIABLE,
		       handoff->id);
	ret->variables[n++] = ret->fd_variable;
	ret->variables[n++] = ret->id_variable;
	return 0;
}

/* The status to exit with when SIGTERM or SIGINT is pending; 0 when none is. */
static int boot_stopped(void)
{
	const struct timespec now = {};
	siginfo_t info;
	int r = kernel_sigtimedwait(kernel_signal_bit(SIGTERM) | kernel_signal_bit(SIGINT), &info,
				    &now);

	return r > 0 ? 128 + r : 0;
}

static bool links_must_stop(const struct pass *pass, struct fault *f)
{
	const struct links_report *links = &pass->links;
	AUTO_TEXT struct text first = {};

	if (!pass->config.fail_if_refused || (!links->code && !links->refused))
		return false;
	if (links->code)
		text_add(&first, "TYPECLAW_SANDBOX_SYMLINKS: %s", link_code_name(links->code));
	for (size_t i = 0; i < links->n_links && !first.length; i++)
		if (!link_code_done(links->links[i].code))
			report_link(&links->links[i], &first);
	fault_say(f, -EPERM, "symlinks.fail_if_refused: %s",
		  text_error(&first) ? "refused" : first.data);
	return true;
}

static bool sandbox_must_stop(const struct pass *pass, struct fault *f)
{
	if (!pass->config.fail_if_unavailable || pass->strategy.usable == USABLE_YES)
		return false;
	fault_say(f, -EPERM, "sandbox.fail_if_unavailable: sandbox usable: %s, cause %s",
		  sandbox_usable_name(pass->strategy.usable),
		  probe_cause_name(pass->strategy.usable_cause));
	return true;
}

/* Seals the document for the child and writes the boot record; neither stops the boot. */
static void boot_hand_off(const struct pass *pass, const struct log *log, struct handoff *ret)
{
	AUTO_FREE char *document = pass_write_document(pass);
	struct fault f = {};
	int r;

	if (!document) {
		log_line(log, LINE_WARNING, "no strategy document: out of memory");
		return;
	}
	if (handoff_seal(document, strlen(document), ret, &f) < 0)
		log_line(log, LINE_WARNING, "no strategy descriptor: %s", f.message);
	r = record_write(document, strlen(document));
	if (r < 0)
		log_line(log, LINE_INFO, "no boot record at " RECORD_PATH ": %s", strerror(-r));
}

/* Everything before the child: 0, or the status to exit with. */
static int boot_prepare(struct pass *pass, const struct log *log, struct fault *f)
{
	int status;
	int r = record_remove();

	if (r < 0)
		log_line(log, LINE_INFO, "an old boot record may be left at " RECORD_PATH ": %s",
			 strerror(-r));
	r = pass_place_links(pass, false, f);
	if (r < 0)
		return EXIT_OURS;
	report_links(log, &pass->links);
	if (links_must_stop(pass, f))
		return EXIT_OURS;
	status = boot_stopped();
	if (status)
		return status;
	if (pass_read_facts(pass, f) < 0 || pass_read_host(pass, f) < 0)
		return EXIT_OURS;
	r = pass_probe(pass, pass->config.real_proc, true, f);
	if (r > 0)
		return 128 + r;
	if (r < 0) {
		log_line(log, LINE_WARNING, "the probes could not run: %s", f->message);
		pass->findings = (struct findings){};
		pass->strategy = strategy_choose(pass->config.real_proc, &pass->findings);
	}
	report_strategy(log, pass);
	if (sandbox_must_stop(pass, f))
		return EXIT_OURS;
	return boot_stopped();
}

static int boot_start_child(const struct invocation *invocation, struct pass *pass,
			    const struct log *log, struct supervise_options *options)
{
	__attribute__((cleanup(handoff_environment_clear))) struct handoff_environment environment =
		{};
	struct handoff handoff = { .fd = -1 };
	struct child_request request = { .argv = invocation->arguments->rest,
					 .inherited = invocation->inherited };
	struct child child;
	struct fault f = {};
	int status = EXIT_OURS;

	boot_hand_off(pass, log, &handoff);
	request.handoff_fd = handoff.fd;
	if (handoff_environment_build(invocation->environment, &handoff, &environment, &f) < 0)
		return command_fail(invocation->command, &f, EXIT_OURS);
	request.envp = environment.variables;
	if (child_start(&request, &child, &status, &f) < 0)
		return command_fail(invocation->command, &f, (enum exit_status)status);
	fd_close(&handoff.fd);
	return supervise(&child, options, log);
}

/* -s, -p and -w, which are no configuration keys. */
static int run_read_options(const struct invocation *invocation,
			    struct supervise_options *options, struct fault *f)
{
	const struct arguments *arguments = invocation->arguments;
	const char *parent_death = arguments_value(arguments, OPTION_PARENT_DEATH);

	options->parent = invocation->inherited->parent;
	options->subreaper = arguments_has(arguments, OPTION_SUBREAPER);
	options->warn_on_reap = arguments_has(arguments, OPTION_WARN_ON_REAP);
	if (!parent_death)
		return 0;
	options->parent_death_signal = signal_parse(parent_death);
	return options->parent_death_signal > 0 ?
		       0 :
		       fault_say(f, -EINVAL, "option -p needs a signal, by name or number");
}

int command_run(const struct invocation *invocation)
{
	AUTO_PASS struct pass pass = {};
	struct fault f = {};
	struct log log;
	int status;

	if (invocation->arguments->n_rest == 0) {
		fault_say(&f, -EINVAL, "run needs a COMMAND");
		return command_misused(invocation->command, &f);
	}
	if (pass_read_config(&pass, invocation, true, &f) < 0 ||
	    run_read_options(invocation, &pass.config.init, &f) < 0)
		return command_fail(invocation->command, &f, EXIT_OURS);
	log = log_open(pass.config.log);
	if (pass.config.remark)
		log_line(&log, LINE_WARNING, "%s", pass.config.remark);
	supervise_adopt_orphans();
	status = boot_prepare(&pass, &log, &f);
	if (status == EXIT_OURS)
		return command_fail(invocation->command, &f, EXIT_OURS);
	if (status)
		return status;
	return boot_start_child(invocation, &pass, &log, &pass.config.init);
}
