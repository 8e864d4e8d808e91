/*
 * probe_here: runs the probes with what argv says and prints every finding, one line each.
 *
 *	probe_here [--real] [--no-bind] [--tmpfs] [--bwrap PATH] [--agent-dir DIR] [--share-net]
 *		   [--budget MS] [--timeout MS] [--no-retry] [--checks]
 *	probe_here --list		prints the ids of all checks, with what a failure means
 *
 * A line: SHAPE VERDICT CAUSE ERRNO final|- FAILED ATTEMPTS ELAPSED_MS EVIDENCE, where FAILED lists
 * the checks that did not hold.  Last `strategy NAME REASON usable USABLE CAUSE`.  Exit 0; 128+N
 * when a signal stopped the probes; 125 our own failure.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "entrypoint/strategy.h"
#include "init/kernel.h"
#include "init/text.h"
#include "probes/checks.h"
#include "probes/probes.h"

static bool checks_shown;

static void show(const char *shape, const struct probe_finding *finding)
{
	const char *comma = "";

	printf("%s %s %s %d %s ", shape, probe_verdict_name(finding->verdict),
	       probe_cause_name(finding->cause), finding->error, finding->final ? "final" : "-");
	for (size_t i = 0; i < finding->n_checks; i++) {
		if (finding->checks[i].ok)
			continue;
		printf("%s%s", comma, finding->checks[i].id);
		comma = ",";
	}
	printf("%s %u %llu %s\n", *comma ? "" : "-", finding->attempts,
	       (unsigned long long)finding->elapsed_ms, finding->evidence);
	for (size_t i = 0; checks_shown && i < finding->n_checks; i++)
		printf("\t%s %s %d %s\n", finding->checks[i].ok ? "ok" : "NOT OK",
		       finding->checks[i].id, finding->checks[i].error, finding->checks[i].detail);
}

static void show_strategy(struct strategy strategy)
{
	const char *reason = strategy_reason_name(strategy.reason);

	printf("strategy %s %s usable %s %s\n", sandbox_proc_name(strategy.proc),
	       reason ? reason : "-", sandbox_usable_name(strategy.usable),
	       probe_cause_name(strategy.usable_cause));
}

static uint64_t number(const char *string)
{
	uint64_t value = 0;

	if (!string || number_parse(string, 0, UINT32_MAX, &value) < 0)
		fprintf(stderr, "probe_here: bad number\n");
	return value;
}

static void parse(int argc, char *argv[], struct probes_request *request)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--real") == 0)
			request->real_proc = true;
		else if (strcmp(argv[i], "--no-bind") == 0)
			request->proc_bind = false;
		else if (strcmp(argv[i], "--tmpfs") == 0)
			request->tmpfs = true;
		else if (strcmp(argv[i], "--share-net") == 0)
			request->network = SANDBOX_NETWORK_INHERIT;
		else if (strcmp(argv[i], "--no-retry") == 0)
			request->n_retries = 0;
		else if (strcmp(argv[i], "--checks") == 0)
			checks_shown = true;
		else if (strcmp(argv[i], "--bwrap") == 0)
			request->bwrap = argv[++i];
		else if (strcmp(argv[i], "--agent-dir") == 0)
			request->agent_dir = argv[++i];
		else if (strcmp(argv[i], "--budget") == 0)
			request->budget_ms = number(argv[++i]);
		else if (strcmp(argv[i], "--timeout") == 0)
			request->attempt_timeout_ms = number(argv[++i]);
	}
}

int main(int argc, char *argv[])
{
	struct probes_request request = {
		.proc_bind = true,
		.agent_dir = "/agent",
		.retry_backoff_ms = { 250, 1000, 2000, 4000 },
		.n_retries = 4,
		.attempt_timeout_ms = 2000,
		.budget_ms = 10000,
	};
	uint64_t all = ~UINT64_C(0);
	struct findings findings;
	struct facts facts;
	struct fault f = {};
	int root;
	int r = probes_main(argc, argv);

	if (r >= 0)
		return r;
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (enum check check = 0; check < CHECK_COUNT; check++)
			printf("%s %s%s\n", check_row(check)->id,
			       check_row(check)->unsafe ? "unsafe, " : "",
			       probe_cause_name(check_row(check)->cause));
		return 0;
	}
	parse(argc, argv, &request);
	(void)kernel_sigprocmask(SIG_SETMASK, &all, NULL);
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = facts_read(root, &facts, &f);
	if (r == 0)
		r = probes_run(&request, &facts, &findings, &f);
	if (r < 0) {
		fprintf(stderr, "probe_here: %s\n", f.message);
		return 125;
	}
	if (r > 0)
		return 128 + r;
	show("real-proc", &findings.real_proc);
	show("proc-bind", &findings.proc_bind);
	show("tmpfs", &findings.tmpfs);
	show_strategy(strategy_choose(request.real_proc, &findings));
	return 0;
}
