/* tool: see tool.h. */
#include "entrypoint/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "init/file.h"
#include "init/image.h"
#include "init/own.h"
#include "init/resolve.h"
#include "sandbox/script.h"

#define MOUNTINFO_MAX ((size_t)4 << 20)

/* The command's own words, or the script. */
static bool command_is_install(const struct tool_options *options)
{
	if (options->script)
		return script_is_install(options->script);
	return options->argv && options->argv[0] && script_words_are_install(options->argv);
}

static bool command_needs_real_proc(const struct tool_options *options)
{
	if (options->script)
		return script_needs_real_proc(options->script);
	return options->argv && options->argv[0] && script_words_need_real_proc(options->argv);
}

/* Stopped before it runs, because it would fail in there with a worse message. */
static int demand_proc(const struct tool *tool, struct fault *f)
{
	const struct strategy *strategy = tool->strategy;

	if (strategy->proc != SANDBOX_PROC_TMPFS || !command_needs_real_proc(tool->options))
		return 0;
	if (strategy->reason == REASON_UNVERIFIED)
		return fault_say(
			f, -EAGAIN,
			"the command was not run: it needs a real /proc, and whether that is"
			" safe here was not settled in time (%s); try the same command again",
			strategy->because);
	return fault_say(
		f, -ENOTSUP,
		"the command was not run: it needs a real /proc, which this container cannot"
		" show safely (%s); no retry helps, the environment must change: see"
		" `typeclaw-init doctor`",
		strategy->because);
}

static int read_policy(struct tool *tool, const struct tool_ground *ground, struct fault *f)
{
	const struct tool_options *options = tool->options;
	const char *targets[CONFIG_LINKS_MAX];
	struct policy_request request = {
		.agent_dir = ground->agent_dir,
		.see = options->see,
		.writable_paths = ground->writable_paths,
		.n_writable_paths = ground->n_writable_paths,
		.link_targets = targets,
		.n_link_targets = ground->n_links,
		.install = command_is_install(options),
		.read_only = options->profile != PROFILE_NONE,
		.optional = options->profile != PROFILE_NONE,
	};

	for (size_t i = 0; i < ground->n_links; i++)
		targets[i] = ground->links[i].to;
	/* Maintenance reads everything but secrets, whoever asks. */
	if (options->profile == PROFILE_TRUSTED_MAINTENANCE)
		request.see = SEE_PRIVATE;
	return policy_resolve(&request, &tool->policy, f);
}

/* Without --bind-fd the session's folder is bound by its name. */
static int open_session(struct tool *tool, bool pretend, struct fault *f)
{
	const struct tool_options *options = tool->options;
	AUTO_TEXT struct text path = {};
	int r;

	if (!options->session)
		return 0;
	/* The agent folder's mount point would be made in a folder that tools write. */
	if (zone_path_is_below(tool->policy.ground.path, "/tmp"))
		return fault_say(f, -EPERM, "--session needs an agent folder outside of /tmp");
	if (pretend)
		return 0;
	r = session_open(options->session, &tool->session_fd, f);
	if (r < 0)
		return r;
	text_add(&path, SESSION_ROOT "/%s", options->session);
	if (text_error(&path) < 0)
		return fault_set(f, -ENOMEM, "name the session's folder");
	layout_bind(&tool->layout, layout_keep(&tool->layout, path.data), "/tmp", tool->session_fd,
		    true);
	return 0;
}

static int place_links(struct tool *tool, const struct tool_ground *ground, bool pretend,
		       struct fault *f)
{
	int r = 0;

	if (tool->options->profile != PROFILE_NONE)
		return 0;
	for (size_t i = 0; r == 0 && i < ground->n_links; i++)
		r = homelinks_add(&tool->links, &tool->policy, ground->links[i].from,
				  ground->links[i].to);
	if (r < 0)
		return fault_set(f, r, "judge the links");
	if (!pretend)
		homelinks_place(&tool->links, tool->session_fd, &tool->layout);
	return 0;
}

static const char *variable_value(const struct tool *tool, const char *name)
{
	for (size_t i = 0; i < tool->command.n_variables; i++) {
		if (strcmp(tool->command.variables[i].name, name) == 0)
			return tool->command.variables[i].value;
	}
	return NULL;
}

/* The profile's own variables first: the caller's may replace them. */
static void join_variables(struct tool *tool)
{
	const struct tool_options *options = tool->options;
	size_t n = 0;

	for (size_t i = 0; i < tool->profile.n_variables; i++) {
		bool replaced = false;

		for (size_t k = 0; k < options->n_variables; k++)
			replaced |= strcmp(options->variables[k].name,
					   tool->profile.variables[i].name) == 0;
		if (!replaced)
			tool->variables[n++] = tool->profile.variables[i];
	}
	for (size_t i = 0; i < options->n_variables; i++)
		tool->variables[n++] = options->variables[i];
	tool->command.variables = tool->variables;
	tool->command.n_variables = n;
}

/* The variables of the command that a lookup goes by: its PATH. */
static char *path_word(const struct tool *tool)
{
	const char *path = variable_value(tool, "PATH");
	struct text word = {};

	text_add(&word, "PATH=%s", path ? path : RESOLVE_DEFAULT_PATH);
	return text_take(&word);
}

/* The program that the command's first word is, looked for on the PATH that it will have. */
static int find_program(const struct tool *tool, char ret[PATH_MAX])
{
	AUTO_FREE char *path = path_word(tool);
	char *environment[] = { path, NULL };
	const char *word = tool->options->argv[0];
	AUTO_FREE char *first = NULL;

	if (tool->options->script) {
		const char *script = tool->options->script;

		script += strspn(script, " \t");
		first = strndup(script, strcspn(script, " \t\n;&|<>()$`\\\"'"));
		if (!first || !first[0])
			return -ENOENT;
		word = first;
	}
	return resolve_command(word, environment, ret, NULL);
}

/* `#!/usr/bin/env NAME`: NAME, looked for as env(1) will. */
static int find_env_program(const struct tool *tool, const char *script, char ret[PATH_MAX])
{
	AUTO_FREE char *path = path_word(tool);
	char *environment[] = { path, NULL };
	AUTO_CLOSE int fd = open(script, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char line[256];
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	char *word;

	if (n <= 0)
		return -ENOENT;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	word = line + strcspn(line, " \t");
	word += strspn(word, " \t");
	word[strcspn(word, " \t")] = '\0';
	if (!word[0] || word[0] == '-' || strchr(word, '='))
		return -ENOENT;
	return resolve_command(word, environment, ret, NULL);
}

static bool is_env(const char *interpreter)
{
	const char *slash = strrchr(interpreter, '/');

	return slash && strcmp(slash, "/env") == 0;
}

/*
 * What /proc/self/exe should be where /proc is empty: the program itself, or a script's
 * interpreter.  A program that cannot be found is no reason to refuse.
 */
static int find_self_exe(struct tool *tool, struct fault *f)
{
	char program[PATH_MAX];
	struct image image;

	if (tool->command.proc != SANDBOX_PROC_TMPFS)
		return 0;
	if (tool->options->self_exe) {
		if (tool->options->self_exe[0] != '/')
			return fault_say(f, -EINVAL, "option --self-exe needs an absolute path");
		tool->self_exe = realpath(tool->options->self_exe, NULL);
		return tool->self_exe ? 0 : fault_set(f, -errno, "find what --self-exe names");
	}
	if (!tool->options->argv || !tool->options->argv[0] || find_program(tool, program) < 0)
		return 0;
	image = image_read(program);
	if (image.kind == IMAGE_SCRIPT && is_env(image.interpreter) &&
	    find_env_program(tool, program, program) == 0)
		image.kind = IMAGE_ELF;
	if (image.kind == IMAGE_SCRIPT)
		tool->self_exe = realpath(image.interpreter, NULL);
	else if (image.kind == IMAGE_ELF)
		tool->self_exe = realpath(program, NULL);
	return 0;
}

static void bind_self_exe(struct tool *tool)
{
	const char *path = tool->self_exe;
	bool visible = tool->command.base == SANDBOX_BASE_ROOT ||
		       (path && zone_path_is_below(path, "/usr"));

	if (!path)
		return;
	/* What lies in the agent folder is there already, or hidden for a reason. */
	if (!visible && !zone_path_is_below(path, tool->policy.ground.path))
		layout_bind_path(&tool->layout, path, path, false);
	layout_symlink(&tool->layout, path, "/proc/self/exe");
}

/* Where it starts; below a mask there is nothing to start in. */
static int choose_cwd(struct tool *tool, struct fault *f)
{
	const char *cwd = tool->options->cwd;
	AUTO_TEXT struct text path = {};

	if (!cwd)
		cwd = tool->profile.cwd ? tool->profile.cwd : tool->policy.ground.path;
	if (cwd[0] != '/')
		text_add(&path, "%s/", tool->policy.ground.path);
	text_add(&path, "%s", cwd);
	for (size_t i = 0; text_error(&path) == 0 && i < tool->policy.hidden.n; i++) {
		const char *hidden = tool->policy.hidden.list[i].path;

		if (zone_path_is_below(path.data, hidden) && strlen(path.data) > strlen(hidden))
			return fault_say(f, -EPERM,
					 "--cwd lies in what is hidden from this caller");
	}
	tool->cwd = text_take(&path);
	return tool->cwd ? 0 : fault_set(f, -ENOMEM, "copy the working directory");
}

static int hide_pids(struct tool *tool, struct fault *f)
{
	AUTO_FREE char *mountinfo = NULL;
	int r;

	if (!tool->options->hide_pids || tool->command.proc == SANDBOX_PROC_TMPFS)
		return 0;
	if (tool->command.proc == SANDBOX_PROC_REAL) {
		tool->command.hide_pids = true;
		return 0;
	}
	r = file_slurp(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &mountinfo, NULL);
	if (r < 0)
		return fault_set(f, r, "read how /proc is mounted");
	if (tighten_pids_hidden(mountinfo))
		return 0;
	return fault_say(f, -ENOTSUP,
			 "--hide-pids: this container's own /proc shows all of them; it needs"
			 " hidepid=4 (remount it at boot, with SYS_ADMIN), or real-proc");
}

static int tighten(struct tool *tool, struct fault *f)
{
	int r = hide_pids(tool, f);

	if (r < 0)
		return r;
	tool->command.limits = tool->options->limits;
	tool->command.n_limits = tool->options->n_limits;
	if (!tool->options->deny_syscalls)
		return 0;
	r = tighten_syscalls(&tool->seccomp_fd, f);
	tool->command.seccomp_fd = r < 0 ? 0 : tool->seccomp_fd;
	return r;
}

static int lay_out(struct tool *tool, const struct tool_ground *ground, struct fault *f)
{
	const struct tool_options *options = tool->options;
	const struct profile_request request = {
		.profile = options->profile,
		.workspace = options->workspace,
		.home = options->home,
		.tmp = options->tmp,
		.cache = options->cache,
		.path = ground->path,
		.policy = &tool->policy,
	};
	int r;

	if (options->profile == PROFILE_NONE) {
		layout_agent(&tool->layout, &tool->policy);
		return 0;
	}
	r = profile_lay(&request, &tool->layout, &tool->profile, f);
	if (r < 0)
		return r;
	tool->command.base = tool->profile.base;
	tool->command.network = tool->profile.network;
	return 0;
}

/* In the order in which it is mounted: /tmp, the agent folder, links, /proc/self/exe. */
static int resolve(struct tool *tool, const struct tool_ground *ground, bool pretend,
		   struct fault *f)
{
	int r = pretend ? 0 : demand_proc(tool, f);

	if (r == 0)
		r = read_policy(tool, ground, f);
	if (r == 0)
		r = open_session(tool, pretend, f);
	if (r == 0)
		r = lay_out(tool, ground, f);
	if (r == 0)
		r = place_links(tool, ground, pretend, f);
	if (r < 0)
		return r;
	join_variables(tool);
	r = find_self_exe(tool, f);
	if (r == 0)
		r = choose_cwd(tool, f);
	if (r == 0)
		r = tighten(tool, f);
	if (r < 0)
		return r;
	bind_self_exe(tool);
	r = layout_error(&tool->layout);
	return r < 0 ? fault_set(f, r, "lay out the sandbox's mounts") : 0;
}

int tool_resolve(const struct tool_options *options, const struct tool_ground *ground,
		 const struct strategy *strategy, bool pretend, struct tool *ret, struct fault *f)
{
	int r;

	*ret = TOOL_NONE;
	ret->options = options;
	ret->strategy = strategy;
	ret->layout.by_descriptor = ground->bwrap && sandbox_bwrap_binds_descriptors(ground->bwrap);
	ret->command.bwrap = ground->bwrap;
	ret->command.proc = strategy->proc;
	ret->command.network = ground->network;
	r = resolve(ret, ground, pretend, f);
	if (r < 0)
		return r;
	if (options->network_given)
		ret->command.network = options->network;
	ret->command.mounts = ret->layout.mounts;
	ret->command.n_mounts = ret->layout.n;
	ret->command.cwd = ret->cwd;
	ret->command.argv = options->argv;
	ret->command.timeout_ms = options->timeout_ms;
	return 0;
}

void tool_clear(struct tool *tool)
{
	policy_clear(&tool->policy);
	homelinks_clear(&tool->links);
	layout_clear(&tool->layout);
	free(tool->cwd);
	free(tool->self_exe);
	fd_close(&tool->session_fd);
	if (tool->seccomp_fd > 0)
		fd_close(&tool->seccomp_fd);
	*tool = TOOL_NONE;
}
