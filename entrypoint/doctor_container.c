/* doctor_container: the checks of the group Container; see doctor.h. */
#include <stdio.h>
#include <string.h>

#include "entrypoint/doctor.h"
#include "init/own.h"

#define PIDS_SPARE 16 /* fewer left than this: a sandboxed package runner will not fit */

static void judge_engine(const struct host_facts *host, struct doctor_result *result)
{
	AUTO_TEXT struct text t = {};

	text_add(&t, "%s%s%s%s%s", host_engine_name(host->engine),
		 host->kubernetes ? ", Kubernetes" : "", host->gvisor ? ", gVisor" : "",
		 host->orbstack ? ", OrbStack" : "",
		 host->sysbox ? ", Enhanced Container Isolation (sysbox)" : "");
	doctor_say(result,
		   host->engine == ENGINE_UNKNOWN && !host->kubernetes ? DOCTOR_SKIP : DOCTOR_OK,
		   "%s", text_error(&t) ? "?" : t.data);
}

static void judge_kernel(const struct host_facts *host, struct doctor_result *result)
{
	const struct host_value *landlock = &host->numbers[HOST_LANDLOCK];
	const struct host_value *yama = &host->numbers[HOST_YAMA];
	AUTO_TEXT struct text t = {};

	if (!host->kernel[0]) {
		doctor_say(result, DOCTOR_SKIP, "its release is not shown here");
		return;
	}
	text_add(&t, "%s", host->kernel);
	if (landlock->known && landlock->value)
		text_add(&t, "; Landlock ABI %llu", (unsigned long long)landlock->value);
	else
		text_add(&t, "; no Landlock");
	if (yama->known)
		text_add(&t, "; Yama ptrace_scope %llu", (unsigned long long)yama->value);
	if (host->cgroup_version)
		text_add(&t, "; cgroup v%u", host->cgroup_version);
	doctor_say(result, DOCTOR_OK, "%s", text_error(&t) ? "?" : t.data);
}

static void judge_user(const struct doctor_input *input, struct doctor_result *result)
{
	const struct facts *facts = &input->pass->facts;
	const struct host_id_map *map = &input->host->uid_map;

	if (facts->initial_userns || !map->rows)
		doctor_say(result, DOCTOR_OK, "uid %u, gid %u%s", (unsigned int)facts->uid,
			   (unsigned int)facts->gid,
			   facts->initial_userns ? ", in the host's user namespace" : "");
	else
		doctor_say(result, DOCTOR_OK,
			   "uid %u, gid %u; uid %llu here is %llu outside (%llu mapped)",
			   (unsigned int)facts->uid, (unsigned int)facts->gid,
			   (unsigned long long)map->inside, (unsigned long long)map->outside,
			   (unsigned long long)map->count);
}

static void judge_capabilities(const struct facts *facts, struct doctor_result *result)
{
	const struct capability_sets *sets = &facts->capabilities;

	if (!sets->known) {
		doctor_say(result, DOCTOR_SKIP, "could not be read");
		return;
	}
	doctor_say(result, DOCTOR_OK, "Eff %d, Prm %d, Inh %d, Bnd %d, Amb %d",
		   __builtin_popcountll(sets->effective), __builtin_popcountll(sets->permitted),
		   __builtin_popcountll(sets->inheritable), __builtin_popcountll(sets->bounding),
		   __builtin_popcountll(sets->ambient));
	if (facts->uid != 0 && sets->effective) {
		result->status = DOCTOR_WARN;
		result->row = catalogue_row(CATALOGUE_BWRAP_CAPABILITIES);
	}
}

static void judge_lsm(const struct host_facts *host, struct doctor_result *result)
{
	static const char *const names[] = {
		[LSM_UNKNOWN] = "",
		[LSM_NONE] = "",
		[LSM_APPARMOR] = "AppArmor",
		[LSM_SELINUX] = "SELinux",
	};

	if (host->lsm == LSM_UNKNOWN)
		doctor_say(result, DOCTOR_SKIP, "its label could not be read");
	else if (host->lsm == LSM_NONE)
		doctor_say(result, DOCTOR_OK, "none labels this container");
	else
		doctor_say(result, DOCTOR_OK, "%s: %s", names[host->lsm], host->lsm_label);
}

static void judge_pids(const struct host_facts *host, struct doctor_result *result)
{
	const struct host_value *max = &host->numbers[HOST_PIDS_MAX];
	const struct host_value *current = &host->numbers[HOST_PIDS_CURRENT];

	if (!max->known) {
		doctor_say(result, current->known ? DOCTOR_OK : DOCTOR_SKIP, "%s",
			   current->known ? "no limit" : "the cgroup is not shown here");
		return;
	}
	doctor_say(result, DOCTOR_OK, "%llu of at most %llu", (unsigned long long)current->value,
		   (unsigned long long)max->value);
	if (current->known && current->value + PIDS_SPARE > max->value) {
		result->status = DOCTOR_WARN;
		result->row = catalogue_row(CATALOGUE_PIDS_LIMIT);
	}
}

static void judge_root(const struct host_facts *host, struct doctor_result *result)
{
	if (!host->root_type[0])
		doctor_say(result, DOCTOR_SKIP, "its mount is not shown here");
	else
		doctor_say(result, DOCTOR_OK, "%s, %s", host->root_type,
			   host->root_read_only ? "read-only" : "writable");
}

void doctor_judge_container(const struct doctor_input *input, struct doctor_report *report)
{
	const struct facts *facts = &input->pass->facts;
	struct doctor_result *results = report->results;

	judge_engine(input->host, &results[DOCTOR_ENGINE]);
	judge_kernel(input->host, &results[DOCTOR_KERNEL]);
	judge_user(input, &results[DOCTOR_USER]);
	judge_capabilities(facts, &results[DOCTOR_CAPABILITIES]);
	doctor_say(&results[DOCTOR_NO_NEW_PRIVS], DOCTOR_OK, "%s",
		   facts->no_new_privs ? "set: no program can gain rights" : "not set");
	judge_lsm(input->host, &results[DOCTOR_LSM]);
	judge_pids(input->host, &results[DOCTOR_PIDS]);
	judge_root(input->host, &results[DOCTOR_ROOT]);
}
