/*
 * options: a sandbox command as bwrap's options.  Pure: no look at the world, the order is the
 * contract's (DESIGN, section 8), and every value travels in this text, never in an argv.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "init/own.h"

static const char *const proc_names[] = {
	[SANDBOX_PROC_TMPFS] = "tmpfs",
	[SANDBOX_PROC_BIND] = "proc-bind",
	[SANDBOX_PROC_REAL] = "real-proc",
};

const char *sandbox_proc_name(enum sandbox_proc proc)
{
	return proc_names[proc];
}

/* The variables that every tool gets unless the command names others. */
static const struct sandbox_variable default_variables[] = {
	{ "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
	{ "HOME", "/tmp" },
	{ "LANG", "C.UTF-8" },
};

static void word(struct text *t, const char *string)
{
	text_add_bytes(t, string, strlen(string) + 1);
}

static void words(struct text *t, const char *first, const char *second, const char *third)
{
	word(t, first);
	if (second)
		word(t, second);
	if (third)
		word(t, third);
}

static void fd_word(struct text *t, int fd)
{
	text_add(t, "%d", fd);
	text_add_bytes(t, "", 1);
}

/* --unshare-all alone means user-*try*, and would silently run without a user namespace. */
static void add_namespaces(struct text *t, const struct sandbox_command *command)
{
	bool shared_network = command->network == SANDBOX_NETWORK_INHERIT;

	word(t, "--unshare-user");
	if (command->proc == SANDBOX_PROC_REAL) {
		words(t, "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try");
		if (!shared_network)
			word(t, "--unshare-net");
	} else {
		word(t, "--unshare-all");
		if (shared_network)
			word(t, "--share-net");
	}
	words(t, "--cap-drop", "ALL", NULL);
	words(t, "--new-session", "--die-with-parent", NULL);
}

static bool variable_named(const struct sandbox_command *command, const char *name)
{
	for (size_t i = 0; i < command->n_variables; i++) {
		if (strcmp(command->variables[i].name, name) == 0)
			return true;
	}
	return false;
}

static void add_variables(struct text *t, const struct sandbox_command *command)
{
	word(t, "--clearenv");
	for (size_t i = 0; i < ARRAY_SIZE(default_variables); i++) {
		if (!variable_named(command, default_variables[i].name))
			words(t, "--setenv", default_variables[i].name, default_variables[i].value);
	}
	for (size_t i = 0; i < command->n_variables; i++)
		words(t, "--setenv", command->variables[i].name, command->variables[i].value);
}

static void add_fixed_mounts(struct text *t, const struct sandbox_command *command)
{
	static const char *const links[] = { "/bin", "/sbin", "/lib", "/lib64" };

	if (command->base == SANDBOX_BASE_SYSTEM) {
		words(t, "--ro-bind", "/usr", "/usr");
		words(t, "--ro-bind", "/etc", "/etc");
	} else if (command->base == SANDBOX_BASE_ROOT) {
		words(t, "--ro-bind", "/", "/");
	}
	words(t, "--dev", "/dev", NULL);
	words(t, "--tmpfs", "/tmp", NULL);
	for (size_t i = 0; command->base == SANDBOX_BASE_SYSTEM && i < ARRAY_SIZE(links); i++)
		words(t, "--ro-bind-try", links[i], links[i]);
	if (command->proc == SANDBOX_PROC_TMPFS)
		words(t, "--tmpfs", "/proc", NULL);
	else
		words(t, "--ro-bind", "/proc", "/proc");
}

static int add_mount(struct text *t, const struct sandbox_mount *mount, struct fault *f)
{
	switch (mount->kind) {
	case SANDBOX_MOUNT_RO_BIND:
		words(t, "--ro-bind", mount->source, mount->path);
		return 0;
	case SANDBOX_MOUNT_BIND:
		words(t, "--bind", mount->source, mount->path);
		return 0;
	case SANDBOX_MOUNT_TMPFS:
		words(t, "--tmpfs", mount->path, NULL);
		return 0;
	case SANDBOX_MOUNT_RO_FD:
		words(t, "--perms", "0555", "--ro-bind-data");
		fd_word(t, mount->fd);
		word(t, mount->path);
		return 0;
	case SANDBOX_MOUNT_RO_BIND_FD:
	case SANDBOX_MOUNT_BIND_FD:
		word(t, mount->kind == SANDBOX_MOUNT_BIND_FD ? "--bind-fd" : "--ro-bind-fd");
		fd_word(t, mount->fd);
		word(t, mount->path);
		return 0;
	case SANDBOX_MOUNT_EMPTY_FILE:
		words(t, "--perms", "0444", "--ro-bind-data");
		fd_word(t, mount->fd);
		word(t, mount->path);
		return 0;
	case SANDBOX_MOUNT_SYMLINK:
		words(t, "--symlink", mount->source, mount->path);
		return 0;
	case SANDBOX_MOUNT_NONE:
		break;
	}
	return fault_say(f, -EINVAL, "a sandbox mount has no kind");
}

int sandbox_options_write(const struct sandbox_command *command, struct text *ret_options,
			  struct fault *f)
{
	AUTO_TEXT struct text t = { .limit = ret_options->limit };
	int r;

	if (command->status_fd) {
		word(&t, "--json-status-fd");
		fd_word(&t, command->status_fd);
	}
	if (command->seccomp_fd) {
		word(&t, "--seccomp");
		fd_word(&t, command->seccomp_fd);
	}
	add_namespaces(&t, command);
	add_variables(&t, command);
	add_fixed_mounts(&t, command);
	for (size_t i = 0; i < command->n_mounts; i++) {
		r = add_mount(&t, &command->mounts[i], f);
		if (r < 0)
			return r;
	}
	words(&t, "--chdir", command->cwd ? command->cwd : "/", NULL);
	r = text_error(&t);
	if (r < 0)
		return fault_set(f, r, "write the sandbox's options");
	text_clear(ret_options);
	*ret_options = t;
	t = (struct text){};
	return 0;
}
