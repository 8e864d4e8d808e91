/* checks: see checks.h. */
#include "probes/checks.h"

#include <stdarg.h>
#include <stdio.h>

#define ALL (SHAPE_TMPFS | SHAPE_BIND | SHAPE_REAL)
#define SHOWN (SHAPE_BIND | SHAPE_REAL)

static const struct check_row rows[CHECK_COUNT] = {
	[CHECK_SENTINEL_TWIN] = { "sentinel-twin", "the sentinel is no twin of the child-to-be",
				  CAUSE_CONTROL_FAILED, false, false, ALL },
	[CHECK_CONTROL_BEFORE] = { "control-before",
				   "not even a process outside could read the nonce",
				   CAUSE_CONTROL_FAILED, false, false, ALL },
	[CHECK_PROBER] = { "prober", "the prober is not who the kernel says it is",
			   CAUSE_SETUP_FAILED, false, false, ALL },
	[CHECK_USER_NAMESPACE] = { "user-namespace", "the sandbox shares our user namespace",
				   CAUSE_SAME_USERNS, true, true, ALL },
	[CHECK_CAPABILITIES] = { "capabilities", "the sandbox kept capabilities",
				 CAUSE_CAPABILITY_KEPT, true, true, ALL },
	[CHECK_PID_NAMESPACE] = { "pid-namespace", "the sandbox shares our PID namespace",
				  CAUSE_SIGNALABLE, true, true, ALL },
	[CHECK_MOUNT_NAMESPACE] = { "mount-namespace", "the sandbox shares our mount namespace",
				    CAUSE_BWRAP_REFUSED, false, true, ALL },
	[CHECK_OTHER_NAMESPACES] = { "other-namespaces", "the sandbox shares a namespace with us",
				     CAUSE_BWRAP_REFUSED, false, true, ALL },
	[CHECK_UID_MAP] = { "uid-map", "the sandbox maps more than our own user",
			    CAUSE_BWRAP_REFUSED, false, true, ALL },
	[CHECK_ROOT] = { "root", "the sandbox's root is not bwrap's", CAUSE_BWRAP_REFUSED, false,
			 true, ALL },
	[CHECK_SENTINEL_SEEN] = { "sentinel-seen",
				  "the sandbox's /proc is not the one that was bound",
				  CAUSE_SETUP_FAILED, false, false, SHAPE_BIND },
	[CHECK_SENTINEL_ENVIRON] = { "sentinel-environ", "the sentinel's environ was not denied",
				     CAUSE_LEAK, true, true, SHAPE_BIND },
	[CHECK_SENTINEL_MAPS] = { "sentinel-maps", "the sentinel's maps was not denied", CAUSE_LEAK,
				  true, true, SHAPE_BIND },
	[CHECK_SENTINEL_MEM] = { "sentinel-mem", "the sentinel's mem was not denied", CAUSE_LEAK,
				 true, true, SHAPE_BIND },
	[CHECK_SENTINEL_AUXV] = { "sentinel-auxv", "the sentinel's auxv was not denied", CAUSE_LEAK,
				  true, true, SHAPE_BIND },
	[CHECK_SENTINEL_TASK] = { "sentinel-task",
				  "a task's environ of the sentinel was not denied", CAUSE_LEAK,
				  true, true, SHAPE_BIND },
	[CHECK_SENTINEL_FD] = { "sentinel-fd", "a descriptor of the sentinel was not denied",
				CAUSE_LEAK, true, true, SHAPE_BIND },
	[CHECK_SENTINEL_LINKS] = { "sentinel-links",
				   "cwd, root or exe of the sentinel was not denied", CAUSE_LEAK,
				   true, true, SHAPE_BIND },
	[CHECK_SENTINEL_NONCE] = { "sentinel-nonce", "the nonce was found in what could be read",
				   CAUSE_LEAK, true, true, SHOWN },
	[CHECK_SENTINEL_ABSENT] = { "sentinel-absent", "the fresh /proc shows the sentinel",
				    CAUSE_SETUP_FAILED, false, false, SHAPE_REAL },
	[CHECK_OTHERS_ENVIRON] = { "others-environ", "the environ of another process was not empty",
				   CAUSE_LEAK, true, true, SHOWN },
	[CHECK_OWN_PROC] = { "own-proc", "the prober's own /proc entries do not work",
			     CAUSE_SETUP_FAILED, false, false, SHOWN },
	[CHECK_PROC_READ_ONLY] = { "proc-read-only", "/proc can be written in the sandbox",
				   CAUSE_PROC_WRITABLE, true, true, SHOWN },
	[CHECK_PROC_EMPTY] = { "proc-empty", "the sandbox's /proc is not empty", CAUSE_SETUP_FAILED,
			       false, false, SHAPE_TMPFS },
	[CHECK_RECORD] = { "record", "the prober's record is not whole", CAUSE_SETUP_FAILED, false,
			   false, ALL },
	[CHECK_SIGNALS] = { "signals", "the sentinel received a signal", CAUSE_SIGNALABLE, true,
			    true, ALL },
	[CHECK_SENTINEL_ALIVE] = { "sentinel-alive", "the sentinel did not live to the end",
				   CAUSE_SENTINEL_DIED, false, false, ALL },
	[CHECK_CONTROL_AFTER] = { "control-after", "afterwards the nonce could not be read outside",
				  CAUSE_CONTROL_FAILED, false, false, ALL },
};

const struct check_row *check_row(enum check check)
{
	return &rows[check];
}

void check_set(struct check_result *checks, enum check check, enum check_state state, int error,
	       const char *format, ...)
{
	struct check_result *result = &checks[check];
	va_list arguments;

	*result = (struct check_result){ .state = (int32_t)state,
					 .error = error < 0 ? -error : error };
	va_start(arguments, format);
	(void)vsnprintf(result->detail, sizeof(result->detail), format, arguments);
	va_end(arguments);
}
