/* key_help: see key_help.h. */
#include "packaging/key_help.h"

const char *const key_help[KEY_COUNT] = {
	[KEY_AGENT_DIR] = "The agent's folder: links point into it, a sandbox may write below it\n"
			  "only where `writable_paths` says so.",
	[KEY_AGENT_HOME] = "The folder that `~/` of a link stands for.  Empty: what HOME says.",
	[KEY_SANDBOX_REAL_PROC] =
		"Ask for a fresh procfs in a PID namespace of its own.  Needs CAP_SYS_ADMIN, "
		"which\n"
		"reduces the container's security; without it the next safe way is taken.",
	[KEY_SANDBOX_BWRAP] = "The bubblewrap to use.  Empty: /usr/bin/bwrap, else "
			      "/usr/local/bin/bwrap.  It must\n"
			      "be a regular file of root's (or ours) that neither group nor others "
			      "may write, in\n"
			      "folders of which the same holds, and not setuid.",
	[KEY_SANDBOX_NETWORK] = "`inherit` shares the container's network with a sandbox.",
	[KEY_SANDBOX_FAIL_IF_UNAVAILABLE] =
		"`run` exits 125 before the command starts unless the sandbox was seen to work.",
	[KEY_SANDBOX_WRITABLE_PATHS] =
		"Paths below the agent's folder that a sandboxed command may write.",
	[KEY_SYMLINKS_FAIL_IF_REFUSED] =
		"`run` exits 125 before the command starts when a link was refused.",
	[KEY_PROBES_RETRY_BACKOFF_MS] =
		"How long to wait before each further try of a probe that had no verdict.",
	[KEY_PROBES_ATTEMPT_TIMEOUT_MS] = "How long one try of a probe may take.",
	[KEY_PROBES_BUDGET_MS] = "No try starts later than this after the first one.",
	[KEY_INIT_FORWARD] =
		"Who gets the signals that PID 1 gets: the child, the child's process\n"
		"group, or every process of the container.",
	[KEY_INIT_REWRITE] = "Signals to forward as others, `FROM:TO`; `TO` 0 drops the signal.",
	[KEY_INIT_WAIT] = "End when the main child has ended, or when everything has.",
	[KEY_INIT_KILL_GRACE_MS] =
		"How long what the main child left behind has between SIGTERM and SIGKILL.",
	[KEY_INIT_STOP_TIMEOUT_MS] =
		"How long after a forwarded SIGTERM the child is killed; 0 leaves that to whoever\n"
		"stops the container.",
	[KEY_INIT_EXIT_OK] = "Statuses of the child that are reported as 0.",
	[KEY_INIT_LOG] = "How much the boot says on stderr.",
};
