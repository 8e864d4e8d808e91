/*
 * agent_source: where the host-side commands learn what an agent wants: typeclaw.json of the
 * folder that --agent-dir names, else the configuration as the container would read it.
 */
#pragma once

#include "dockerfile/agent_json.h"
#include "dockerfile/plan.h"
#include "entrypoint/command.h"
#include "entrypoint/config.h"

struct agent_source {
	bool from_json;
	struct agent_json json;
	struct config config; /* always read */
	struct plan_link links[CONFIG_LINKS_MAX];
};

#define AUTO_AGENT_SOURCE __attribute__((cleanup(agent_source_clear)))

/* Reads it, and says on stderr what is left out.  0; the errors of config_read, agent_json_read. */
int agent_source_read(const struct invocation *invocation, struct agent_source *ret,
		      struct fault *f);
void agent_source_clear(struct agent_source *source);

/* Sets real_proc, writable_paths and links; they point into `source`. */
void agent_source_fill(struct agent_source *source, struct plan_request *request);

/*
 * Warns on stderr of links that the boot is going to refuse, by the boot's own rules; what only
 * the container's file system can tell is not known here, and HOME is taken to be /root.
 */
void agent_source_foresee(const struct agent_source *source, const struct plan_request *request);
