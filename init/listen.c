/* listen: see listen.h. */
#include "init/listen.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init/own.h"
#include "init/text.h"

static const char listen_pid_name[] = "LISTEN_PID=";
static const char listen_pidfd_name[] = "LISTEN_PIDFDID=";

static const char *listen_value(const char *variable, const char *name)
{
	size_t length = strlen(name);

	return strncmp(variable, name, length) == 0 ? variable + length : NULL;
}

static size_t listen_count(char *const *envp, bool *ret_named)
{
	size_t n = 0;

	*ret_named = false;
	for (; envp[n]; n++) {
		const char *value = listen_value(envp[n], listen_pid_name);
		uint64_t pid;

		if (value && number_parse(value, 1, INT32_MAX, &pid) == 0 && (pid_t)pid == getpid())
			*ret_named = true;
	}
	return n;
}

int listen_prepare(char *const *envp, struct listen_variables *ret)
{
	bool named;
	size_t n = listen_count(envp, &named);
	size_t used = 0;

	ret->envp = NULL;
	if (!named)
		return 0;
	ret->envp = calloc(n + 1, sizeof(char *));
	if (!ret->envp)
		return -ENOMEM;
	memcpy(ret->pid, listen_pid_name, sizeof(listen_pid_name));
	for (size_t i = 0; i < n; i++) {
		if (listen_value(envp[i], listen_pid_name))
			ret->envp[used++] = ret->pid;
		else if (!listen_value(envp[i], listen_pidfd_name))
			ret->envp[used++] = envp[i];
	}
	return 0;
}

void listen_clear(struct listen_variables *variables)
{
	free(variables->envp);
	variables->envp = NULL;
}

void listen_name_self(struct listen_variables *variables)
{
	char digits[12];
	size_t n = 0;
	size_t at = sizeof(listen_pid_name) - 1;

	for (pid_t pid = getpid(); pid > 0; pid /= 10)
		digits[n++] = (char)('0' + pid % 10);
	while (n > 0)
		variables->pid[at++] = digits[--n];
	variables->pid[at] = '\0';
}
