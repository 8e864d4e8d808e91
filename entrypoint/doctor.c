/* doctor: see doctor.h.  Here the table and the headline; the judges have a file a group. */
#include "entrypoint/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct doctor_row rows[DOCTOR_CHECKS] = {
	[DOCTOR_USABLE] = { "sandbox.usable", DOCTOR_SANDBOX, "sandbox", true },
	[DOCTOR_STRATEGY] = { "sandbox.strategy", DOCTOR_SANDBOX, "strategy", true },
	[DOCTOR_PROC_BIND] = { "sandbox.proc-bind", DOCTOR_SANDBOX, "proc-bind", false },
	[DOCTOR_REAL_PROC] = { "sandbox.real-proc", DOCTOR_SANDBOX, "real-proc", true },
	[DOCTOR_BWRAP] = { "sandbox.bwrap", DOCTOR_SANDBOX, "bwrap", true },
	[DOCTOR_SECCOMP] = { "sandbox.seccomp", DOCTOR_SANDBOX, "seccomp", false },
	[DOCTOR_SYS_ADMIN] = { "sandbox.sys-admin", DOCTOR_SANDBOX, "SYS_ADMIN", true },
	[DOCTOR_USERNS] = { "sandbox.user-namespaces", DOCTOR_SANDBOX, "user namespaces", false },
	[DOCTOR_PROC] = { "sandbox.proc", DOCTOR_SANDBOX, "/proc", true },
	[DOCTOR_RECORD] = { "sandbox.record", DOCTOR_SANDBOX, "boot record", false },
	[DOCTOR_ENGINE] = { "container.engine", DOCTOR_CONTAINER, "engine", false },
	[DOCTOR_KERNEL] = { "container.kernel", DOCTOR_CONTAINER, "kernel", false },
	[DOCTOR_USER] = { "container.user", DOCTOR_CONTAINER, "user", false },
	[DOCTOR_CAPABILITIES] = { "container.capabilities", DOCTOR_CONTAINER, "capabilities",
				  false },
	[DOCTOR_NO_NEW_PRIVS] = { "container.no-new-privs", DOCTOR_CONTAINER, "no_new_privs",
				  false },
	[DOCTOR_LSM] = { "container.lsm", DOCTOR_CONTAINER, "security module", false },
	[DOCTOR_PIDS] = { "container.pids", DOCTOR_CONTAINER, "processes", true },
	[DOCTOR_ROOT] = { "container.root", DOCTOR_CONTAINER, "root", false },
	[DOCTOR_AGENT] = { "workspace.agent", DOCTOR_WORKSPACE, "agent folder", true },
	[DOCTOR_LINKS] = { "workspace.links", DOCTOR_WORKSPACE, "links", false },
	[DOCTOR_CONFIG] = { "workspace.config", DOCTOR_WORKSPACE, "configuration", false },
	[DOCTOR_INIT] = { "supervision.init", DOCTOR_SUPERVISION, "PID 1", false },
	[DOCTOR_ENVIRON] = { "supervision.environ", DOCTOR_SUPERVISION, "its environ", false },
	[DOCTOR_REAPING] = { "supervision.reaping", DOCTOR_SUPERVISION, "zombies", false },
	[DOCTOR_TERMINAL] = { "supervision.terminal", DOCTOR_SUPERVISION, "terminal", false },
};

const struct doctor_row *doctor_row(enum doctor_check check)
{
	return &rows[check];
}

const char *doctor_status_name(enum doctor_status status)
{
	static const char *const names[DOCTOR_STATUSES] = {
		[DOCTOR_SKIP] = "skip",
		[DOCTOR_FAIL] = "fail",
		[DOCTOR_WARN] = "warn",
		[DOCTOR_OK] = "ok",
	};

	return names[status];
}

const char *doctor_group_name(enum doctor_group group)
{
	static const char *const names[DOCTOR_GROUPS] = {
		[DOCTOR_SANDBOX] = "Sandbox",
		[DOCTOR_CONTAINER] = "Container",
		[DOCTOR_WORKSPACE] = "Workspace",
		[DOCTOR_SUPERVISION] = "Supervision",
	};

	return names[group];
}

void doctor_say(struct doctor_result *result, enum doctor_status status, const char *format, ...)
{
	va_list arguments;

	result->status = status;
	va_start(arguments, format);
	(void)vsnprintf(result->summary, sizeof(result->summary), format, arguments);
	va_end(arguments);
}

const char *doctor_cause(const struct doctor_result *result)
{
	if (result->status != DOCTOR_FAIL && result->status != DOCTOR_WARN)
		return NULL;
	if (result->row)
		return result->row->id;
	return result->cause != CAUSE_NONE ? probe_cause_name(result->cause) : NULL;
}

enum doctor_status doctor_overall(const struct doctor_report *report)
{
	return report->counts[DOCTOR_FAIL]   ? DOCTOR_FAIL
	       : report->counts[DOCTOR_WARN] ? DOCTOR_WARN
					     : DOCTOR_OK;
}

/* The first check of that status: the table goes from what matters most to what matters least. */
static const struct doctor_result *first_of(const struct doctor_report *report,
					    enum doctor_status status)
{
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		if (report->results[i].status == status)
			return &report->results[i];
	return NULL;
}

static void write_headline(struct doctor_report *report)
{
	static const char *const words[DOCTOR_STATUSES] = {
		[DOCTOR_FAIL] = "NOT READY",
		[DOCTOR_WARN] = "READY WITH WARNINGS",
		[DOCTOR_OK] = "READY",
	};
	enum doctor_status overall = doctor_overall(report);
	const struct doctor_result *worst =
		overall == DOCTOR_OK ? &report->results[DOCTOR_USABLE] : first_of(report, overall);
	const char *why = overall != DOCTOR_OK && worst->row ? worst->row->tell : worst->summary;

	(void)snprintf(report->headline, sizeof(report->headline), "%s: %s", words[overall], why);
}

static void judge_all(const struct doctor_input *input, struct doctor_report *report)
{
	const struct pass *pass = input->pass;

	memset(report, 0, sizeof(*report));
	report->seccomp = seccomp_decide(&pass->facts, &pass->strategy, &pass->findings);
	report->sys_admin = sys_admin_decide(&pass->facts, pass->config.real_proc);
	doctor_judge_sandbox(input, report);
	doctor_judge_container(input, report);
	doctor_judge_rest(input, report);
}

static void finish(struct doctor_report *report)
{
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		report->counts[report->results[i].status]++;
	write_headline(report);
}

void doctor_judge(const struct doctor_input *input, struct doctor_report *ret)
{
	judge_all(input, ret);
	finish(ret);
}

void doctor_judge_boot(const struct doctor_input *input, struct doctor_report *ret)
{
	judge_all(input, ret);
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		if (!rows[i].boot)
			ret->results[i].status = DOCTOR_SKIP;
	finish(ret);
}

bool doctor_told_before(const struct doctor_report *report, size_t check)
{
	const struct doctor_result *result = &report->results[check];

	for (size_t i = 0; i < check; i++)
		if (result->row && doctor_cause(&report->results[i]) &&
		    report->results[i].row == result->row)
			return true;
	return false;
}

bool doctor_fix_fits(const struct fix *fix, const struct host_facts *host)
{
	bool docker = strcmp(fix->target, "docker") == 0;
	bool podman = strcmp(fix->target, "podman") == 0;
	bool kubernetes = strcmp(fix->target, "kubernetes") == 0;

	if (host->kubernetes)
		return !docker && !podman;
	if (host->engine == ENGINE_DOCKER)
		return !podman && !kubernetes;
	if (host->engine == ENGINE_PODMAN)
		return !docker && !kubernetes;
	return true;
}
