/* links: see links.h. */
#include "symlinks/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "init/text.h"
#include "symlinks/entries.h"
#include "symlinks/home.h"
#include "symlinks/rules.h"
#include "symlinks/spec.h"

/* One pass over all entries. */
struct links_pass {
	struct rules rules;
	const char *home_wrong; /* why `~` cannot be used; NULL: it can */
	size_t n_configured;    /* that many of the links came from the INI */
	bool dry_run;
	struct links_report *report;
};

static void links_clear_one(struct link_result *link)
{
	free(link->from);
	free(link->to);
	free(link->path);
	free(link->target);
	free(link->detail);
}

void links_report_clear(struct links_report *report)
{
	for (size_t i = 0; i < report->n_links; i++)
		links_clear_one(&report->links[i]);
	free(report->links);
	free(report->detail);
	*report = (struct links_report){};
}

/* The final word on an entry: its code, and what was found where (empty: nothing to add). */
static int links_settle(struct link_result *link, enum link_code code, struct text *detail)
{
	link->code = code;
	if (detail->length == 0 && detail->error == 0)
		return 0;
	free(link->detail);
	link->detail = text_take(detail);
	return link->detail ? 0 : -ENOMEM;
}

/* Both paths of one entry by the rules; an entry that is refused here has its code set. */
static int links_check(const struct links_pass *pass, struct link_result *link)
{
	AUTO_TEXT struct text path = {};
	AUTO_TEXT struct text target = {};
	AUTO_TEXT struct text detail = {};
	enum link_code from, to;

	if (link->code != LINK_NONE)
		return 0;
	from = rules_from(&pass->rules, link->from, link->from_length, &path);
	to = rules_to(&pass->rules, link->to, link->to_length, &target);
	/* Text alone cannot fail otherwise. */
	if (from == LINK_ERROR || to == LINK_ERROR)
		return -ENOMEM;
	if (from == LINK_NONE)
		link->path = text_take(&path);
	if (to == LINK_NONE)
		link->target = text_take(&target);
	if (from == LINK_HOME_UNUSABLE)
		text_add(&detail, "%s", pass->home_wrong);
	return links_settle(link, from != LINK_NONE ? from : to, &detail);
}

static bool links_is_usable(const struct link_result *link)
{
	return link->code == LINK_NONE;
}

static bool links_is_same(const struct link_result *a, const struct link_result *b)
{
	return links_is_usable(a) && links_is_usable(b) && strcmp(a->path, b->path) == 0;
}

static void links_drop(struct links_report *report, size_t i)
{
	links_clear_one(&report->links[i]);
	memmove(&report->links[i], &report->links[i + 1],
		(report->n_links - i - 1) * sizeof(*report->links));
	report->n_links--;
}

/* The last of one source wins; an entry of the environment silently replaces the INI's. */
static void links_resolve_duplicates(struct links_pass *pass)
{
	struct links_report *report = pass->report;

	for (size_t i = 0; i < report->n_links; i++) {
		bool duplicate = false, replaced = false;

		for (size_t j = i + 1; j < report->n_links; j++) {
			if (!links_is_same(&report->links[i], &report->links[j]))
				continue;
			if ((i < pass->n_configured) == (j < pass->n_configured))
				duplicate = true;
			else
				replaced = true;
		}
		if (replaced) {
			links_drop(report, i--);
			pass->n_configured--;
		} else if (duplicate) {
			report->links[i].code = LINK_DUPLICATE_FROM;
		}
	}
}

/* Earlier links of this pass count even when a dry run did not make them. */
static enum link_code links_check_earlier(const struct links_pass *pass, size_t index,
					  struct text *detail)
{
	const char *path = pass->report->links[index].path;

	for (size_t i = 0; i < index; i++) {
		const struct link_result *earlier = &pass->report->links[i];

		if (!link_code_done(earlier->code))
			continue;
		if (rules_at_or_below(path, earlier->path)) {
			text_escape(detail, earlier->path, strlen(earlier->path));
			text_add(detail, " is a link of an earlier entry");
			return LINK_PARENT_IS_LINK;
		}
		if (rules_at_or_below(earlier->path, path)) {
			text_add(detail, "it is the folder of an earlier entry's link");
			return LINK_OCCUPIED;
		}
	}
	return LINK_NONE;
}

static enum link_code links_place_one(const struct links_pass *pass, const struct link_result *link,
				      struct text *detail)
{
	const struct spec spec = {
		.path = link->path,
		.target = link->target,
		.agent_dir = pass->rules.agent_dir,
		.home = pass->rules.home,
		.dry_run = pass->dry_run,
	};

	return spec_place(&spec, detail);
}

static void links_count(struct links_report *report)
{
	for (size_t i = 0; i < report->n_links; i++) {
		switch (report->links[i].code) {
		case LINK_CREATED:
			report->created++;
			break;
		case LINK_UNCHANGED:
			report->unchanged++;
			break;
		case LINK_REPLACED:
			report->replaced++;
			break;
		default:
			report->refused++;
		}
	}
}

static int links_run(struct links_pass *pass)
{
	struct links_report *report = pass->report;
	int r;

	for (size_t i = 0; i < report->n_links; i++) {
		r = links_check(pass, &report->links[i]);
		if (r < 0)
			return r;
	}
	links_resolve_duplicates(pass);
	for (size_t i = 0; i < report->n_links; i++) {
		AUTO_TEXT struct text detail = {};
		enum link_code code;

		if (!links_is_usable(&report->links[i]))
			continue;
		code = links_check_earlier(pass, i, &detail);
		if (code == LINK_NONE)
			code = links_place_one(pass, &report->links[i], &detail);
		r = links_settle(&report->links[i], code, &detail);
		if (r < 0)
			return r;
	}
	links_count(report);
	return 0;
}

/* The entries of both sources, the INI's first. */
static int links_read(const struct links_request *request, struct links_report *report)
{
	for (size_t i = 0; i < request->n_configured; i++) {
		int r = entries_add(report, request->configured[i].from, request->configured[i].to);

		if (r < 0)
			return r;
	}
	return request->value && request->value[0] ? entries_read(request->value, report) : 0;
}

/* Without a usable agent folder no entry has a target. */
static int links_refuse_all(struct links_report *report, const char *agent_dir)
{
	for (size_t i = 0; i < report->n_links; i++) {
		AUTO_TEXT struct text detail = {};
		int r;

		if (!links_is_usable(&report->links[i]))
			continue;
		text_add(&detail, "the agent folder \"");
		text_escape(&detail, agent_dir ? agent_dir : "",
			    strlen(agent_dir ? agent_dir : ""));
		text_add(&detail, "\" is not an absolute path without \"..\", or too long");
		r = links_settle(&report->links[i], LINK_ERROR, &detail);
		if (r < 0)
			return r;
	}
	links_count(report);
	return 0;
}

static int links_fill(const struct links_request *request, struct links_report *report)
{
	AUTO_TEXT struct text agent_dir = {};
	AUTO_TEXT struct text home = {};
	AUTO_TEXT struct text self = {};
	AUTO_TEXT struct text wrong = {};
	struct links_pass pass = { .dry_run = request->dry_run, .report = report };
	int r = links_read(request, report);

	if (r < 0)
		return r;
	if (report->n_links == 0)
		return 0;
	if (!request->agent_dir || request->agent_dir[0] != '/' ||
	    rules_normalise(request->agent_dir, strlen(request->agent_dir), &agent_dir) < 0)
		return agent_dir.error == -ENOMEM ? -ENOMEM
						  : links_refuse_all(report, request->agent_dir);
	pass.rules.agent_dir = agent_dir.data;
	pass.n_configured = request->n_configured;
	if (home_read(request->home, agent_dir.data, &home, &wrong) == 0)
		pass.rules.home = home.data;
	else if (text_error(&wrong) < 0)
		return wrong.error;
	else
		pass.home_wrong = wrong.data;
	if (request->self && rules_normalise(request->self, strlen(request->self), &self) == 0)
		pass.rules.self = self.data;
	return links_run(&pass);
}

int links_place(const struct links_request *request, struct links_report *ret, struct fault *f)
{
	AUTO_LINKS struct links_report report = {};
	int r = links_fill(request, &report);

	if (r < 0)
		return fault_set(f, r, "read the configured links");
	*ret = report;
	report = (struct links_report){};
	return 0;
}
