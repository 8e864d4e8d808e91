/*
 * doctor: the one table of checks.  From what the pass found out to one judgement a check; pure,
 * so that the boot's summary, the human report and the JSON say the same.
 */
#pragma once

#include "entrypoint/doctor_catalogue.h"
#include "entrypoint/pass.h"
#include "entrypoint/resolved.h"
#include "init/zombies.h"

/* Zero: it could not be told, or does not apply here. */
enum doctor_status { DOCTOR_SKIP, DOCTOR_FAIL, DOCTOR_WARN, DOCTOR_OK, DOCTOR_STATUSES };

enum doctor_group {
	DOCTOR_SANDBOX,
	DOCTOR_CONTAINER,
	DOCTOR_WORKSPACE,
	DOCTOR_SUPERVISION,
	DOCTOR_GROUPS,
};

/* Stable: the ids in JSON are these words, "group.check". */
enum doctor_check {
	DOCTOR_USABLE,
	DOCTOR_STRATEGY,
	DOCTOR_PROC_BIND,
	DOCTOR_REAL_PROC,
	DOCTOR_BWRAP,
	DOCTOR_SECCOMP,
	DOCTOR_SYS_ADMIN,
	DOCTOR_USERNS,
	DOCTOR_PROC,
	DOCTOR_RECORD,
	DOCTOR_ENGINE,
	DOCTOR_KERNEL,
	DOCTOR_USER,
	DOCTOR_CAPABILITIES,
	DOCTOR_NO_NEW_PRIVS,
	DOCTOR_LSM,
	DOCTOR_PIDS,
	DOCTOR_ROOT,
	DOCTOR_AGENT,
	DOCTOR_LINKS,
	DOCTOR_CONFIG,
	DOCTOR_INIT,
	DOCTOR_ENVIRON,
	DOCTOR_REAPING,
	DOCTOR_TERMINAL,
	DOCTOR_CHECKS,
};

struct doctor_row {
	const char *id;
	enum doctor_group group;
	const char *title;
	bool boot; /* told by the summary of `run` as well */
};

/* Where the strategy comes from. */
enum doctor_source {
	DOCTOR_UNPROBED, /* nobody looked */
	DOCTOR_BOOT,     /* the boot's document: --quick */
	DOCTOR_PROBED,   /* a probe of just now */
	DOCTOR_REPLAYED, /* a snapshot's probe.json */
};

/* The bwrap that is there; the texts are escaped. */
struct doctor_bwrap {
	int error;         /* 0 found; -ENOENT; -EPERM refused */
	char refusal[192]; /* with -EPERM: why */
	char version[32];  /* "" not asked */
	uid_t uid;
	mode_t mode;
};

/* All that there is to judge; borrowed. */
struct doctor_input {
	const struct pass *pass; /* its strategy is that of `source` */
	const struct host_facts *host;
	const struct doctor_bwrap *bwrap;
	enum doctor_source source;
	const struct resolved *boot;   /* NULL: not looked for */
	bool boot_stale;               /* there is a record, of an init that is gone */
	const struct zombies *zombies; /* NULL: not looked for */
	bool replayed;
	bool quick;
	bool alone; /* we are PID 1 ourselves: no init to examine */
};

#define DOCTOR_SUMMARY_MAX 448

struct doctor_result {
	enum doctor_status status;
	char summary[DOCTOR_SUMMARY_MAX]; /* escaped */
	const struct catalogue_row *row;  /* NULL: nothing is known about it */
	enum probe_cause cause;           /* of the probe, where there was one */
	int error;                        /* positive errno; 0: none */
	char evidence[256];               /* of the probe; escaped */
	uint64_t elapsed_ms;
};

struct doctor_report {
	struct doctor_result results[DOCTOR_CHECKS];
	unsigned int counts[DOCTOR_STATUSES];
	char headline[DOCTOR_SUMMARY_MAX + 64];
	struct decision seccomp, sys_admin;
};

const struct doctor_row *doctor_row(enum doctor_check check);
const char *doctor_status_name(enum doctor_status status); /* ok, warn, fail, skip */
const char *doctor_group_name(enum doctor_group group);    /* Sandbox, ... */

/* READY, READY WITH WARNINGS, NOT READY: what is worst among the results. */
enum doctor_status doctor_overall(const struct doctor_report *report);

void doctor_judge(const struct doctor_input *input, struct doctor_report *ret);

/* The same for the summary of a boot: of the rows without `boot` nothing is told. */
void doctor_judge_boot(const struct doctor_input *input, struct doctor_report *ret);

/* The id of what is wrong: the row's, else the probe's word; NULL where nothing is. */
const char *doctor_cause(const struct doctor_result *result);

/* Did a check further up give the same row, so that its fixes need not be told again? */
bool doctor_told_before(const struct doctor_report *report, size_t check);

/* Is this fix for who runs the container; what no engine's flags mend is for everybody. */
bool doctor_fix_fits(const struct fix *fix, const struct host_facts *host);

/* For the files that judge: sets status and summary. */
void doctor_say(struct doctor_result *result, enum doctor_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void doctor_judge_sandbox(const struct doctor_input *input, struct doctor_report *report);
void doctor_judge_container(const struct doctor_input *input, struct doctor_report *report);
void doctor_judge_rest(const struct doctor_input *input, struct doctor_report *report);
