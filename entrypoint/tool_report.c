/* tool_report: the resolved policy of a tool call, for people and for programs.  See tool.h. */
#include <jansson.h>
#include <string.h>

#include "entrypoint/tool.h"
#include "init/own.h"

#define TOOL_SCHEMA "typeclaw.sandbox/1"

static json_t *json_path(const char *path)
{
	AUTO_TEXT struct text shown = {};

	if (!path)
		return json_null();
	if (text_is_utf8(path, strlen(path)))
		return json_string(path);
	text_escape(&shown, path, strlen(path));
	return text_error(&shown) < 0 ? NULL : json_string(shown.data);
}

static void add_taken(const struct zones *zones, enum zone_kind kind, json_t *list)
{
	for (size_t i = 0; i < zones->n; i++) {
		const struct zone *zone = &zones->list[i];

		if (zone->verdict == ZONE_TAKEN && zone->kind == kind)
			json_array_append_new(list, json_path(zone->path));
	}
}

/* {"dirs": [...], "files": [...]} of one or two lists. */
static json_t *zones_pack(const struct zones *zones, const struct zones *more)
{
	json_t *dirs = json_array();
	json_t *files = json_array();

	add_taken(zones, ZONE_DIRECTORY, dirs);
	add_taken(zones, ZONE_FILE, files);
	if (more) {
		add_taken(more, ZONE_DIRECTORY, dirs);
		add_taken(more, ZONE_FILE, files);
	}
	return json_pack("{s:o, s:o}", "dirs", dirs, "files", files);
}

static json_t *dropped_pack(const struct zones *zones)
{
	json_t *list = json_array();

	for (size_t i = 0; i < zones->n; i++) {
		const struct zone *zone = &zones->list[i];

		if (zone->verdict != ZONE_TAKEN && zone->verdict != ZONE_DUPLICATE)
			json_array_append_new(list, json_pack("{s:o, s:s}", "path",
							      json_path(zone->path), "reason",
							      zone_verdict_name(zone->verdict)));
	}
	return list;
}

static json_t *links_pack(const struct homelinks *links)
{
	json_t *list = json_array();

	for (size_t i = 0; i < links->n; i++) {
		const struct homelink *link = &links->list[i];

		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:s}", "from",
						      json_path(link->from), "path",
						      json_path(link->path), "target",
						      json_path(link->target), "result",
						      homelink_verdict_name(link->verdict)));
	}
	return list;
}

static json_t *session_pack(const struct tool *tool)
{
	AUTO_TEXT struct text path = {};

	if (!tool->options->session)
		return json_null();
	text_add(&path, SESSION_ROOT "/%s", tool->options->session);
	return text_error(&path) < 0 ? NULL : json_string(path.data);
}

static const char *network_name(enum sandbox_network network)
{
	return network == SANDBOX_NETWORK_INHERIT ? "inherit" : "none";
}

/* NULL for --see: then there is no role. */
static const char *role_name(const struct tool_options *options)
{
	return options->see_given ? NULL : policy_role_name(options->role);
}

static json_t *name_or_null(const char *name)
{
	return name ? json_string(name) : json_null();
}

static json_t *see_pack(unsigned int see)
{
	json_t *list = json_array();

	if (see & SEE_PRIVATE)
		json_array_append_new(list, json_string("private"));
	if (see & SEE_SECRETS)
		json_array_append_new(list, json_string("secrets"));
	return list;
}

static json_t *install_pack(const struct install *install)
{
	return json_pack("{s:b, s:s, s:o}", "writable_root", install->verdict == INSTALL_TAKEN,
			 "result", install_verdict_name(install->verdict), "because_of",
			 json_path(install->culprit));
}

char *tool_write_json(const struct tool *tool)
{
	const struct tool_options *options = tool->options;
	const struct strategy *strategy = tool->strategy;
	const struct policy *policy = &tool->policy;
	bool profile = options->profile != PROFILE_NONE;
	AUTO_TEXT struct text line = {};
	AUTO_FREE char *bytes = NULL;
	json_t *root = json_pack(
		"{s:s, s:b, s:o, s:o, s:o, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
		" s:o, s:o, s:b, s:b}",
		"schema", TOOL_SCHEMA, "sandboxed", 1, "role", name_or_null(role_name(options)),
		"see", see_pack(options->see), "profile",
		name_or_null(profile ? profile_name(options->profile) : NULL), "strategy",
		sandbox_proc_name(strategy->proc), "reason",
		name_or_null(strategy_reason_name(strategy->reason)), "usable",
		sandbox_usable_name(strategy->usable), "network",
		network_name(tool->command.network), "agent_dir", json_path(policy->ground.path),
		"cwd", json_path(tool->cwd), "session_tmp", session_pack(tool), "hidden",
		zones_pack(&policy->hidden, NULL), "writable",
		zones_pack(&policy->writable, &policy->install.writable), "protected",
		zones_pack(&policy->install.protected, NULL), "dropped",
		dropped_pack(&policy->writable), "links", links_pack(&tool->links), "install",
		install_pack(&policy->install), "deny_syscalls", options->deny_syscalls,
		"hide_pids", options->hide_pids);

	bytes = root ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	if (!bytes)
		return NULL;
	text_add(&line, "%s\n", bytes);
	return text_take(&line);
}

static void write_path(struct text *t, const char *label, const char *path, const char *reason)
{
	text_add(t, "%-12s", label);
	text_escape(t, path, strlen(path));
	text_add(t, "%s%s\n", reason ? "  " : "", reason ? reason : "");
}

static void write_zones(struct text *t, const char *label, const struct zones *zones)
{
	for (size_t i = 0; i < zones->n; i++) {
		const struct zone *zone = &zones->list[i];

		if (zone->verdict == ZONE_TAKEN)
			write_path(t, label, zone->path, NULL);
	}
}

static void write_dropped(struct text *t, const struct zones *zones)
{
	for (size_t i = 0; i < zones->n; i++) {
		const struct zone *zone = &zones->list[i];

		if (zone->verdict != ZONE_TAKEN && zone->verdict != ZONE_DUPLICATE)
			write_path(t, "dropped", zone->path, zone_verdict_name(zone->verdict));
	}
}

static void write_links(struct text *t, const struct homelinks *links)
{
	for (size_t i = 0; i < links->n; i++) {
		const struct homelink *link = &links->list[i];

		write_path(t, "link", link->from, homelink_verdict_name(link->verdict));
	}
}

/* What an option costs stands beside it, so that nobody turns it on unawares. */
static void write_tightening(struct text *t, const struct tool_options *options)
{
	if (options->deny_syscalls)
		text_add(t, "%-12s%s\n", "denied", "calls; costs: " TIGHTEN_SYSCALLS_COST);
	if (options->hide_pids)
		text_add(t, "%-12s%s\n", "denied", "pids; costs: " TIGHTEN_PIDS_COST);
	if (options->n_limits)
		text_add(t, "%-12s%s\n", "denied", "limits; costs: " TIGHTEN_LIMIT_COST);
}

void tool_write_text(const struct tool *tool, struct text *t)
{
	const struct tool_options *options = tool->options;
	const struct policy *policy = &tool->policy;
	const char *role = role_name(options);

	if (options->profile != PROFILE_NONE)
		text_add(t, "%-12s%s\n", "profile", profile_name(options->profile));
	else
		text_add(t, "%-12s%s\n", "role", role ? role : "by --see");
	text_add(t, "%-12s%s\n", "strategy", sandbox_proc_name(tool->strategy->proc));
	text_add(t, "%-12s%s\n", "usable", sandbox_usable_name(tool->strategy->usable));
	text_add(t, "%-12s%s\n", "network", network_name(tool->command.network));
	write_path(t, "starts in", tool->cwd, NULL);
	if (options->session)
		text_add(t, "%-12s%s/%s\n", "/tmp is", SESSION_ROOT, options->session);
	write_path(t, policy->install.verdict == INSTALL_TAKEN ? "writable" : "read-only",
		   policy->ground.path, NULL);
	if (policy->install.culprit)
		write_path(t, "no install", policy->install.culprit,
			   install_verdict_name(policy->install.verdict));
	write_zones(t, "protected", &policy->install.protected);
	write_zones(t, "hidden", &policy->hidden);
	write_zones(t, "writable", &policy->install.writable);
	write_zones(t, "writable", &policy->writable);
	write_dropped(t, &policy->writable);
	write_links(t, &tool->links);
	write_tightening(t, options);
}
