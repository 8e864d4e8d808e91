/* child: see child.h. */
#include "init/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/image.h"
#include "init/listen.h"
#include "init/own.h"
#include "init/resolve.h"
#include "init/settle.h"
#include "init/terminal.h"
#include "init/text.h"

#define CHILD_SHELL "/bin/sh"

/* All that the child needs, ready before the fork. */
struct child_plan {
	const struct inherited *inherited;
	char *path;
	char *const *argv;
	char *const *envp;
	struct listen_variables *listen;
	int handoff_fd;
	bool session;
	int foreground; /* the terminal that we held; -1: none */
	int error;      /* positive errno, written by the child when exec failed */
};

static int child_status_of(int error)
{
	return error == ENOENT || error == ENOTDIR ? CHILD_NOT_FOUND : CHILD_NOT_EXECUTABLE;
}

/*
 * In the child.  The process group and the foreground come before the mask: once that is
 * restored, a signal that was pending may end it.
 */
static _Noreturn void child_become(struct child_plan *plan)
{
	if (!plan->session || plan->foreground >= 0 || setsid() < 0)
		(void)setpgid(0, 0);
	if (plan->foreground >= 0)
		(void)terminal_give(plan->foreground, getpid());
	if (plan->listen->envp)
		listen_name_self(plan->listen);
	if (plan->handoff_fd >= 0)
		(void)fcntl(plan->handoff_fd, F_SETFD, 0);
	inherited_restore(plan->inherited);
	(void)execve(plan->path, plan->argv, plan->envp);
	plan->error = errno;
	_exit(child_status_of(plan->error));
}

/*
 * vfork(2): no page tables are copied, the child's exec error comes back through the memory that
 * it shares (no pipe, no descriptor), and when the parent goes on the exec has happened, so that
 * no signal can be forwarded to a half-made child and its process group stands.  The signal
 * dispositions are not shared, and none has a handler anyway.
 */
static int child_spawn(struct child_plan *plan, pid_t *ret)
{
	pid_t pid;

	plan->error = 0;
	pid = vfork();
	if (pid == 0)
		child_become(plan);
	if (pid < 0)
		return -errno;
	if (plan->error == 0) {
		*ret = pid;
		return 0;
	}
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	if (plan->foreground >= 0)
		(void)terminal_give(plan->foreground, getpgrp());
	return -plan->error;
}

/* execvp(3): sh, the path, the arguments. */
static int child_spawn_by_shell(const struct child_plan *plan, pid_t *ret)
{
	char shell[] = CHILD_SHELL;
	struct child_plan by_shell = *plan;
	AUTO_FREE char **words = NULL;
	size_t n = 0;

	while (plan->argv[n])
		n++;
	words = calloc(n + 2, sizeof(char *));
	if (!words)
		return -ENOMEM;
	words[0] = shell;
	words[1] = plan->path;
	memcpy(words + 2, plan->argv + 1, (n - 1) * sizeof(char *));
	by_shell.path = shell;
	by_shell.argv = words;
	return child_spawn(&by_shell, ret);
}

/* Why the kernel would not run a file that is there and has its x bit. */
static int child_explain(const char *path, int error, const struct image *image, struct fault *f)
{
	AUTO_TEXT struct text shown = {};
	AUTO_TEXT struct text interpreter = {};

	text_escape(&shown, path, strnlen(path, 256));
	text_escape(&interpreter, image->interpreter, strlen(image->interpreter));
	if (text_error(&shown) < 0 || text_error(&interpreter) < 0)
		return fault_set(f, error, "execute the command");
	if (error == -ENOENT && interpreter.length > 0)
		return fault_set(f, error, "execute \"%s\": its interpreter \"%s\" is missing",
				 shown.data, interpreter.data);
	if (error == -EACCES && interpreter.length > 0)
		return fault_set(f, error, "execute \"%s\" or its interpreter \"%s\"", shown.data,
				 interpreter.data);
	return fault_set(f, error, "execute \"%s\"", shown.data);
}

static int child_execute(struct child_plan *plan, struct child *child, int *ret_status,
			 struct fault *f)
{
	char path[PATH_MAX];
	struct image image = {};
	int r = resolve_command(plan->argv[0], plan->envp, path, f);

	if (r < 0) {
		*ret_status = child_status_of(-r);
		return r;
	}
	plan->path = path;
	r = child_spawn(plan, &child->pid);
	if (r < 0 && plan->error == 0) {
		*ret_status = CHILD_NOT_STARTED;
		return fault_set(f, r, "fork the main child");
	}
	if (r < 0)
		image = image_read(path);
	if (r == -ENOEXEC && image.kind == IMAGE_BARE_SCRIPT)
		r = child_spawn_by_shell(plan, &child->pid);
	if (r < 0) {
		*ret_status = child_status_of(-r);
		return child_explain(path, r, &image, f);
	}
	return 0;
}

int child_start(const struct child_request *request, struct child *ret, int *ret_status,
		struct fault *f)
{
	AUTO_LISTEN struct listen_variables listen = {};
	struct child child = {};
	struct child_plan plan = {
		.inherited = request->inherited,
		.argv = request->argv,
		.envp = request->envp,
		.listen = &listen,
		.handoff_fd = request->handoff_fd,
		.session = request->session,
		.foreground = -1,
	};
	int r = listen_prepare(request->envp, &listen);

	if (r < 0) {
		*ret_status = CHILD_NOT_STARTED;
		return fault_set(f, r, "prepare the main child's environment");
	}
	if (listen.envp)
		plan.envp = listen.envp;
	child.terminal = terminal_find(&child.held_terminal);
	if (child.held_terminal)
		plan.foreground = child.terminal;
	r = child_execute(&plan, &child, ret_status, f);
	if (r < 0)
		return r;
	settle(request->inherited, child.terminal);
	*ret = child;
	return 0;
}
