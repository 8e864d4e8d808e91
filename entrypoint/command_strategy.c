/*
 * command_strategy: what the boot resolved.  --refresh probes again when it says `unverified`
 * and rewrites the record; the sealed descriptor never changes.
 */
#include <errno.h>
#include <string.h>

#include "entrypoint/pass.h"
#include "entrypoint/record.h"
#include "entrypoint/resolved.h"
#include "init/own.h"

static int strategy_print(const struct invocation *invocation, const char *document,
			  enum sandbox_proc proc, enum strategy_reason reason)
{
	AUTO_TEXT struct text t = {};
	int status;

	if (arguments_has(invocation->arguments, OPTION_JSON))
		text_add(&t, "%s", document);
	else
		text_add(&t, "%s\n", sandbox_proc_name(proc));
	status = command_print(invocation->command, &t);
	return status == EXIT_OK ? strategy_status(proc, reason) : status;
}

/* Probes as the boot did; the document keeps the boot's init, so that readers still believe it. */
static int strategy_refresh(const struct invocation *invocation, const struct resolved *resolved)
{
	const struct document *old = &resolved->document;
	AUTO_PASS struct pass pass = {};
	AUTO_FREE char *document = NULL;
	struct fault f = {};
	int r;

	if (pass_read_config(&pass, invocation, false, &f) < 0 || pass_read_facts(&pass, &f) < 0 ||
	    pass_place_links(&pass, true, &f) < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	pass.identity = old->identity;
	pass.config.agent_dir = old->agent_dir;
	pass.config.network = old->network;
	pass.config.real_proc = old->real_proc_asked;
	r = pass_probe(&pass, old->real_proc_asked, true, &f);
	if (r > 0)
		return 128 + r;
	if (r == 0)
		document = pass_write_document(&pass);
	if (r < 0 || !document) {
		fault_set(&f, r < 0 ? r : -ENOMEM, "probe again");
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	}
	r = record_write(document, strlen(document));
	if (r < 0) {
		fault_set(&f, r, "rewrite " RECORD_PATH);
		command_fail(invocation->command, &f, EXIT_NOT_RUN);
	}
	return strategy_print(invocation, document, pass.strategy.proc, pass.strategy.reason);
}

int command_strategy(const struct invocation *invocation)
{
	AUTO_RESOLVED struct resolved resolved = {};
	struct fault f = {};

	if (invocation->arguments->n_rest > 0) {
		fault_say(&f, -EINVAL, "strategy takes no further words");
		return command_misused(invocation->command, &f);
	}
	if (resolved_read(invocation->environment, &resolved) < 0 ||
	    resolved.source == RESOLVED_NOWHERE) {
		fault_say(&f, -ENOENT,
			  "no strategy document: neither an inherited descriptor nor a boot record");
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	}
	if (arguments_has(invocation->arguments, OPTION_REFRESH) &&
	    resolved.document.reason == REASON_UNVERIFIED)
		return strategy_refresh(invocation, &resolved);
	return strategy_print(invocation, resolved.bytes, resolved.document.proc,
			      resolved.document.reason);
}
