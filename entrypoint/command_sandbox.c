/*
 * command_sandbox: one tool call in bwrap under the resolved strategy.  When that cannot be done
 * it says why and exits 125; it NEVER runs the command any other way.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "entrypoint/tool.h"
#include "init/child.h"
#include "init/own.h"
#include "init/resolve.h"
#include "sandbox/script.h"

/*
 * What the boot proved is good enough only from the sealed descriptor, and only when it was
 * proven: a record is confirmed by a fresh probe, and so is everything unverified or unknown.
 */
static bool sandbox_must_probe(const struct resolved *resolved)
{
	return resolved->source != RESOLVED_FD || resolved->document.reason == REASON_UNVERIFIED ||
	       resolved->document.usable == USABLE_UNKNOWN;
}

static void strategy_of_document(const struct document *document, struct strategy *ret)
{
	size_t length = strnlen(document->because, sizeof(ret->because) - 1);

	*ret = (struct strategy){ .proc = document->proc,
				  .reason = document->reason,
				  .usable = document->usable,
				  .usable_cause = document->usable_cause };
	memcpy(ret->because, document->because, length);
}

/* Fills the strategy of the pass; 0, or the status to exit with. */
static int sandbox_choose(const struct invocation *invocation, const struct resolved *resolved,
			  struct pass *pass, struct fault *f)
{
	const struct document *document = &resolved->document;
	bool asked = pass->config.real_proc;
	int r;

	if (resolved->source != RESOLVED_NOWHERE) {
		pass->config.agent_dir = document->agent_dir;
		pass->config.network = document->network;
		if (document->bwrap) /* the one that was proven, judged again */
			pass->config.bwrap = document->bwrap;
		asked = document->real_proc_asked;
	}
	if (!sandbox_must_probe(resolved)) {
		strategy_of_document(document, &pass->strategy);
		r = sandbox_bwrap_find(pass->config.bwrap, pass->config.agent_dir, &pass->bwrap, f);
		return r < 0 ? command_fail(invocation->command, f, EXIT_OURS) : 0;
	}
	if (pass_read_facts(pass, f) < 0)
		return command_fail(invocation->command, f, EXIT_OURS);
	r = pass_probe(pass, asked, true, f);
	if (r > 0)
		return 128 + r;
	return r < 0 ? command_fail(invocation->command, f, EXIT_OURS) : 0;
}

/* Paths and links as the boot resolved them. */
static void ground_of_document(const struct document *document, struct tool_ground *ground)
{
	for (size_t i = 0; i < document->n_writable_paths; i++)
		ground->writable_paths[ground->n_writable_paths++] = document->writable_paths[i];
	for (size_t i = 0; i < document->n_links; i++)
		ground->links[ground->n_links++] = document->links[i];
}

/* The same from the configuration, where no boot left a document. */
static int ground_of_config(struct pass *pass, struct tool_ground *ground, struct fault *f)
{
	int r = pass_place_links(pass, true, f);

	for (size_t i = 0; i < pass->config.n_writable_paths; i++)
		ground->writable_paths[ground->n_writable_paths++] = pass->config.writable_paths[i];
	for (size_t i = 0; r == 0 && i < pass->links.n_links; i++) {
		const struct link_result *link = &pass->links.links[i];

		if (link_code_done(link->code) && ground->n_links < CONFIG_LINKS_MAX)
			ground->links[ground->n_links++] =
				(struct document_link){ link->from, link->to };
	}
	return r;
}

static int sandbox_ground(const struct invocation *invocation, const struct resolved *resolved,
			  struct pass *pass, struct tool_ground *ret, struct fault *f)
{
	*ret = (struct tool_ground){
		.agent_dir = pass->config.agent_dir,
		.network = pass->config.network,
		.bwrap = pass->bwrap,
		.path = environment_get(invocation->environment, "PATH"),
	};
	if (resolved->source == RESOLVED_NOWHERE)
		return ground_of_config(pass, ret, f);
	ground_of_document(&resolved->document, ret);
	return 0;
}

/* The words as one line, for the filter. */
static int command_line(const struct tool_options *options, struct text *t)
{
	if (options->script)
		text_add(t, "%s", options->script);
	for (size_t i = 0; !options->script && options->argv[i]; i++)
		text_add(t, "%s%s", i ? " " : "", options->argv[i]);
	return text_error(t);
}

/* A convenience for whoever lets few commands through; no boundary. */
static int sandbox_filter(const struct tool_options *options, struct fault *f)
{
	AUTO_TEXT struct text line = {};
	AUTO_TEXT struct text shown = {};
	const char *found;

	if (command_line(options, &line) < 0)
		return fault_set(f, -ENOMEM, "read the command");
	found = options->reject_metacharacters ? script_metacharacter(line.data) : NULL;
	if (found) {
		text_escape(&shown, found, 1);
		return fault_say(f, -EPERM, "the command was not run: it holds %s",
				 text_error(&shown) < 0 ? "a metacharacter" : shown.data);
	}
	if (options->n_prefixes &&
	    !script_allowed(line.data, options->prefixes, options->n_prefixes))
		return fault_say(f, -EPERM, "the command was not run: no --allow-prefix allows it");
	return 0;
}

static bool sandbox_is_open(const struct tool_options *options)
{
	return !options->see_given && options->profile == PROFILE_NONE &&
	       policy_role_unsandboxed(options->role);
}

static int open_show(const struct invocation *invocation, const struct tool_options *options)
{
	AUTO_TEXT struct text t = {};
	const char *role = policy_role_name(options->role);

	if (options->json)
		text_add(
			&t,
			"{\"schema\":\"typeclaw.sandbox/1\",\"sandboxed\":false,\"role\":\"%s\"}\n",
			role);
	else
		text_add(&t, "%-12s%s\n%-12s%s\n", "role", role, "sandboxed", "no");
	return command_print(invocation->command, &t);
}

/* The roles that are not sandboxed: as it is, and only when that was said out loud. */
static int open_run(const struct invocation *invocation, const struct tool_options *options)
{
	const char *role = policy_role_name(options->role);
	char path[PATH_MAX];
	struct fault f = {};
	int r;

	if (options->print || options->json)
		return open_show(invocation, options);
	if (!options->allow_unsandboxed) {
		fault_say(&f, -EPERM,
			  "the command was not run: a call of %s is not sandboxed; say"
			  " --allow-unsandboxed to run it as it is",
			  role);
		return command_fail(invocation->command, &f, EXIT_OURS);
	}
	r = resolve_command(options->argv[0], invocation->environment, path, &f);
	if (r < 0)
		return command_fail(invocation->command, &f,
				    r == -ENOENT || r == -ENOTDIR ? CHILD_NOT_FOUND
								  : CHILD_NOT_EXECUTABLE);
	inherited_restore(invocation->inherited);
	(void)execve(path, options->argv, invocation->environment);
	fault_set(&f, -errno, "execute the command");
	return command_fail(invocation->command, &f, CHILD_NOT_EXECUTABLE);
}

static int sandbox_show(const struct invocation *invocation, const struct tool *tool)
{
	AUTO_TEXT struct text t = {};
	AUTO_FREE char *json = tool->options->json ? tool_write_json(tool) : NULL;

	if (!tool->options->json)
		tool_write_text(tool, &t);
	else if (json)
		text_add(&t, "%s", json);
	else
		t.error = -ENOMEM;
	return command_print(invocation->command, &t);
}

static int sandbox_refuse(const struct invocation *invocation, const struct pass *pass)
{
	struct fault f = {};

	fault_say(&f, -EPERM, "the command was not run: no sandbox here (usable: %s, cause: %s)",
		  sandbox_usable_name(pass->strategy.usable),
		  probe_cause_name(pass->strategy.usable_cause));
	return command_fail(invocation->command, &f, EXIT_OURS);
}

/* Everything after the options: 0 and up is the status to exit with; -errno with `f`. */
static int sandbox_call(const struct invocation *invocation, const struct tool_options *options,
			struct fault *f)
{
	AUTO_RESOLVED struct resolved resolved = {};
	AUTO_PASS struct pass pass = {};
	AUTO_TOOL struct tool tool = TOOL_NONE;
	struct tool_ground ground;
	bool shown = options->print || options->json;
	int r = pass_read_config(&pass, invocation, false, f);

	if (r == 0)
		r = resolved_read(invocation->environment, &resolved);
	if (r < 0)
		return r;
	r = sandbox_choose(invocation, &resolved, &pass, f);
	if (r != 0)
		return r;
	if (!shown && (pass.strategy.usable != USABLE_YES || !pass.bwrap))
		return sandbox_refuse(invocation, &pass);
	r = sandbox_ground(invocation, &resolved, &pass, &ground, f);
	if (r == 0)
		r = tool_resolve(options, &ground, &pass.strategy, shown, &tool, f);
	if (r < 0)
		return r;
	if (shown)
		return sandbox_show(invocation, &tool);
	tool.command.signal_mask = invocation->inherited->signal_mask;
	return sandbox_run(&tool.command, f);
}

int command_sandbox(const struct invocation *invocation)
{
	AUTO_TOOL_OPTIONS struct tool_options options = {};
	struct fault f = {};
	int r = tool_options_read(invocation, &options, &f);

	if (r < 0)
		return command_misused(invocation->command, &f);
	r = options.argv[0] ? sandbox_filter(&options, &f) : 0;
	if (r == 0 && sandbox_is_open(&options))
		return open_run(invocation, &options);
	if (r == 0)
		r = sandbox_call(invocation, &options, &f);
	return r < 0 ? command_fail(invocation->command, &f, EXIT_OURS) : r;
}
