/* doctor_json: the report as JSON `typeclaw.doctor/1`; see doctor_write.h. */
#include <inttypes.h>
#include <string.h>

#include "dockerfile/quote.h"
#include "entrypoint/doctor_write.h"
#include "init/own.h"

/* `,"name":` or, first in its object, `"name":`. */
static void add_key(struct text *t, const char *name)
{
	char last = t->length ? t->data[t->length - 1] : '{';

	text_add(t, "%s\"%s\":", last == '{' ? "" : ",", name);
}

/* A string of ours, or null for NULL and "". */
static void add_string(struct text *t, const char *name, const char *value)
{
	add_key(t, name);
	if (value && value[0])
		quote_json(t, value);
	else
		text_add(t, "null");
}

/* A path: any bytes, shown escaped. */
static void add_path(struct text *t, const char *name, const char *path)
{
	AUTO_TEXT struct text shown = {};

	text_escape(&shown, path ? path : "", path ? strlen(path) : 0);
	add_string(t, name, text_error(&shown) ? NULL : shown.data);
}

static void add_bool(struct text *t, const char *name, bool value)
{
	add_key(t, name);
	text_add(t, "%s", value ? "true" : "false");
}

static void add_number(struct text *t, const char *name, uint64_t value)
{
	add_key(t, name);
	text_add(t, "%" PRIu64, value);
}

static void add_known(struct text *t, const char *name, bool known, uint64_t value)
{
	if (known) {
		add_number(t, name, value);
	} else {
		add_key(t, name);
		text_add(t, "null");
	}
}

static void add_value(struct text *t, const char *name, const struct host_value *value)
{
	add_known(t, name, value->known, value->value);
}

static void add_id_map(struct text *t, const char *name, const struct host_id_map *map)
{
	add_key(t, name);
	if (!map->rows) {
		text_add(t, "null");
		return;
	}
	text_add(t, "{");
	add_number(t, "inside", map->inside);
	add_number(t, "outside", map->outside);
	add_number(t, "count", map->count);
	add_number(t, "rows", map->rows);
	text_add(t, "}");
}

static void add_init(struct text *t, const struct host_facts *host)
{
	static const char *const environs[] = {
		[ENVIRON_UNKNOWN] = "unknown",
		[ENVIRON_CLOSED] = "closed",
		[ENVIRON_EMPTY] = "empty",
		[ENVIRON_OPEN] = "open",
	};

	add_key(t, "init");
	text_add(t, "{");
	add_string(t, "name", host->init_name);
	add_bool(t, "terminal", host->init_has_tty);
	add_string(t, "environ", environs[host->init_environ]);
	text_add(t, "}");
}

static void add_proc(struct text *t, const struct host_proc *proc)
{
	add_key(t, "proc");
	if (!proc->known) {
		text_add(t, "null");
		return;
	}
	text_add(t, "{");
	add_bool(t, "read_only", proc->read_only);
	add_number(t, "masked", proc->masked);
	add_number(t, "protected", proc->protected);
	add_bool(t, "sys_writable", proc->sys_writable);
	add_number(t, "hidepid", proc->hidepid);
	text_add(t, "}");
}

static void add_host(struct text *t, const struct doctor_input *input)
{
	const struct host_facts *host = input->host;
	const struct facts *facts = &input->pass->facts;

	add_key(t, "host");
	text_add(t, "{");
	add_string(t, "engine", host_engine_name(host->engine));
	add_bool(t, "kubernetes", host->kubernetes);
	add_bool(t, "gvisor", host->gvisor);
	add_bool(t, "orbstack", host->orbstack);
	add_bool(t, "sysbox", host->sysbox);
	add_string(t, "kernel", host->kernel);
	add_value(t, "landlock_abi", &host->numbers[HOST_LANDLOCK]);
	add_value(t, "yama_ptrace_scope", &host->numbers[HOST_YAMA]);
	add_value(t, "apparmor_restrict_unprivileged_userns", &host->numbers[HOST_APPARMOR_USERNS]);
	add_value(t, "unprivileged_userns_clone", &host->numbers[HOST_USERNS_CLONE]);
	add_known(t, "max_user_namespaces", facts->max_user_namespaces_known,
		  facts->max_user_namespaces);
	add_string(t, "lsm", host_lsm_name(host->lsm));
	add_string(t, "lsm_label", host->lsm_label);
	add_known(t, "cgroup_version", host->cgroup_version != 0, host->cgroup_version);
	add_value(t, "pids_max", &host->numbers[HOST_PIDS_MAX]);
	add_value(t, "pids_current", &host->numbers[HOST_PIDS_CURRENT]);
	add_string(t, "root_type", host->root_type);
	add_bool(t, "root_read_only", host->root_read_only);
	add_proc(t, &host->proc);
	add_init(t, host);
	text_add(t, "}");
}

static void add_capabilities(struct text *t, const struct capability_sets *sets)
{
	const struct {
		const char *name;
		uint64_t set;
	} words[] = {
		{ "effective", sets->effective },     { "permitted", sets->permitted },
		{ "inheritable", sets->inheritable }, { "bounding", sets->bounding },
		{ "ambient", sets->ambient },
	};

	add_key(t, "capabilities");
	text_add(t, "%s", sets->known ? "{" : "null");
	for (size_t i = 0; sets->known && i < ARRAY_SIZE(words); i++) {
		add_key(t, words[i].name);
		text_add(t, "\"%016" PRIx64 "\"", words[i].set);
	}
	text_add(t, "%s", sets->known ? "}" : "");
}

static void add_decision(struct text *t, const char *name, const struct decision *decision)
{
	add_key(t, name);
	text_add(t, "{");
	add_string(t, "decision", decision->word);
	add_string(t, "because", decision->because);
	text_add(t, "}");
}

static void add_bwrap(struct text *t, const struct doctor_input *input)
{
	const struct doctor_bwrap *bwrap = input->bwrap;

	add_key(t, "bwrap");
	if (bwrap->error || !input->pass->bwrap) {
		text_add(t, "null");
		return;
	}
	text_add(t, "{");
	add_path(t, "path", input->pass->bwrap);
	add_string(t, "version", bwrap->version);
	add_number(t, "owner", bwrap->uid);
	add_number(t, "mode", bwrap->mode);
	text_add(t, "}");
}

static void add_agent(struct text *t, const struct doctor_input *input)
{
	const struct host_agent *agent = &input->host->agent;
	bool owned = agent->directory && !input->replayed; /* a copy is its maker's */

	add_key(t, "agent");
	text_add(t, "{");
	add_path(t, "dir", input->pass->config.agent_dir);
	add_bool(t, "directory", agent->directory);
	add_bool(t, "mount_point", agent->mount_point);
	add_bool(t, "read_only", agent->read_only);
	add_string(t, "type", agent->type);
	add_known(t, "owner", owned, agent->uid);
	add_known(t, "group", owned, agent->gid);
	add_known(t, "mode", owned, agent->mode);
	text_add(t, "}");
}

static void add_self(struct text *t, const struct doctor_input *input,
		     const struct doctor_report *report)
{
	static const char *const sources[] = {
		[DOCTOR_UNPROBED] = "none",
		[DOCTOR_BOOT] = "boot",
		[DOCTOR_PROBED] = "probe",
		[DOCTOR_REPLAYED] = "snapshot",
	};
	const struct pass *pass = input->pass;
	const struct facts *facts = &pass->facts;
	bool told = input->source != DOCTOR_UNPROBED;

	add_key(t, "self");
	text_add(t, "{");
	add_string(t, "version", VERSION);
	add_number(t, "uid", facts->uid);
	add_number(t, "gid", facts->gid);
	add_bool(t, "initial_user_namespace", facts->initial_userns);
	add_id_map(t, "uid_map", &input->host->uid_map);
	add_id_map(t, "gid_map", &input->host->gid_map);
	add_capabilities(t, &facts->capabilities);
	add_string(t, "seccomp_mode", seccomp_mode_name(facts->seccomp_mode));
	add_number(t, "seccomp_filters", facts->seccomp_filters);
	add_bool(t, "no_new_privs", facts->no_new_privs);
	add_decision(t, "seccomp", &report->seccomp);
	add_decision(t, "sys_admin", &report->sys_admin);
	add_string(t, "source", sources[input->source]);
	add_string(t, "strategy", told ? sandbox_proc_name(pass->strategy.proc) : NULL);
	add_string(t, "reason", told ? strategy_reason_name(pass->strategy.reason) : NULL);
	add_string(t, "usable", sandbox_usable_name(pass->strategy.usable));
	add_bwrap(t, input);
	add_agent(t, input);
	text_add(t, "}");
}

static void add_fixes(struct text *t, const struct doctor_result *result)
{
	const struct fix *fix = doctor_cause(result) && result->row ? result->row->fixes : NULL;

	add_key(t, "fix");
	text_add(t, "[");
	for (size_t i = 0; fix && fix[i].target; i++) {
		text_add(t, "%s{", i ? "," : "");
		add_string(t, "for", fix[i].target);
		add_string(t, "change", fix[i].change);
		add_string(t, "cost", fix[i].cost);
		text_add(t, "}");
	}
	text_add(t, "]");
}

static void add_check(struct text *t, size_t check, const struct doctor_result *result)
{
	const struct doctor_row *row = doctor_row((enum doctor_check)check);

	text_add(t, "%s{", check ? "," : "");
	add_string(t, "id", row->id);
	add_string(t, "group", doctor_group_name(row->group));
	add_string(t, "status", doctor_status_name(result->status));
	add_string(t, "summary", result->summary);
	add_string(t, "cause", doctor_cause(result));
	add_known(t, "errno", result->error != 0, (uint64_t)result->error);
	add_string(t, "evidence", result->evidence);
	add_fixes(t, result);
	add_number(t, "elapsed_ms", result->elapsed_ms);
	text_add(t, "}");
}

void doctor_write_json(const struct doctor_input *input, const struct doctor_report *report,
		       int exit_status, struct text *t)
{
	static const char *const overall[DOCTOR_STATUSES] = {
		[DOCTOR_FAIL] = "not-ready",
		[DOCTOR_WARN] = "warnings",
		[DOCTOR_OK] = "ready",
	};

	text_add(t, "{");
	add_string(t, "schema", "typeclaw.doctor/1");
	add_string(t, "overall", overall[doctor_overall(report)]);
	add_string(t, "headline", report->headline);
	add_number(t, "exit", (uint64_t)exit_status);
	add_key(t, "counts");
	text_add(t, "{");
	for (enum doctor_status status = DOCTOR_OK; status < DOCTOR_STATUSES; status--) {
		add_number(t, doctor_status_name(status), report->counts[status]);
		if (status == DOCTOR_SKIP)
			break;
	}
	text_add(t, "}");
	add_host(t, input);
	add_self(t, input, report);
	add_key(t, "checks");
	text_add(t, "[");
	for (size_t check = 0; check < DOCTOR_CHECKS; check++)
		add_check(t, check, &report->results[check]);
	text_add(t, "]}\n");
}
