/*
 * command_sandbox: one tool call in bwrap under the resolved strategy.  When that cannot be done
 * it says why and exits 125; it NEVER runs the command any other way.
 */
#include <errno.h>
#include <sys/stat.h>
#include <string.h>

#include "entrypoint/pass.h"
#include "entrypoint/resolved.h"
#include "init/own.h"

/*
 * What the boot proved is good enough only from the sealed descriptor, and only when it was
 * proven: a record is confirmed by a fresh probe, and so is everything unverified or unknown.
 */
static bool sandbox_must_probe(const struct resolved *resolved)
{
	return resolved->source != RESOLVED_FD ||
	       resolved->document.reason == REASON_UNVERIFIED ||
	       resolved->document.usable == USABLE_UNKNOWN;
}

/* Fills the strategy of the pass; 0, or the status to exit with. */
static int sandbox_resolve(const struct invocation *invocation, const struct resolved *resolved,
			   struct pass *pass, struct fault *f)
{
	const struct document *document = &resolved->document;
	bool asked = pass->config.real_proc;
	int r;

	if (resolved->source != RESOLVED_NOWHERE) {
		pass->config.agent_dir = document->agent_dir;
		pass->config.network = document->network;
		pass->config.bwrap = document->bwrap; /* the one that was proven, judged again */
		asked = document->real_proc_asked;
	}
	if (pass_read_facts(pass, f) < 0)
		return command_fail(invocation->command, f, EXIT_OURS);
	if (!sandbox_must_probe(resolved)) {
		pass->strategy = (struct strategy){ .proc = document->proc,
						    .reason = document->reason,
						    .usable = document->usable };
		return 0;
	}
	r = pass_probe(pass, asked, true, f);
	if (r > 0)
		return 128 + r;
	return r < 0 ? command_fail(invocation->command, f, EXIT_OURS) : 0;
}

static int sandbox_refuse(const struct invocation *invocation, const struct pass *pass)
{
	struct fault f = {};

	fault_say(&f, -EPERM, "the command was not run: no sandbox here (usable: %s, cause: %s)",
		  sandbox_usable_name(pass->strategy.usable),
		  probe_cause_name(pass->strategy.usable_cause));
	return command_fail(invocation->command, &f, EXIT_OURS);
}

int command_sandbox(const struct invocation *invocation)
{
	AUTO_RESOLVED struct resolved resolved = {};
	AUTO_PASS struct pass pass = {};
	struct sandbox_mount agent = { .kind = SANDBOX_MOUNT_RO_BIND };
	struct sandbox_command command = { .mounts = &agent, .n_mounts = 1 };
	struct fault f = {};
	int r;

	if (invocation->arguments->n_rest == 0) {
		fault_say(&f, -EINVAL, "sandbox needs a COMMAND");
		return command_misused(invocation->command, &f);
	}
	if (pass_read_config(&pass, invocation, false, &f) < 0 ||
	    resolved_read(invocation->environment, &resolved) < 0)
		return command_fail(invocation->command, &f, EXIT_OURS);
	r = sandbox_resolve(invocation, &resolved, &pass, &f);
	if (r != 0)
		return r;
	if (pass.strategy.usable != USABLE_YES || !pass.bwrap)
		return sandbox_refuse(invocation, &pass);
	agent.source = agent.path = command.cwd = pass.config.agent_dir;
	command.bwrap = pass.bwrap;
	command.proc = pass.strategy.proc;
	command.network = pass.config.network;
	command.argv = invocation->arguments->rest;
	r = sandbox_run(&command, &f);
	return r < 0 ? command_fail(invocation->command, &f, EXIT_OURS) : r;
}
