/* report: see report.h. */
#include "entrypoint/report.h"

#include <errno.h>

#include "entrypoint/doctor.h"
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

/* The narrowest change for who runs this container; NULL where that is not known. */
static const struct fix *first_fix(const struct catalogue_row *row, const struct host_facts *host)
{
	if (host->engine == ENGINE_UNKNOWN && !host->kubernetes)
		return NULL;
	for (const struct fix *fix = row->fixes; fix->target; fix++)
		if (doctor_fix_fits(fix, host))
			return fix;
	return NULL;
}

static void report_check(const struct log *log, const struct pass *pass,
			 const struct doctor_row *check, const struct doctor_result *result)
{
	const struct fix *fix = result->row ? first_fix(result->row, &pass->host) : NULL;

	log_line(log, LINE_WARNING, "%s: %s (%s)%s%s%s%s", check->title, result->summary,
		 doctor_cause(result) ? doctor_cause(result) : "?", fix ? "; fix, " : "",
		 fix ? fix->target : "", fix ? ": " : "", fix ? fix->change : "");
}

void report_strategy(const struct log *log, const struct pass *pass)
{
	const struct doctor_bwrap bwrap = { .error = pass->bwrap ? 0 : -ENOENT };
	const struct doctor_input input = {
		.pass = pass,
		.host = &pass->host,
		.bwrap = &bwrap,
		.source = DOCTOR_PROBED,
	};
	AUTO_FREE struct doctor_report *report = malloc(sizeof(*report));
	const struct strategy *strategy = &pass->strategy;
	const char *reason = strategy_reason_name(strategy->reason);
	unsigned int links = pass->links.created + pass->links.unchanged + pass->links.replaced;

	if (report)
		doctor_judge_boot(&input, report);
	log_line(log, LINE_INFO, "%s%sstrategy %s%s%s; %u link%s%s", report ? report->headline : "",
		 report ? "; " : "", sandbox_proc_name(strategy->proc), reason ? ", " : "",
		 reason ? reason : "", links, links == 1 ? "" : "s",
		 report && doctor_overall(report) != DOCTOR_OK ? "; see `typeclaw-init doctor`"
							       : "");
	for (size_t i = 0; report && i < DOCTOR_CHECKS; i++)
		if (doctor_cause(&report->results[i]) && !doctor_told_before(report, i))
			report_check(log, pass, doctor_row((enum doctor_check)i),
				     &report->results[i]);
}
