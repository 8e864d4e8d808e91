/* doctor_rest: the checks of the groups Workspace and Supervision; see doctor.h. */
#include <stdio.h>
#include <string.h>

#include "entrypoint/doctor.h"
#include "entrypoint/report.h"
#include "init/own.h"

static void judge_agent(const struct doctor_input *input, struct doctor_result *result)
{
	const struct host_agent *agent = &input->host->agent;
	const char *dir = input->pass->config.agent_dir;
	AUTO_TEXT struct text t = {};

	text_escape(&t, dir, strlen(dir));
	if (text_error(&t) || !agent->looked) {
		doctor_say(result, DOCTOR_SKIP, "it could not be looked at");
	} else if (!agent->directory) {
		result->row = catalogue_row(CATALOGUE_AGENT_MISSING);
		doctor_say(result, DOCTOR_FAIL, "%s is no directory", t.data);
	} else if (input->replayed) {
		doctor_say(result, DOCTOR_OK, "%s: %s%s%s", t.data,
			   agent->mount_point ? "mounted, " : "", agent->type,
			   agent->read_only ? ", read-only" : "");
	} else {
		doctor_say(result, DOCTOR_OK, "%s: %s%s%s, owner %u:%u, mode %04o", t.data,
			   agent->mount_point ? "mounted, " : "", agent->type,
			   agent->read_only ? ", read-only" : "", (unsigned int)agent->uid,
			   (unsigned int)agent->gid, (unsigned int)agent->mode);
	}
}

/* What a dry run says of a link that the boot had made; somebody planting links is no mishap. */
static enum doctor_status link_status(const struct link_result *link, bool must)
{
	if (link->code == LINK_UNCHANGED)
		return DOCTOR_OK;
	if (must || link->code == LINK_TARGET_IS_LINK || link->code == LINK_RACED)
		return DOCTOR_FAIL;
	return DOCTOR_WARN;
}

/* "missing" and "changed" where a dry run says what it would do. */
static const char *link_state(enum link_code code)
{
	return code == LINK_CREATED    ? "missing"
	       : code == LINK_REPLACED ? "changed"
				       : link_code_name(code);
}

static void judge_link(const struct doctor_input *input, const struct link_result *link,
		       struct doctor_result *result)
{
	enum doctor_status status = link_status(link, input->pass->config.fail_if_refused);
	AUTO_TEXT struct text t = {};

	if (status >= result->status)
		return;
	text_escape(&t, link->from ? link->from : "?", link->from ? link->from_length : 1);
	result->row = catalogue_row(link_code_done(link->code) ? CATALOGUE_LINK_LOST
							       : CATALOGUE_LINK_REFUSED);
	doctor_say(result, status, "%s: %s%s%s%s", text_error(&t) ? "?" : t.data,
		   link_state(link->code), link->detail ? " (" : "",
		   link->detail ? link->detail : "", link->detail ? ")" : "");
}

static void judge_links(const struct doctor_input *input, struct doctor_result *result)
{
	const struct links_report *links = &input->pass->links;

	if (input->replayed) {
		doctor_say(result, DOCTOR_SKIP, "a snapshot has none");
		return;
	}
	if (links->code) {
		result->row = catalogue_row(CATALOGUE_LINK_REFUSED);
		doctor_say(result, DOCTOR_WARN, "TYPECLAW_SANDBOX_SYMLINKS: %s%s%s",
			   link_code_name(links->code), links->detail ? ": " : "",
			   links->detail ? links->detail : "");
		return;
	}
	if (links->n_links == 0)
		doctor_say(result, DOCTOR_OK, "none is configured");
	else
		doctor_say(result, DOCTOR_OK, "%u of %zu in place", links->unchanged,
			   links->n_links);
	for (size_t i = 0; i < links->n_links; i++)
		judge_link(input, &links->links[i], result);
}

static void judge_config(const struct doctor_input *input, struct doctor_result *result)
{
	const struct config *config = &input->pass->config;
	unsigned int changed = 0;

	for (size_t i = 0; i < KEY_COUNT; i++)
		changed += config->settings[i].origin &&
			   strncmp(config->settings[i].origin, "default", strlen("default")) != 0;
	if (config->remark) {
		result->row = catalogue_row(CATALOGUE_CONFIG_BAD);
		doctor_say(result, DOCTOR_WARN, "%s", config->remark);
	} else {
		doctor_say(result, DOCTOR_OK, "good, %u %s not the default", changed,
			   changed == 1 ? "value is" : "values are");
	}
}

/* comm holds 15 bytes: proc_pid_comm(5). */
static bool name_is_ours(const char *name)
{
	return strncmp(name, "typeclaw-entryp", 15) == 0 || strcmp(name, "typeclaw-init") == 0;
}

static bool name_is_init(const char *name)
{
	static const char *const names[] = { "docker-init", "tini", "catatonit", "dumb-init",
					     "systemd",     "init", "s6-svscan" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void judge_init(const struct doctor_input *input, struct doctor_result *result)
{
	const char *name = input->host->init_name;
	bool booted = input->boot && input->boot->source != RESOLVED_NOWHERE;
	pid_t pid = booted ? input->boot->document.identity.pid : 0;

	if (input->alone)
		doctor_say(result, DOCTOR_SKIP, "is this very command");
	else if (!name[0])
		doctor_say(result, DOCTOR_SKIP, "its name is not shown here");
	else if (pid > 1)
		doctor_say(result, DOCTOR_OK, "%s; typeclaw-init is pid %d, a subreaper", name,
			   (int)pid);
	else if (pid == 1 || name_is_ours(name))
		doctor_say(result, DOCTOR_OK, "typeclaw-init");
	else if (name_is_init(name))
		doctor_say(result, DOCTOR_OK, "%s, which reaps", name);
	else
		doctor_say(result, DOCTOR_OK, "%s, not known to reap", name);
}

static void judge_environ(const struct doctor_input *input, struct doctor_result *result)
{
	const struct host_facts *host = input->host;
	static const struct {
		enum doctor_status status;
		const char *summary;
	} words[] = {
		[ENVIRON_UNKNOWN] = { DOCTOR_SKIP, "it could not be looked at" },
		[ENVIRON_CLOSED] = { DOCTOR_OK, "closed: /proc/1/environ is refused" },
		[ENVIRON_EMPTY] = { DOCTOR_OK, "empty: /proc/1/environ shows nothing" },
		[ENVIRON_OPEN] = { DOCTOR_WARN, "open: /proc/1/environ can be read by its user" },
	};

	if (input->alone) {
		doctor_say(result, DOCTOR_SKIP, "is this command's own");
		return;
	}
	doctor_say(result, words[host->init_environ].status, "%s",
		   words[host->init_environ].summary);
	if (host->init_environ == ENVIRON_OPEN)
		result->row = catalogue_row(CATALOGUE_ENVIRON_OPEN);
}

static void judge_reaping(const struct doctor_input *input, struct doctor_result *result)
{
	const struct zombies *zombies = input->zombies;
	const struct zombie_parent *worst;

	if (!zombies) {
		doctor_say(result, DOCTOR_SKIP, "not looked for");
		return;
	}
	if (input->host->host_pids && input->host->engine != ENGINE_NONE) {
		doctor_say(result, DOCTOR_SKIP,
			   "the host's processes are seen here, not only ours");
		return;
	}
	if (zombies->total == 0) {
		doctor_say(result, DOCTOR_OK, "none");
		return;
	}
	worst = &zombies->parents[0];
	for (size_t i = 1; i < zombies->n_parents; i++)
		if (zombies->parents[i].zombies > worst->zombies)
			worst = &zombies->parents[i];
	result->row = catalogue_row(CATALOGUE_ZOMBIES);
	doctor_say(result, DOCTOR_WARN, "%u; pid %d (%s) does not reap %u of them", zombies->total,
		   (int)worst->pid, worst->name, worst->zombies);
}

void doctor_judge_rest(const struct doctor_input *input, struct doctor_report *report)
{
	struct doctor_result *results = report->results;

	judge_agent(input, &results[DOCTOR_AGENT]);
	judge_links(input, &results[DOCTOR_LINKS]);
	judge_config(input, &results[DOCTOR_CONFIG]);
	judge_init(input, &results[DOCTOR_INIT]);
	judge_environ(input, &results[DOCTOR_ENVIRON]);
	judge_reaping(input, &results[DOCTOR_REAPING]);
	doctor_say(&results[DOCTOR_TERMINAL], input->host->init_name[0] ? DOCTOR_OK : DOCTOR_SKIP,
		   "%s",
		   !input->host->init_name[0]  ? "could not be looked for"
		   : input->host->init_has_tty ? "PID 1 has one"
					       : "PID 1 has none");
}
