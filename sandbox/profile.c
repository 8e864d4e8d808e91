/* profile: see profile.h. */
#include "sandbox/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "init/own.h"
#include "init/resolve.h"
#include "init/text.h"

#define SANDBOX_WORKSPACE "/workspace"
#define PROFILE_HOME "/home/sandbox"

static const char *const names[] = {
	[PROFILE_NONE] = "none",
	[PROFILE_PUBLIC_BOT] = "public-bot",
	[PROFILE_TRUSTED_MAINTENANCE] = "trusted-maintenance",
};

/* Where programs are; `programs` in those that PATH may name. */
static const struct {
	const char *path;
	const char *twin; /* what a link there leads to where the folder itself is missing */
	bool programs;
} roots[] = {
	{ "/usr/local/sbin", NULL, true },
	{ "/usr/local/bin", NULL, true },
	{ "/usr/sbin", NULL, true },
	{ "/usr/bin", NULL, true },
	{ "/sbin", "usr/sbin", true },
	{ "/bin", "usr/bin", true },
	{ "/run/current-system/sw", NULL, true },
	{ "/nix/var/nix/profiles/default", NULL, true },
	{ "/nix/store", NULL, true },
	{ "/usr/lib", NULL, false },
	{ "/usr/local/lib", NULL, false },
	{ "/lib", "usr/lib", false },
	{ "/lib64", NULL, false },
};

enum profile profile_parse(const char *word)
{
	for (size_t i = 1; i < ARRAY_SIZE(names); i++) {
		if (strcmp(word, names[i]) == 0)
			return (enum profile)i;
	}
	return PROFILE_NONE;
}

const char *profile_name(enum profile profile)
{
	return names[profile];
}

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int refuse(struct fault *f, const char *option, const char *path, const char *why)
{
	AUTO_TEXT struct text shown = {};

	text_escape(&shown, path, strlen(path));
	return fault_say(f, -EINVAL, "%s \"%s\" %s", option,
			 text_error(&shown) < 0 ? "?" : shown.data, why);
}

/* Opens a host folder that an option names; the descriptor is what gets bound. */
static int folder_open(const char *option, const char *path, const struct profile_request *request,
		       int *ret_fd, struct fault *f)
{
	const char *agent = request->policy->ground.path;
	AUTO_FREE char *resolved = NULL;
	AUTO_CLOSE int fd = -1;

	if (path[0] != '/')
		return refuse(f, option, path, "is not an absolute path");
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse(f, option, path,
			      errno == ENOENT ? "does not exist" : "is not a folder");
	resolved = realpath(path, NULL);
	if (!resolved)
		return refuse(f, option, path, "cannot be resolved");
	if (zone_path_is_below(agent, resolved))
		return refuse(f, option, path, "would show the whole agent folder");
	for (size_t i = 0; i < request->policy->hidden.n; i++) {
		if (zone_path_is_below(resolved, request->policy->hidden.list[i].path))
			return refuse(f, option, path, "lies in what must be hidden");
	}
	*ret_fd = fd_take(&fd);
	return 0;
}

/* A folder that an option names, and where it is mounted. */
struct folder {
	const char *option;
	const char *path; /* NULL: not given */
	const char *inside;
};

static int bind_folder(const struct folder *folder, const struct profile_request *request,
		       struct layout *layout, struct fault *f)
{
	int fd = -1;
	int r = folder_open(folder->option, folder->path, request, &fd, f);

	if (r < 0)
		return r;
	layout_keep_fd(layout, fd);
	layout_bind(layout, layout_keep(layout, folder->path), folder->inside, fd, true);
	return 0;
}

/*
 * Nothing is mounted below a folder that tools write: bwrap would go through a link that one of
 * them left there, to /oldroot for instance, where our own root is while the sandbox is set up.
 */
static int judge_nesting(const struct folder *folder, const struct folder *other, struct fault *f)
{
	if (other == folder || !other->path || !zone_path_is_below(folder->inside, other->inside))
		return 0;
	return refuse(f, folder->option, folder->path,
		      "lies below another folder that is writable");
}

/*
 * public-bot has places of its own for them.  Under a read-only root no new folder can be made, so
 * that trusted-maintenance has its workspace where it lies anyway.
 */
static int bind_folders(const struct profile_request *request, const struct profile_result *result,
			struct layout *layout, struct fault *f)
{
	const struct folder folders[] = {
		{ "--tmp", request->tmp, "/tmp" },
		{ "--workspace", request->workspace, result->cwd },
		{ "--home", request->home, PROFILE_HOME },
		{ "--cache", request->cache, request->cache },
	};
	AUTO_FREE char *tmp = request->tmp ? realpath(request->tmp, NULL) : NULL;
	int r = 0;

	if (tmp && strcmp(tmp, "/tmp") == 0)
		return refuse(f, "--tmp", request->tmp,
			      "is everybody's /tmp; name a folder of its own");
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(folders); i++) {
		if (!folders[i].path)
			continue;
		for (size_t k = 0; r == 0 && k < ARRAY_SIZE(folders); k++)
			r = judge_nesting(&folders[i], &folders[k], f);
		if (r == 0)
			r = bind_folder(&folders[i], request, layout, f);
	}
	return r;
}

/* The part of the caller's PATH that lies in the program roots, else the roots themselves. */
static const char *path_clean(const char *path, struct layout *layout)
{
	AUTO_TEXT struct text clean = {};

	for (; path && *path; path += strspn(path, ":")) {
		size_t length = strcspn(path, ":");
		AUTO_FREE char *entry = strndup(path, length);

		path += length;
		for (size_t i = 0; entry && i < ARRAY_SIZE(roots); i++) {
			if (!roots[i].programs || !zone_path_is_below(entry, roots[i].path) ||
			    strstr(entry, "/..") || !is_directory(entry))
				continue;
			text_add(&clean, "%s%s", clean.length ? ":" : "", entry);
			break;
		}
	}
	if (clean.length == 0)
		text_add(&clean, "%s", RESOLVE_DEFAULT_PATH);
	return layout_keep(layout, text_error(&clean) < 0 ? "/usr/bin" : clean.data);
}

static void variable(struct profile_result *result, const char *name, const char *value)
{
	result->variables[result->n_variables++] = (struct sandbox_variable){ name, value };
}

/* Programs and nothing else: no /etc, no agent folder. */
static void lay_public_bot(const struct profile_request *request, struct layout *layout,
			   struct profile_result *result)
{
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		if (is_directory(roots[i].path))
			layout_bind_path(layout, roots[i].path, roots[i].path, false);
		else if (roots[i].twin)
			layout_symlink(layout, roots[i].twin, roots[i].path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		if (zone_path_is_below(request->policy->ground.path, roots[i].path))
			layout_cover(layout, request->policy->ground.path, ZONE_DIRECTORY);
	}
	layout_cover(layout, SANDBOX_WORKSPACE, ZONE_DIRECTORY);
	layout_cover(layout, PROFILE_HOME, ZONE_DIRECTORY);
	result->base = SANDBOX_BASE_BARE;
	result->network = SANDBOX_NETWORK_NONE;
	result->cwd = SANDBOX_WORKSPACE;
	variable(result, "PATH", path_clean(request->path, layout));
}

/* A link is followed here, because bwrap would follow it below another root. */
static void cover_if_there(struct layout *layout, const char *path)
{
	AUTO_FREE char *resolved = realpath(path, NULL);

	if (resolved)
		layout_cover(layout, layout_keep(layout, resolved),
			     is_directory(resolved) ? ZONE_DIRECTORY : ZONE_FILE);
}

static void lay_trusted_maintenance(const struct profile_request *request, struct layout *layout,
				    struct profile_result *result)
{
	static const char *const secret[] = { "/home",        "/root",        "/etc/shadow",
					      "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-",
					      "/run/secrets" };

	for (size_t i = 0; i < ARRAY_SIZE(secret); i++)
		cover_if_there(layout, secret[i]);
	layout_agent(layout, request->policy);
	result->base = SANDBOX_BASE_ROOT;
	result->network = SANDBOX_NETWORK_INHERIT;
	result->cwd = request->workspace ? layout_keep(layout, request->workspace) : "/";
	if (is_directory("/home"))
		layout_cover(layout, PROFILE_HOME, ZONE_DIRECTORY);
	variable(result, "XDG_CONFIG_HOME", PROFILE_HOME "/.config");
	variable(result, "TMPDIR", "/tmp");
}

static int lay_cache(const struct profile_request *request, struct layout *layout,
		     struct profile_result *result, struct fault *f)
{
	AUTO_TEXT struct text state = {};

	if (!request->cache)
		return 0;
	if (request->profile != PROFILE_TRUSTED_MAINTENANCE)
		return refuse(f, "--cache", request->cache, "is for trusted-maintenance only");
	text_add(&state, "%s/state", request->cache);
	variable(result, "XDG_CACHE_HOME", request->cache);
	variable(result, "XDG_STATE_HOME",
		 layout_keep(layout, text_error(&state) < 0 ? request->cache : state.data));
	return 0;
}

int profile_lay(const struct profile_request *request, struct layout *layout,
		struct profile_result *ret, struct fault *f)
{
	struct profile_result result = {};
	int r;

	if (request->profile == PROFILE_PUBLIC_BOT)
		lay_public_bot(request, layout, &result);
	else
		lay_trusted_maintenance(request, layout, &result);
	variable(&result, "HOME", PROFILE_HOME);
	r = lay_cache(request, layout, &result, f);
	if (r == 0)
		r = bind_folders(request, &result, layout, f);
	if (r < 0)
		return r;
	*ret = result;
	return 0;
}
