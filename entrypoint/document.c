/* document: see document.h. */
#include "entrypoint/document.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/random.h>

#include "init/own.h"

#define DOCUMENT_SCHEMA "typeclaw.strategy/1"

static void json_release(json_t **json)
{
	json_decref(*json);
}

#define AUTO_JSON __attribute__((cleanup(json_release)))

/* jansson would open /dev/urandom, without CLOEXEC, for the seed of its hash tables. */
static void document_seed(void)
{
	size_t seed = 1;

	(void)!getrandom(&seed, sizeof(seed), GRND_NONBLOCK);
	json_object_seed(seed ? seed : 1);
}

/* A string that may hold anything: as it is when it is UTF-8, else escaped; NULL is null. */
static json_t *json_foreign(const char *bytes, size_t length)
{
	AUTO_TEXT struct text shown = {};

	if (!bytes)
		return json_null();
	if (text_is_utf8(bytes, length))
		return json_stringn(bytes, length);
	text_escape(&shown, bytes, length);
	return text_error(&shown) ? NULL : json_string(shown.data);
}

static json_t *json_text(const char *string)
{
	return json_foreign(string, string ? strlen(string) : 0);
}

static json_t *json_errno(int error)
{
	return error ? json_integer(error) : json_null();
}

static json_t *json_name_or_null(const char *name)
{
	return name ? json_string(name) : json_null();
}

/* Compact, one line, newline; takes the reference. */
static char *document_dump(json_t *json)
{
	AUTO_JSON __attribute__((unused)) json_t *owned = json;
	AUTO_FREE char *line = json ? json_dumps(json, JSON_COMPACT) : NULL;
	AUTO_TEXT struct text t = {};

	if (!line)
		return NULL;
	text_add(&t, "%s\n", line);
	return text_take(&t);
}

static json_t *finding_pack(const struct probe_finding *finding)
{
	if (finding->verdict == PROBE_SKIPPED)
		return json_pack("{s:s}", "verdict", probe_verdict_name(finding->verdict));
	return json_pack("{s:s, s:s, s:o, s:o, s:i, s:I}", "verdict",
			 probe_verdict_name(finding->verdict), "cause",
			 probe_cause_name(finding->cause), "errno", json_errno(finding->error),
			 "evidence", json_text(finding->evidence), "attempts",
			 (int)finding->attempts, "elapsed_ms", (json_int_t)finding->elapsed_ms);
}

static json_t *finding_pack_with_checks(const struct probe_finding *finding)
{
	json_t *checks = json_array();

	for (size_t i = 0; i < finding->n_checks; i++) {
		const struct probe_check *check = &finding->checks[i];

		json_array_append_new(
			checks,
			json_pack("{s:s, s:b, s:o, s:o}", "id", check->id, "ok", check->ok, "errno",
				  json_errno(check->error), "detail",
				  check->detail[0] ? json_text(check->detail) : json_null()));
	}
	if (finding->verdict == PROBE_SKIPPED)
		return json_pack("{s:s, s:o}", "verdict", probe_verdict_name(finding->verdict),
				 "checks", checks);
	return json_pack("{s:s, s:s, s:o, s:o, s:i, s:I, s:o}", "verdict",
			 probe_verdict_name(finding->verdict), "cause",
			 probe_cause_name(finding->cause), "errno", json_errno(finding->error),
			 "evidence", json_text(finding->evidence), "attempts",
			 (int)finding->attempts, "elapsed_ms", (json_int_t)finding->elapsed_ms,
			 "checks", checks);
}

static json_t *links_pack_counts(const struct links_report *report)
{
	return json_pack("{s:i, s:i, s:i, s:i}", "created", (int)report->created, "unchanged",
			 (int)report->unchanged, "replaced", (int)report->replaced, "refused",
			 (int)report->refused);
}

/* The links that are there and right, as `from` and `to` were written. */
static json_t *links_pack_done(const struct links_report *report)
{
	json_t *links = json_array();

	for (size_t i = 0; i < report->n_links; i++) {
		const struct link_result *link = &report->links[i];

		if (link_code_done(link->code))
			json_array_append_new(
				links, json_pack("{s:o, s:o}", "from",
						 json_foreign(link->from, link->from_length), "to",
						 json_foreign(link->to, link->to_length)));
	}
	return links;
}

static json_t *sandbox_pack(const struct document_source *source)
{
	const struct config *config = source->config;
	json_t *paths = json_array();

	for (size_t i = 0; i < config->n_writable_paths; i++)
		json_array_append_new(paths, json_text(config->writable_paths[i]));
	return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o}", "usable",
			 sandbox_usable_name(source->strategy->usable), "cause",
			 probe_cause_name(source->strategy->usable_cause), "bwrap",
			 json_text(source->bwrap), "network",
			 config->network == SANDBOX_NETWORK_INHERIT ? "inherit" : "none",
			 "agent_dir", json_text(config->agent_dir), "home", json_text(config->home),
			 "writable_paths", paths, "links", links_pack_done(source->links));
}

static json_t *identity_pack(const struct identity *identity)
{
	return json_pack("{s:s, s:i, s:I, s:I}", "version", VERSION, "pid", (int)identity->pid,
			 "start_ticks", (json_int_t)identity->start_ticks, "pid_ns",
			 (json_int_t)identity->pid_ns);
}

char *document_write(const struct document_source *source)
{
	const struct strategy *strategy = source->strategy;
	const struct facts *facts = source->facts;
	bool asked = source->config->real_proc;
	struct decision seccomp = seccomp_decide(facts, strategy, source->findings);
	struct decision sys_admin = sys_admin_decide(facts, asked);

	document_seed();
	return document_dump(json_pack(
		"{s:s, s:o, s:s, s:o, s:o, s:b, s:{s:b}, s:{s:o, s:o}, s:o,"
		" s:{s:s, s:i, s:b, s:s, s:s}, s:{s:b, s:b, s:b, s:s, s:s}, s:o}",
		"schema", DOCUMENT_SCHEMA, "init", identity_pack(source->identity), "strategy",
		sandbox_proc_name(strategy->proc), "reason",
		json_name_or_null(strategy_reason_name(strategy->reason)), "because",
		json_text(strategy->because), "retry_helps", strategy->retry_helps, "requested",
		"real_proc", asked, "probes", "real_proc",
		finding_pack(&source->findings->real_proc), "proc_bind",
		finding_pack(&source->findings->proc_bind), "sandbox", sandbox_pack(source),
		"seccomp", "mode", seccomp_mode_name(facts->seccomp_mode), "filters",
		(int)facts->seccomp_filters, "no_new_privs", facts->no_new_privs, "decision",
		seccomp.word, "because", seccomp.because, "sys_admin", "requested", asked,
		"effective", facts_capable(facts, FACT_CAP_SYS_ADMIN), "bounding",
		(int)(facts->capabilities.bounding >> FACT_CAP_SYS_ADMIN & 1), "decision",
		sys_admin.word, "because", sys_admin.because, "symlinks",
		links_pack_counts(source->links)));
}

static json_t *link_pack(size_t index, const struct link_result *link)
{
	return json_pack("{s:I, s:o, s:o, s:s, s:o, s:o, s:o}", "index", (json_int_t)index, "from",
			 json_foreign(link->from, link->from_length), "to",
			 json_foreign(link->to, link->to_length), "result",
			 link_code_name(link->code), "path", json_text(link->path), "target",
			 json_text(link->target), "detail", json_text(link->detail));
}

char *document_write_links(const struct links_report *report)
{
	json_t *links = json_array();

	document_seed();
	for (size_t i = 0; i < report->n_links; i++)
		json_array_append_new(links, link_pack(i, &report->links[i]));
	return document_dump(
		json_pack("{s:s, s:o, s:o, s:o}", "schema", "typeclaw.links/1", "code",
			  json_name_or_null(report->code ? link_code_name(report->code) : NULL),
			  "links", links, "counts", links_pack_counts(report)));
}

char *document_write_probe(const struct strategy *strategy, const struct findings *findings)
{
	document_seed();
	return document_dump(
		json_pack("{s:s, s:s, s:o, s:{s:o, s:o}}", "schema", "typeclaw.probe/1", "strategy",
			  sandbox_proc_name(strategy->proc), "reason",
			  json_name_or_null(strategy_reason_name(strategy->reason)), "probes",
			  "real_proc", finding_pack_with_checks(&findings->real_proc), "proc_bind",
			  finding_pack_with_checks(&findings->proc_bind)));
}

void document_clear(struct document *document)
{
	free(document->bwrap);
	free(document->agent_dir);
	free(document->because);
	for (size_t i = 0; i < document->n_writable_paths; i++)
		free(document->writable_paths[i]);
	for (size_t i = 0; i < document->n_links; i++) {
		free(document->links[i].from);
		free(document->links[i].to);
	}
	*document = (struct document){};
}

/* The index of `word` among `n` names; -1 when it is none. */
static int word_index(const char *word, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(word, names[i]) == 0)
			return i;
	return -1;
}

static int document_read_words(struct document *document, const char *strategy, const char *reason,
			       const char *usable, const char *network)
{
	static const char *const usables[] = { "unknown", "no", "yes" };
	static const char *const reasons[] = { "", "definitive", "unverified" };
	static const char *const networks[] = { "none", "inherit" };
	const char *const procs[] = { sandbox_proc_name(SANDBOX_PROC_TMPFS),
				      sandbox_proc_name(SANDBOX_PROC_BIND),
				      sandbox_proc_name(SANDBOX_PROC_REAL) };
	int proc_index = word_index(strategy, procs, 3);
	int reason_index = word_index(reason, reasons, 3);
	int usable_index = word_index(usable, usables, 3);
	int network_index = word_index(network, networks, 2);

	if (proc_index < 0 || reason_index < 0 || usable_index < 0 || network_index < 0)
		return -EINVAL;
	/* tmpfs always has a reason, the others never; a stronger shape that held is usable. */
	if ((proc_index == SANDBOX_PROC_TMPFS) != (reason_index != REASON_NONE))
		return -EINVAL;
	if (proc_index != SANDBOX_PROC_TMPFS && usable_index != USABLE_YES)
		return -EINVAL;
	document->proc = (enum sandbox_proc)proc_index;
	document->reason = (enum strategy_reason)reason_index;
	document->usable = (enum sandbox_usable)usable_index;
	document->network = (enum sandbox_network)network_index;
	return 0;
}

/* A copy of a JSON string; -EINVAL for anything else. */
static int string_read(const json_t *json, char **ret)
{
	if (!json_is_string(json))
		return -EINVAL;
	*ret = strdup(json_string_value(json));
	return *ret ? 0 : -ENOMEM;
}

static int document_read_paths(json_t *paths, struct document *document)
{
	const json_t *path;
	size_t i;
	int r = 0;

	if (!json_is_array(paths) || json_array_size(paths) > CONFIG_PATHS_MAX)
		return -EINVAL;
	json_array_foreach(paths, i, path)
	{
		r = string_read(path, &document->writable_paths[i]);
		if (r < 0)
			return r;
		document->n_writable_paths++;
	}
	return 0;
}

static int document_read_links(json_t *links, struct document *document)
{
	const json_t *link;
	size_t i;

	if (!json_is_array(links) || json_array_size(links) > CONFIG_LINKS_MAX)
		return -EINVAL;
	json_array_foreach(links, i, link)
	{
		struct document_link *into = &document->links[document->n_links++];
		int r = string_read(json_object_get(link, "from"), &into->from);

		if (r == 0)
			r = string_read(json_object_get(link, "to"), &into->to);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What a tool call needs beside the strategy: json_unpack() has no words for lists. */
static int document_read_lists(const json_t *root, struct document *document)
{
	const json_t *sandbox = json_object_get(root, "sandbox");
	int r = document_read_paths(json_object_get(sandbox, "writable_paths"), document);

	if (r == 0)
		r = document_read_links(json_object_get(sandbox, "links"), document);
	if (r == 0)
		r = string_read(json_object_get(root, "because"), &document->because);
	return r;
}

static int document_read_json(json_t *root, struct document *document)
{
	const char *schema, *strategy, *usable, *cause, *network, *agent_dir;
	json_t *reason, *bwrap;
	json_int_t start_ticks, pid_ns;
	int asked;
	int pid;

	if (json_unpack(root,
			"{s:s, s:s, s:o, s:{s:i, s:I, s:I}, s:{s:b}, s:{s:s, s:s, s:s, s:o, s:s}}",
			"schema", &schema, "strategy", &strategy, "reason", &reason, "init", "pid",
			&pid, "start_ticks", &start_ticks, "pid_ns", &pid_ns, "requested",
			"real_proc", &asked, "sandbox", "usable", &usable, "cause", &cause,
			"network", &network, "bwrap", &bwrap, "agent_dir", &agent_dir) < 0)
		return -EINVAL;
	if (!probe_cause_parse(cause, &document->usable_cause))
		return -EINVAL;
	if (strcmp(schema, DOCUMENT_SCHEMA) != 0 || agent_dir[0] != '/')
		return -EINVAL;
	if (!json_is_null(reason) && !json_is_string(reason))
		return -EINVAL;
	if (!json_is_null(bwrap) && !json_is_string(bwrap))
		return -EINVAL;
	document->identity = (struct identity){ pid, (uint64_t)start_ticks, (uint64_t)pid_ns };
	document->real_proc_asked = asked;
	if (json_is_string(bwrap)) {
		document->bwrap = strdup(json_string_value(bwrap));
		if (!document->bwrap)
			return -ENOMEM;
	}
	document->agent_dir = strdup(agent_dir);
	if (!document->agent_dir)
		return -ENOMEM;
	return document_read_words(document, strategy,
				   json_is_string(reason) ? json_string_value(reason) : "", usable,
				   network);
}

int document_read(const char *bytes, size_t length, struct document *ret)
{
	AUTO_DOCUMENT struct document document = {};
	AUTO_JSON json_t *root = NULL;
	int r;

	document_seed();
	root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
	if (!root)
		return -EINVAL;
	r = document_read_json(root, &document);
	if (r == 0)
		r = document_read_lists(root, &document);
	if (r < 0)
		return r;
	*ret = document;
	document = (struct document){};
	return 0;
}

/* Waiting could have changed it; every other cause of no verdict is the kernel's last word. */
static bool cause_is_load(enum probe_cause cause)
{
	return cause == CAUSE_TIMEOUT || cause == CAUSE_SENTINEL_DIED ||
	       cause == CAUSE_CONTROL_FAILED || cause == CAUSE_SETUP_FAILED ||
	       cause == CAUSE_RESOURCE;
}

static int finding_read(json_t *json, struct probe_finding *ret)
{
	struct probe_finding finding = {};
	const char *verdict, *cause = "none", *evidence = "";
	json_t *error = NULL;
	json_int_t elapsed_ms = 0;
	int attempts = 0;

	if (json_unpack(json, "{s:s, s?s, s?o, s?s, s?i, s?I}", "verdict", &verdict, "cause",
			&cause, "errno", &error, "evidence", &evidence, "attempts", &attempts,
			"elapsed_ms", &elapsed_ms) < 0 ||
	    !probe_verdict_parse(verdict, &finding.verdict) ||
	    !probe_cause_parse(cause, &finding.cause) ||
	    strlen(evidence) >= sizeof(finding.evidence) || attempts < 0 || elapsed_ms < 0)
		return -EINVAL;
	finding.error = json_is_integer(error) ? (int)json_integer_value(error) : 0;
	finding.final = finding.cause != CAUSE_NONE && !cause_is_load(finding.cause);
	finding.attempts = (unsigned int)attempts;
	finding.elapsed_ms = (uint64_t)elapsed_ms;
	memcpy(finding.evidence, evidence, strlen(evidence));
	*ret = finding;
	return 0;
}

int document_read_probe(const char *bytes, size_t length, struct findings *ret)
{
	AUTO_JSON json_t *root = NULL;
	struct findings findings = {};
	json_t *real_proc, *proc_bind;
	json_t *tmpfs = NULL;

	document_seed();
	root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
	if (!root || json_unpack(root, "{s:{s:o, s:o, s?o}}", "probes", "real_proc", &real_proc,
				 "proc_bind", &proc_bind, "tmpfs", &tmpfs) < 0 ||
	    finding_read(real_proc, &findings.real_proc) < 0 ||
	    finding_read(proc_bind, &findings.proc_bind) < 0 ||
	    (tmpfs && finding_read(tmpfs, &findings.tmpfs) < 0))
		return -EINVAL;
	*ret = findings;
	return 0;
}
