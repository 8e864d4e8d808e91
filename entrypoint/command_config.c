/* command_config: the effective configuration, as an INI that says where each value is from. */
#include <errno.h>

#include "entrypoint/pass.h"

int command_config(const struct invocation *invocation)
{
	AUTO_PASS struct pass pass = {};
	AUTO_TEXT struct text t = {};
	struct fault f = {};

	if (invocation->arguments->n_rest > 0) {
		fault_say(&f, -EINVAL, "config takes no further words");
		return command_misused(invocation->command, &f);
	}
	if (pass_read_config(&pass, invocation, false, &f) < 0)
		return command_fail(invocation->command, &f, EXIT_NOT_RUN);
	config_write(&pass.config, &t);
	return command_print(invocation->command, &t);
}
