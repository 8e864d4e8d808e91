/* policy: see policy.h. */
#include "sandbox/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "init/own.h"
#include "init/text.h"

/* The one table: what is hidden without the bit, and what is writable with it. */
static const struct {
	const char *name;
	enum zone_kind kind;
	unsigned int hidden_without; /* 0: never hidden */
	unsigned int writable_with;  /* 0: for everybody */
	bool writable;
} places[] = {
	{ "workspace", ZONE_DIRECTORY, SEE_PRIVATE, SEE_PRIVATE, true },
	{ "memory", ZONE_DIRECTORY, SEE_PRIVATE, 0, false },
	{ "sessions", ZONE_DIRECTORY, SEE_PRIVATE, 0, false },
	{ ".env", ZONE_FILE, SEE_SECRETS, 0, false },
	{ "secrets.json", ZONE_FILE, SEE_SECRETS, 0, false },
	{ "public", ZONE_DIRECTORY, 0, 0, true },
	{ "mounts", ZONE_DIRECTORY, 0, 0, true },
	{ "AGENTS.md", ZONE_FILE, 0, SEE_PRIVATE, true },
	{ "SOUL.md", ZONE_FILE, 0, SEE_PRIVATE, true },
	{ "IDENTITY.md", ZONE_FILE, 0, SEE_PRIVATE, true },
	{ "USER.md", ZONE_FILE, 0, SEE_PRIVATE, true },
	{ "cron.json", ZONE_FILE, 0, SEE_PRIVATE, true },
	{ "typeclaw.json", ZONE_FILE, 0, SEE_PRIVATE, true },
	{ "package.json", ZONE_FILE, 0, SEE_PRIVATE, true },
};

static const struct {
	const char *name;
	unsigned int see;
	bool unsandboxed;
} roles[] = {
	[ROLE_GUEST] = { "guest", 0, false },
	[ROLE_MEMBER] = { "member", SEE_PRIVATE, false },
	[ROLE_TRUSTED] = { "trusted", SEE_PRIVATE | SEE_SECRETS, true },
	[ROLE_OWNER] = { "owner", SEE_PRIVATE | SEE_SECRETS, true },
};

bool policy_role_known(const char *word)
{
	return word && (policy_role_parse(word) != ROLE_GUEST || strcmp(word, "guest") == 0);
}

enum policy_role policy_role_parse(const char *word)
{
	for (size_t i = 0; word && i < ARRAY_SIZE(roles); i++) {
		if (strcmp(word, roles[i].name) == 0)
			return (enum policy_role)i;
	}
	return ROLE_GUEST;
}

const char *policy_role_name(enum policy_role role)
{
	return roles[role].name;
}

unsigned int policy_role_sees(enum policy_role role)
{
	return roles[role].see;
}

bool policy_role_unsandboxed(enum policy_role role)
{
	return roles[role].unsandboxed;
}

int policy_see_parse(const char *words, unsigned int *ret)
{
	unsigned int see = 0;

	while (*words) {
		size_t length = strcspn(words, ",");

		if (length == 7 && memcmp(words, "private", 7) == 0)
			see |= SEE_PRIVATE;
		else if (length == 7 && memcmp(words, "secrets", 7) == 0)
			see |= SEE_SECRETS;
		else
			return -EINVAL;
		words += length;
		if (*words == ',' && !*++words)
			return -EINVAL;
	}
	*ret = see;
	return 0;
}

/*
 * Does the file system find `name` in upper case as well?  A mask lies on one name only: where
 * .ENV is another way to .env, hiding .env hides nothing.
 */
static bool name_folds(int dir, const char *name, const struct stat *status)
{
	char upper[ZONE_NAME_MAX + 1];
	size_t length = strlen(name);
	struct stat other;

	for (size_t i = 0; i <= length; i++)
		upper[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
	return fstatat(dir, upper, &other, AT_SYMLINK_NOFOLLOW) == 0 &&
	       other.st_dev == status->st_dev && other.st_ino == status->st_ino;
}

/* Adds the mask of `name`, if there is anything to hide. */
static int hide(struct policy *policy, const char *name, struct fault *f)
{
	struct zone *mask;
	struct stat status;
	int r = zones_add(&policy->hidden, &policy->ground, name, ZONE_NOTHING, true);

	if (r < 0)
		return fault_set(f, r, "hide %s", name);
	mask = &policy->hidden.list[policy->hidden.n - 1];
	if (mask->verdict == ZONE_MISSING) {
		free(mask->path);
		policy->hidden.n--;
		return 0;
	}
	if (mask->verdict == ZONE_LINK)
		return fault_say(f, -EPERM,
				 "%s in the agent folder is a link, which cannot be hidden; put the"
				 " %s itself there",
				 name, strchr(name, '.') ? "file" : "folder");
	if (mask->verdict != ZONE_TAKEN)
		return fault_say(f, -EPERM, "%s in the agent folder cannot be hidden: %s", name,
				 zone_verdict_name(mask->verdict));
	if (fstat(mask->fd, &status) < 0)
		return fault_set(f, -errno, "look at %s", name);
	if (name_folds(policy->ground.fd, name, &status))
		return fault_say(f, -EPERM,
				 "the agent folder's file system folds case, so that %s cannot be"
				 " hidden; put the folder on another one (a volume)",
				 name);
	return 0;
}

static int hide_all(struct policy *policy, unsigned int see, struct fault *f)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (places[i].hidden_without && !(see & places[i].hidden_without))
			r = hide(policy, places[i].name, f);
		if (r < 0)
			return r;
	}
	r = zone_ground_hide(&policy->ground, &policy->hidden);
	return r < 0 ? fault_set(f, r, "remember what is hidden") : 0;
}

/* What is built in and not there was never promised, so that nobody needs to hear of it. */
static int open_built_in(struct policy *policy, unsigned int see)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct zones *writable = &policy->writable;
		int r;

		if (!places[i].writable ||
		    (places[i].writable_with && !(see & places[i].writable_with)))
			continue;
		r = zones_add(writable, &policy->ground, places[i].name, places[i].kind, false);
		if (r < 0)
			return r;
		if (writable->list[writable->n - 1].verdict == ZONE_MISSING)
			free(writable->list[--writable->n].path);
	}
	return 0;
}

static int open_configured(struct policy *policy, const char *const *paths, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = zones_add(&policy->writable, &policy->ground, paths[i], ZONE_DIRECTORY, false);
	return r;
}

static int open_all(struct policy *policy, const struct policy_request *request)
{
	int r = open_built_in(policy, request->see);

	if (r == 0)
		r = open_configured(policy, request->writable_paths, request->n_writable_paths);
	if (r == 0)
		r = open_configured(policy, request->link_targets, request->n_link_targets);
	zones_subtract(&policy->writable, &policy->hidden);
	zones_mark_covered(&policy->writable);
	return r;
}

/* "/agent//x/" is "/agent/x"; what is no absolute path below the root, or climbs, is refused. */
static int agent_dir_normal(const char *path, char **ret, struct fault *f)
{
	AUTO_TEXT struct text t = {};
	bool bad = path[0] != '/';

	while (*path && !bad) {
		size_t length;

		path += strspn(path, "/");
		length = strcspn(path, "/");
		bad = length == 2 && path[0] == '.' && path[1] == '.';
		if (length > 0 && !(length == 1 && path[0] == '.')) {
			text_add(&t, "/");
			text_add_bytes(&t, path, length);
		}
		path += length;
	}
	if (bad || t.length == 0)
		return fault_say(f, -EINVAL,
				 "the agent folder must be an absolute path below / without `..`");
	*ret = text_take(&t);
	return *ret ? 0 : fault_set(f, -ENOMEM, "copy the agent folder's path");
}

/* A guest sees no workspace and writes no root file: no install for it either. */
static int open_install(struct policy *policy, const struct policy_request *request)
{
	int r;

	if (!request->install || !(request->see & SEE_PRIVATE))
		return 0;
	r = install_read(&policy->ground, &policy->install);
	if (r == 0 && policy->install.verdict == INSTALL_TAKEN)
		install_restrict(&policy->ground, &policy->writable);
	return r;
}

/* Masks first, then what is opened: that order is the promise. */
static int resolve(struct policy *policy, const struct policy_request *request, struct fault *f)
{
	int r = zone_ground_open(policy->agent_dir, &policy->ground);

	if (r == -ENOENT && request->optional) {
		policy->ground = (struct zone_ground){ .fd = -1, .path = policy->agent_dir };
		return 0;
	}
	if (r < 0)
		return fault_set(f, r, "open the agent folder");
	r = hide_all(policy, request->see, f);
	if (r < 0 || request->read_only)
		return r;
	r = open_all(policy, request);
	if (r == 0)
		r = open_install(policy, request);
	return r < 0 ? fault_set(f, r, "judge the writable paths of the agent folder") : 0;
}

int policy_resolve(const struct policy_request *request, struct policy *ret, struct fault *f)
{
	AUTO_POLICY struct policy policy = POLICY_NONE;
	int r = agent_dir_normal(request->agent_dir, &policy.agent_dir, f);

	if (r == 0)
		r = resolve(&policy, request, f);
	if (r < 0)
		return r;
	*ret = policy;
	policy = POLICY_NONE;
	return 0;
}

void policy_clear(struct policy *policy)
{
	zone_ground_close(&policy->ground);
	zones_clear(&policy->hidden);
	zones_clear(&policy->writable);
	install_clear(&policy->install);
	free(policy->agent_dir);
	*policy = POLICY_NONE;
}
