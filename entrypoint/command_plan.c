/*
 * command_plan: what the engine must be told so that the sandbox works in the container.  Runs
 * on the host; needs no root, no bwrap and no container.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dockerfile/image.h"
#include "dockerfile/plan_write.h"
#include "dockerfile/profile.h"
#include "entrypoint/agent_source.h"
#include "init/file.h"
#include "init/own.h"

/* The options, judged. */
struct plan_wishes {
	struct plan_request request;
	struct plan_layout layout;
	const char *seccomp_base;
};

/* An option of two words; the second is the one that changes something. */
struct wish {
	enum option_id id;
	const char *name, *first, *second;
};

static const struct wish seccomp_wish = { OPTION_SECCOMP, "seccomp", "unconfined", "scoped" };
static const struct wish apparmor_wish = { OPTION_APPARMOR, "apparmor", "default", "unconfined" };
static const struct wish selinux_wish = { OPTION_SELINUX, "selinux", "default", "disable" };

static int wish_read(const struct arguments *arguments, const struct wish *wish, bool *ret,
		     struct fault *f)
{
	const char *word = arguments_value(arguments, wish->id);

	if (!word || strcmp(word, wish->first) == 0)
		*ret = false;
	else if (strcmp(word, wish->second) == 0)
		*ret = true;
	else
		return fault_say(f, -EINVAL, "--%s takes %s or %s", wish->name, wish->first,
				 wish->second);
	return 0;
}

static int seccomp_wish_read(const struct arguments *arguments, struct plan_wishes *wishes,
			     struct fault *f)
{
	bool scoped = false;
	int r = wish_read(arguments, &seccomp_wish, &scoped, f);

	wishes->request.seccomp = scoped ? PLAN_SECCOMP_SCOPED : PLAN_SECCOMP_UNCONFINED;
	wishes->request.seccomp_file = arguments_value(arguments, OPTION_SECCOMP_FILE);
	wishes->seccomp_base = arguments_value(arguments, OPTION_SECCOMP_BASE);
	if (r == 0 && scoped && !wishes->request.seccomp_file)
		r = fault_say(f, -EINVAL, "--seccomp scoped needs --seccomp-file FILE to write");
	if (r == 0 && !scoped && (wishes->request.seccomp_file || wishes->seccomp_base))
		r = fault_say(f, -EINVAL,
			      "--seccomp-file and --seccomp-base go with "
			      "--seccomp scoped");
	return r;
}

static int wishes_read(const struct arguments *arguments, struct plan_wishes *ret, struct fault *f)
{
	struct plan_wishes wishes = { .layout = { .name = "agent", .binary = IMAGE_BINARY } };
	const char *format = arguments_value(arguments, OPTION_FORMAT);
	const char *name = arguments_value(arguments, OPTION_NAME);
	int r = seccomp_wish_read(arguments, &wishes, f);

	if (r == 0)
		r = wish_read(arguments, &apparmor_wish, &wishes.request.apparmor_unconfined, f);
	if (r == 0)
		r = wish_read(arguments, &selinux_wish, &wishes.request.selinux_disable, f);
	if (r == 0 && format && plan_format_parse(format, &wishes.layout.format) < 0)
		r = fault_say(f, -EINVAL,
			      "--format takes docker, podman, compose, kubernetes or "
			      "json");
	if (r < 0)
		return r;
	wishes.layout.null_separated = arguments_has(arguments, OPTION_NULL);
	if (wishes.layout.null_separated && wishes.layout.format != PLAN_DOCKER &&
	    wishes.layout.format != PLAN_PODMAN)
		return fault_say(f, -EINVAL, "--null goes with the formats docker and podman");
	if (name)
		wishes.layout.name = name;
	*ret = wishes;
	return 0;
}

/* Beside the place it is for, then by rename(2): an engine never reads half a profile. */
static int file_place(const char *path, const struct text *text, struct fault *f)
{
	AUTO_TEXT struct text name = {};
	AUTO_CLOSE int fd = -1;
	int r;

	text_add(&name, "%s.XXXXXX", path);
	if (text_error(&name) < 0)
		return fault_set(f, text_error(&name), "write the seccomp profile");
	fd = mkostemp(name.data, O_CLOEXEC);
	if (fd < 0)
		return fault_set(f, -errno, "write the seccomp profile");
	r = file_write_all(fd, text->data, text->length);
	if (r == 0 && (fchmod(fd, 0644) < 0 || rename(name.data, path) < 0))
		r = -errno;
	if (r < 0) {
		(void)unlink(name.data);
		return fault_set(f, r, "write the seccomp profile");
	}
	return 0;
}

static int profile_place(const struct plan_wishes *wishes, const struct plan *plan, struct fault *f)
{
	struct profile_request request = { .oci = wishes->layout.format == PLAN_KUBERNETES,
					   .sys_admin = plan->real_proc };
	AUTO_TEXT struct text profile = {};
	AUTO_FREE char *base = NULL;
	int r;

	if (wishes->seccomp_base) {
		r = file_slurp(AT_FDCWD, wishes->seccomp_base, PROFILE_BASE_MAX, &base,
			       &request.base_length);
		if (r < 0)
			return fault_set(f, r, "read the file of --seccomp-base");
		request.base = base;
	}
	r = profile_write(&request, &profile, f);
	if (r < 0)
		return r;
	return file_place(wishes->request.seccomp_file, &profile, f);
}

/* What a person should know and a program need not. */
static void remarks_print(const struct invocation *invocation, const struct plan_wishes *wishes,
			  const struct plan *plan)
{
	struct log log = log_open(LOG_INFO);
	AUTO_TEXT struct text explained = {};
	struct fault f = {};

	if (plan->real_proc)
		log_line(&log, LINE_WARNING,
			 "Reduces security: real-proc gives the container "
			 "CAP_SYS_ADMIN");
	if (plan->seccomp_scoped && !wishes->seccomp_base)
		log_line(&log, LINE_INFO, "the profile's base is that of %s",
			 profile_base_version());
	if (plan->seccomp_scoped && wishes->layout.format == PLAN_KUBERNETES)
		log_line(&log, LINE_INFO,
			 "the profile belongs on every node, in the folder "
			 "seccomp of the kubelet (/var/lib/kubelet/seccomp)");
	if (arguments_has(invocation->arguments, OPTION_EXPLAIN) &&
	    plan_explain(plan, &explained, &f) == 0)
		(void)file_write_all(STDERR_FILENO, explained.data, explained.length);
}

int command_plan(const struct invocation *invocation)
{
	const struct command *command = invocation->command;
	AUTO_AGENT_SOURCE struct agent_source source = {};
	AUTO_PLAN struct plan plan = {};
	AUTO_TEXT struct text text = {};
	struct plan_wishes wishes = {};
	struct fault f = {};

	if (invocation->arguments->n_rest > 0)
		fault_say(&f, -EINVAL, "plan takes no further words");
	if (arguments_has(invocation->arguments, OPTION_AGENT_DIR) &&
	    arguments_has(invocation->arguments, OPTION_CONFIG))
		fault_say(&f, -EINVAL, "--agent-dir and --config: a plan is made from one of them");
	if (f.message[0] || wishes_read(invocation->arguments, &wishes, &f) < 0)
		return command_misused(command, &f);
	if (agent_source_read(invocation, &source, &f) < 0)
		return command_fail(command, &f, EXIT_NOT_RUN);
	agent_source_fill(&source, &wishes.request);
	if (plan_choose(&wishes.request, &plan, &f) < 0 ||
	    plan_write(&plan, &wishes.layout, &text, &f) < 0 ||
	    (plan.seccomp_scoped && profile_place(&wishes, &plan, &f) < 0))
		return command_fail(command, &f, EXIT_NOT_RUN);
	agent_source_foresee(&source, &wishes.request);
	remarks_print(invocation, &wishes, &plan);
	return command_print(command, &text);
}
