/* report: see report.h. */
#include "entrypoint/report.h"

#include "init/own.h"

void report_link(const struct link_result *link, struct text *t)
{
	text_add(t, "\"");
	text_escape(t, link->from ? link->from : "?", link->from ? link->from_length : 1);
	text_add(t, "\" -> \"");
	text_escape(t, link->to ? link->to : "?", link->to ? link->to_length : 1);
	text_add(t, "\": %s", link_code_name(link->code));
	if (link->detail)
		text_add(t, " (%s)", link->detail);
}

void report_links(const struct log *log, const struct links_report *links)
{
	if (links->code)
		log_line(log, LINE_WARNING, "no links: TYPECLAW_SANDBOX_SYMLINKS: %s%s%s",
			 link_code_name(links->code), links->detail ? ": " : "",
			 links->detail ? links->detail : "");
	for (size_t i = 0; i < links->n_links; i++) {
		const struct link_result *link = &links->links[i];
		AUTO_TEXT struct text t = {};

		report_link(link, &t);
		if (text_error(&t))
			continue;
		if (link_code_done(link->code))
			log_line(log, LINE_DEBUG, "link %s", t.data);
		else
			log_line(log, LINE_WARNING, "no link %s", t.data);
	}
}

void report_strategy(const struct log *log, const struct pass *pass)
{
	const struct strategy *strategy = &pass->strategy;
	const struct decision seccomp =
		seccomp_decide(&pass->facts, strategy, &pass->findings);
	const struct decision sys_admin = sys_admin_decide(&pass->facts, pass->config.real_proc);
	const char *reason = strategy_reason_name(strategy->reason);
	unsigned int links = pass->links.created + pass->links.unchanged + pass->links.replaced;

	log_line(log, LINE_INFO, "strategy %s%s%s: %s; sandbox usable: %s; %u link%s",
		 sandbox_proc_name(strategy->proc), reason ? ", " : "", reason ? reason : "",
		 strategy->because, sandbox_usable_name(strategy->usable), links,
		 links == 1 ? "" : "s");
	if (strategy->reason == REASON_DEFINITIVE)
		log_line(log, LINE_WARNING, "showing /proc is unsafe here (%s): sandboxed tools get "
			 "an empty /proc for as long as this container runs",
			 probe_cause_name(pass->findings.proc_bind.cause));
	if (strategy->usable != USABLE_YES)
		log_line(log, LINE_WARNING, "the sandbox %s: %s; tool calls will be refused",
			 strategy->usable == USABLE_NO ? "cannot run here" : "was not proven to run",
			 probe_cause_name(strategy->usable_cause));
	if (strategy->usable == USABLE_NO && pass->facts.seccomp_mode == SECCOMP_FILTER)
		log_line(log, LINE_WARNING, "seccomp %s: %s", seccomp.word, seccomp.because);
	if (pass->config.real_proc && strategy->proc != SANDBOX_PROC_REAL)
		log_line(log, LINE_WARNING, "real-proc was asked for and is not to be had: %s; "
			 "CAP_SYS_ADMIN: %s",
			 probe_cause_name(pass->findings.real_proc.cause), sys_admin.word);
	else if (!pass->config.real_proc && facts_capable(&pass->facts, FACT_CAP_SYS_ADMIN))
		log_line(log, LINE_INFO, "%s", sys_admin.because);
}
