/* pass: see pass.h. */
#include "entrypoint/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "entrypoint/record.h"
#include "init/own.h"

int pass_read_config(struct pass *pass, const struct invocation *invocation, bool lenient,
		     struct fault *f)
{
	return config_read(invocation->arguments, invocation->environment, lenient, &pass->config,
			   f);
}

int pass_place_links(struct pass *pass, bool dry_run, struct fault *f)
{
	const struct config *config = &pass->config;
	struct link_entry configured[CONFIG_LINKS_MAX];
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const struct links_request request = {
		.value = config->links_value,
		.configured = configured,
		.n_configured = config->n_links,
		.agent_dir = config->agent_dir,
		.home = config->home,
		.self = length > 0 ? self : NULL,
		.dry_run = dry_run,
	};

	self[length > 0 ? length : 0] = '\0';
	for (size_t i = 0; i < config->n_links; i++)
		configured[i] = (struct link_entry){ config->links[i].from, config->links[i].to };
	return links_place(&request, &pass->links, f);
}

int pass_read_facts(struct pass *pass, struct fault *f)
{
	AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct fault ignored;
	int r;

	if (root < 0)
		return fault_set(f, -errno, "open the root directory");
	r = facts_read(root, &pass->facts, f);
	if (r < 0)
		return r;
	/* Why there is none is the probes' finding; here only the path counts. */
	r = sandbox_bwrap_find(pass->config.bwrap, pass->config.agent_dir, &pass->bwrap, &ignored);
	if (r == -ENOMEM)
		return fault_set(f, r, "look for bwrap");
	/* Without /proc the document names an init that no reader will believe. */
	if (identity_read_self(&pass->identity) < 0)
		pass->identity = (struct identity){ .pid = getpid() };
	return 0;
}

int pass_read_host(struct pass *pass, struct fault *f)
{
	AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return fault_set(f, -errno, "open the root directory");
	return host_read(root, true, pass->config.agent_dir, &pass->host, f);
}

int pass_probe(struct pass *pass, bool real_proc, bool proc_bind, struct fault *f)
{
	const struct config *config = &pass->config;
	struct probes_request request = {
		.real_proc = real_proc,
		.proc_bind = proc_bind,
		.tmpfs = proc_bind,
		.bwrap = config->bwrap,
		.agent_dir = config->agent_dir,
		.network = config->network,
		.n_retries = config->n_retries,
		.attempt_timeout_ms = config->attempt_timeout_ms,
		.budget_ms = config->budget_ms,
	};
	int r;

	memcpy(request.retry_backoff_ms, config->retry_backoff_ms,
	       sizeof(request.retry_backoff_ms));
	r = probes_run(&request, &pass->facts, &pass->findings, f);
	if (r == 0)
		pass->strategy = strategy_choose(real_proc, &pass->findings);
	return r;
}

char *pass_write_document(const struct pass *pass)
{
	const struct document_source source = {
		.identity = &pass->identity,
		.config = &pass->config,
		.bwrap = pass->bwrap,
		.links = &pass->links,
		.facts = &pass->facts,
		.findings = &pass->findings,
		.strategy = &pass->strategy,
	};

	return document_write(&source);
}

int strategy_status(enum sandbox_proc proc, enum strategy_reason reason)
{
	if (proc != SANDBOX_PROC_TMPFS)
		return EXIT_OK;
	return reason == REASON_DEFINITIVE ? EXIT_UNSAFE : EXIT_INCONCLUSIVE;
}

void pass_clear(struct pass *pass)
{
	config_clear(&pass->config);
	links_report_clear(&pass->links);
	free(pass->bwrap);
	*pass = (struct pass){};
}
