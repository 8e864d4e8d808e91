/* command_probe: facts and probes, with retry; nothing is written anywhere. */
#include <errno.h>
#include <string.h>

#include "entrypoint/pass.h"
#include "init/own.h"

static void finding_write(const char *name, const struct probe_finding *finding, struct text *t)
{
	text_add(t, "%-10s %s", name, probe_verdict_name(finding->verdict));
	if (finding->verdict == PROBE_SKIPPED) {
		text_add(t, "\n");
		return;
	}
	if (finding->cause != CAUSE_NONE)
		text_add(t, ", %s", probe_cause_name(finding->cause));
	text_add(t, "; %u %s, %llu ms", finding->attempts,
		 finding->attempts == 1 ? "attempt" : "attempts",
		 (unsigned long long)finding->elapsed_ms);
	text_add(t, "%s%s\n", finding->evidence[0] ? ": " : "", finding->evidence);
	for (size_t i = 0; i < finding->n_checks; i++) {
		const struct probe_check *check = &finding->checks[i];

		text_add(t, "  %-6s %s", check->ok ? "ok" : "failed", check->id);
		if (check->error)
			text_add(t, ", %s", strerrorname_np(check->error));
		text_add(t, "%s%s\n", check->detail[0] ? ": " : "", check->detail);
	}
}

static int probe_print(const struct invocation *invocation, const struct pass *pass)
{
	const char *reason = strategy_reason_name(pass->strategy.reason);
	AUTO_TEXT struct text t = {};
	AUTO_FREE char *json = NULL;

	if (arguments_has(invocation->arguments, OPTION_JSON)) {
		json = document_write_probe(&pass->strategy, &pass->findings);
		text_add(&t, "%s", json ? json : "");
		t.error = json ? t.error : -ENOMEM;
		return command_print(invocation->command, &t);
	}
	finding_write("real-proc", &pass->findings.real_proc, &t);
	finding_write("proc-bind", &pass->findings.proc_bind, &t);
	if (pass->findings.tmpfs.verdict != PROBE_SKIPPED)
		finding_write("tmpfs", &pass->findings.tmpfs, &t);
	text_add(&t, "%-10s %s%s%s; sandbox usable: %s\n", "strategy",
		 sandbox_proc_name(pass->strategy.proc), reason ? ", " : "", reason ? reason : "",
		 sandbox_usable_name(pass->strategy.usable));
	return command_print(invocation->command, &t);
}

static int verdict_status(enum probe_verdict verdict)
{
	switch (verdict) {
	case PROBE_SAFE:
	case PROBE_AVAILABLE:
		return EXIT_OK;
	case PROBE_UNSAFE:
		return EXIT_UNSAFE;
	case PROBE_UNAVAILABLE:
		return EXIT_UNAVAILABLE;
	default:
		return EXIT_INCONCLUSIVE;
	}
}

int command_probe(const struct invocation *invocation)
{
	const char *named = invocation->arguments->rest[0];
	bool real_proc = named && strcmp(named, "real-proc") == 0;
	bool proc_bind = named && strcmp(named, "proc-bind") == 0;
	AUTO_PASS struct pass pass = {};
	struct fault f = {};
	int r;

	if (invocation->arguments->n_rest > 1 || (named && !real_proc && !proc_bind)) {
		fault_say(&f, -EINVAL, "probe takes real-proc, proc-bind, or nothing");
		return command_misused(invocation->command, &f);
	}
	if (pass_read_config(&pass, invocation, false, &f) < 0 || pass_read_facts(&pass, &f) < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	if (named)
		r = pass_probe(&pass, real_proc, proc_bind, &f);
	else
		r = pass_probe(&pass, pass.config.real_proc, true, &f);
	if (r > 0)
		return 128 + r;
	if (r < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	r = probe_print(invocation, &pass);
	if (r != EXIT_OK)
		return r;
	return real_proc ? verdict_status(pass.findings.real_proc.verdict) :
	       proc_bind ? verdict_status(pass.findings.proc_bind.verdict) :
			   strategy_status(pass.strategy.proc, pass.strategy.reason);
}
