/* plan: see plan.h. */
#include "dockerfile/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dockerfile/quote.h"
#include "init/own.h"
#include "init/text.h"

#define NAME_REAL_PROC "TYPECLAW_SANDBOX_REAL_PROC"
#define NAME_SYMLINKS "TYPECLAW_SANDBOX_SYMLINKS"
#define NAME_WRITABLE_PATHS "TYPECLAW_SANDBOX_WRITABLE_PATHS"

/* Each decision once: what it is for, and what it costs whoever runs the container. */
static const struct plan_step unconfined = {
	PLAN_SECCOMP, NULL, NULL,
	"bwrap needs clone, mount, umount2, pivot_root and unshare, which the engine's own "
	"seccomp profile refuses",
	"some 40 system calls more stand open to everything in the container; "
	"--seccomp scoped opens only the five, by their arguments"
};
static const struct plan_step scoped = {
	PLAN_SECCOMP, NULL, NULL,
	"the engine's own seccomp profile plus the calls bwrap makes, filtered by argument",
	"a process in the container can make user namespaces, and mount within them"
};
static const struct plan_step sys_admin = {
	PLAN_CAPABILITY, "SYS_ADMIN", NULL,
	"sandbox.realProc: a fresh /proc for each tool call, for package runners",
	"Reduces security: CAP_SYS_ADMIN lets a process in the container mount, and with "
	"it comes a large part of the kernel's attack surface; the engine's seccomp profile too "
	"opens bpf, setns, fsopen and others for it"
};
static const struct plan_step real_proc = {
	PLAN_ENVIRONMENT, NAME_REAL_PROC, NULL,
	"tells the boot that the capability was given for real-proc", NULL
};
static const struct plan_step symlinks = {
	PLAN_ENVIRONMENT, NAME_SYMLINKS, NULL,
	"sandbox.symlinks: the links that the boot makes, base64 of JSON", NULL
};
static const struct plan_step writable_paths = {
	PLAN_ENVIRONMENT, NAME_WRITABLE_PATHS, NULL,
	"sandbox.writablePaths: what sandboxed tools may write below the agent folder",
	"a steered tool call can change what lies there"
};
static const struct plan_step apparmor = {
	PLAN_APPARMOR, NULL, NULL,
	"AppArmor's docker-default profile denies mount, which bwrap needs",
	"the container runs without AppArmor's confinement"
};
static const struct plan_step selinux = {
	PLAN_SELINUX, NULL, NULL, "SELinux's container type denies the mounts that bwrap needs",
	"the container runs without SELinux's separation from the host and other containers"
};

void plan_clear(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		free(plan->steps[i].value);
	*plan = (struct plan){};
}

/* Takes `value` over, whatever comes of it. */
static void plan_add(struct plan *plan, const struct plan_step *step, char *value)
{
	struct plan_step *added = &plan->steps[plan->n_steps++];

	*added = *step;
	added->value = value;
}

static int plan_add_copy(struct plan *plan, const struct plan_step *step, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	plan_add(plan, step, copy);
	return 0;
}

/* The text error of a value, in words. */
static int value_fault(int error, const char *what, struct fault *f)
{
	if (error == -EILSEQ)
		return fault_say(f, error, "%s: a name that is not UTF-8 cannot be handed over",
				 what);
	if (error == -E2BIG)
		return fault_say(f, error,
				 "%s: longer than an environment string can be (%d bytes)", what,
				 PLAN_ENVIRONMENT_MAX);
	return fault_set(f, error, "write %s", what);
}

int plan_links_value(const struct plan_link *links, size_t n_links, char **ret, struct fault *f)
{
	AUTO_TEXT struct text json = { .limit = PLAN_ENVIRONMENT_MAX };
	AUTO_TEXT struct text value = { .limit = PLAN_ENVIRONMENT_MAX - sizeof(NAME_SYMLINKS) };

	if (n_links > PLAN_LINKS_MAX)
		return fault_say(f, -E2BIG, "sandbox.symlinks: %zu links, the boot takes %d",
				 n_links, PLAN_LINKS_MAX);
	text_add(&json, "[");
	for (size_t i = 0; i < n_links; i++) {
		text_add(&json, "%s{\"from\":", i ? "," : "");
		quote_json(&json, links[i].from);
		text_add(&json, ",\"to\":");
		quote_json(&json, links[i].to);
		text_add(&json, "}");
	}
	text_add(&json, "]");
	if (text_error(&json) < 0)
		return value_fault(text_error(&json), "sandbox.symlinks", f);
	quote_base64(&value, json.data, json.length);
	if (text_error(&value) < 0)
		return value_fault(text_error(&value), "sandbox.symlinks", f);
	*ret = text_take(&value);
	return 0;
}

/* Why the boot would not read `path` as it is written, or NULL. */
static const char *path_unfit(const char *path)
{
	size_t length = strlen(path);

	if (!length)
		return "is empty";
	if (strchr(path, ','))
		return "holds a comma, which separates the paths on their way into the container";
	if (path[0] == ' ' || path[length - 1] == ' ')
		return "begins or ends with a space, which is trimmed on the way into the "
		       "container";
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return "holds a control character, which the boot refuses";
	return NULL;
}

static int path_check(const char *path, struct fault *f)
{
	AUTO_TEXT struct text shown = {};
	AUTO_TEXT struct text quoted = {};
	const char *why = path_unfit(path);

	quote_json(&quoted, path);
	if (!why && text_error(&quoted) < 0)
		return value_fault(text_error(&quoted), "sandbox.writablePaths", f);
	if (!why)
		return 0;
	text_escape(&shown, path, strnlen(path, 128));
	return fault_say(f, -EINVAL, "sandbox.writablePaths: \"%s\" %s",
			 text_error(&shown) < 0 ? "" : shown.data, why);
}

static int paths_value(const struct plan_request *request, char **ret, struct fault *f)
{
	AUTO_TEXT struct text value = { .limit = PLAN_ENVIRONMENT_MAX -
						 sizeof(NAME_WRITABLE_PATHS) };

	if (request->n_writable_paths > PLAN_PATHS_MAX)
		return fault_say(f, -E2BIG, "sandbox.writablePaths: %zu paths, the boot takes %d",
				 request->n_writable_paths, PLAN_PATHS_MAX);
	for (size_t i = 0; i < request->n_writable_paths; i++) {
		int r = path_check(request->writable_paths[i], f);

		if (r < 0)
			return r;
		text_add(&value, "%s%s", i ? "," : "", request->writable_paths[i]);
	}
	if (text_error(&value) < 0)
		return value_fault(text_error(&value), "sandbox.writablePaths", f);
	*ret = text_take(&value);
	return 0;
}

/* `unconfined` and `builtin` are no files to the engine, whatever lies in the folder. */
static int add_seccomp(const struct plan_request *request, struct plan *plan, struct fault *f)
{
	const char *file = request->seccomp_file;

	if (request->seccomp == PLAN_SECCOMP_UNCONFINED)
		return plan_add_copy(plan, &unconfined, "unconfined");
	if (!file || !file[0])
		return fault_say(f, -EINVAL, "a scoped seccomp profile needs the path of its file");
	if (!strcmp(file, "unconfined") || !strcmp(file, "builtin") || strchr(file, '\n'))
		return fault_say(f, -EINVAL,
				 "the engine would not take that name for a profile's file; "
				 "write it with its folder");
	plan->seccomp_scoped = true;
	return plan_add_copy(plan, &scoped, file);
}

static int add_real_proc(const struct plan_request *request, struct plan *plan)
{
	if (!request->real_proc)
		return 0;
	plan->real_proc = true;
	plan_add(plan, &sys_admin, NULL);
	return plan_add_copy(plan, &real_proc, "1");
}

static int add_values(const struct plan_request *request, struct plan *plan, struct fault *f)
{
	AUTO_FREE char *links = NULL;
	AUTO_FREE char *paths = NULL;
	int r;

	if (request->n_links) {
		r = plan_links_value(request->links, request->n_links, &links, f);
		if (r < 0)
			return r;
		plan_add(plan, &symlinks, pointer_take(&links));
	}
	if (request->n_writable_paths) {
		r = paths_value(request, &paths, f);
		if (r < 0)
			return r;
		plan_add(plan, &writable_paths, pointer_take(&paths));
	}
	return 0;
}

int plan_choose(const struct plan_request *request, struct plan *ret, struct fault *f)
{
	AUTO_PLAN struct plan plan = {};
	int r = add_seccomp(request, &plan, f);

	if (r == 0)
		r = add_real_proc(request, &plan);
	if (r == 0)
		r = add_values(request, &plan, f);
	if (r == -ENOMEM)
		return fault_set(f, r, "make the plan");
	if (r < 0)
		return r;
	if (request->apparmor_unconfined)
		plan_add(&plan, &apparmor, NULL);
	if (request->selinux_disable)
		plan_add(&plan, &selinux, NULL);
	*ret = plan;
	plan = (struct plan){};
	return 0;
}
