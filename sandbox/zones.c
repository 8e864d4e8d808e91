/* zones: see zones.h. */
#include "sandbox/zones.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "init/own.h"
#include "init/text.h"

static const char *const forbidden_roots[] = { ".git",   ".env",      "secrets.json", "sessions",
					       "memory", ".typeclaw", "node_modules" };

const char *zone_verdict_name(enum zone_verdict verdict)
{
	static const char *const names[] = {
		[ZONE_UNJUDGED] = "unjudged",     [ZONE_TAKEN] = "taken",
		[ZONE_EMPTY] = "empty",           [ZONE_ABSOLUTE] = "absolute",
		[ZONE_DOTDOT] = "dotdot",         [ZONE_AGENT_ROOT] = "agent-root",
		[ZONE_TOO_LONG] = "too-long",     [ZONE_FORBIDDEN] = "forbidden",
		[ZONE_MISSING] = "missing",       [ZONE_LINK] = "link",
		[ZONE_WRONG_KIND] = "wrong-kind", [ZONE_HIDDEN] = "hidden",
		[ZONE_DUPLICATE] = "duplicate",   [ZONE_INSTALL] = "install",
		[ZONE_UNREADABLE] = "unreadable",
	};

	return names[verdict];
}

static struct zone_identity identity_of(const struct stat *status)
{
	return (struct zone_identity){ status->st_dev, status->st_ino };
}

int zone_ground_open(const char *agent_dir, struct zone_ground *ret)
{
	struct zone_ground ground = { .path = agent_dir };
	AUTO_CLOSE int fd = -1;
	struct stat status;

	if (agent_dir[0] != '/')
		return -EINVAL;
	fd = open(agent_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	ground.root = identity_of(&status);
	for (size_t i = 0; i < ARRAY_SIZE(forbidden_roots); i++) {
		if (fstatat(fd, forbidden_roots[i], &status, AT_SYMLINK_NOFOLLOW) == 0)
			ground.avoided[ground.n_avoided++] = identity_of(&status);
	}
	ground.n_forbidden = ground.n_avoided;
	ground.fd = fd_take(&fd);
	*ret = ground;
	return 0;
}

void zone_ground_close(struct zone_ground *ground)
{
	fd_close(&ground->fd);
}

int zone_ground_hide(struct zone_ground *ground, const struct zones *masks)
{
	struct stat status;

	for (size_t i = 0; i < masks->n; i++) {
		if (masks->list[i].verdict != ZONE_TAKEN)
			continue;
		if (ground->n_avoided == ZONE_AVOIDED_MAX)
			return -E2BIG;
		if (fstat(masks->list[i].fd, &status) < 0)
			return -errno;
		ground->avoided[ground->n_avoided++] = identity_of(&status);
	}
	return 0;
}

/* The last match counts: a mask says more than a forbidden root does. */
static enum zone_verdict judge_identity(const struct zone_ground *ground, const struct stat *status)
{
	for (size_t i = ground->n_avoided; i > 0; i--) {
		if (ground->avoided[i - 1].device == status->st_dev &&
		    ground->avoided[i - 1].inode == status->st_ino)
			return i > ground->n_forbidden ? ZONE_HIDDEN : ZONE_FORBIDDEN;
	}
	return ZONE_TAKEN;
}

static bool name_forbidden(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(forbidden_roots); i++) {
		if (strcmp(name, forbidden_roots[i]) == 0)
			return true;
	}
	return false;
}

/* One component: ZONE_TAKEN when it may be gone through or taken, with what it is. */
static enum zone_verdict judge_status(const struct zone_ground *ground, const struct stat *status,
				      bool free)
{
	if (S_ISLNK(status->st_mode))
		return ZONE_LINK;
	if (ground->root.device == status->st_dev && ground->root.inode == status->st_ino)
		return ZONE_AGENT_ROOT;
	return free ? ZONE_TAKEN : judge_identity(ground, status);
}

/*
 * Goes from `*fd` to `name`, which is one component.  O_PATH with O_NOFOLLOW opens a link itself
 * and not what it leads to, open(2), so nothing can be swapped between the look and the step.
 */
static enum zone_verdict walk_step(const struct zone_ground *ground, int *fd, const char *name,
				   bool free, struct stat *ret_status)
{
	int next = openat(*fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (next < 0)
		return errno == ENOENT || errno == ENOTDIR ? ZONE_MISSING : ZONE_UNREADABLE;
	fd_close(fd);
	*fd = next;
	if (fstat(next, ret_status) < 0)
		return ZONE_UNREADABLE;
	return judge_status(ground, ret_status, free);
}

static enum zone_verdict judge_kind(const struct stat *status, enum zone_kind wanted,
				    enum zone_kind *ret)
{
	enum zone_kind kind = S_ISDIR(status->st_mode)   ? ZONE_DIRECTORY
			      : S_ISREG(status->st_mode) ? ZONE_FILE
							 : ZONE_NOTHING;

	if (kind == ZONE_NOTHING || (wanted != ZONE_NOTHING && wanted != kind))
		return ZONE_WRONG_KIND;
	*ret = kind;
	return ZONE_TAKEN;
}

/* Where the walk through the words of a path stands. */
struct walk {
	const struct zone_ground *ground;
	const char *rest;
	bool free;
	int fd;
	struct stat status;
	struct text path; /* the normal path so far, absolute */
	size_t steps;
};

static void walk_clear(struct walk *walk)
{
	fd_close(&walk->fd);
	text_clear(&walk->path);
}

/* Takes the next component off `rest` and steps into it. */
static enum zone_verdict walk_on(struct walk *walk)
{
	size_t size = strcspn(walk->rest, "/");
	char name[ZONE_NAME_MAX + 1];

	if (size > ZONE_NAME_MAX)
		return ZONE_TOO_LONG;
	memcpy(name, walk->rest, size);
	name[size] = '\0';
	walk->rest += size + strspn(walk->rest + size, "/");
	if (strcmp(name, ".") == 0)
		return ZONE_TAKEN;
	if (strcmp(name, "..") == 0)
		return ZONE_DOTDOT;
	if (!walk->free && walk->steps == 0 && name_forbidden(name))
		return ZONE_FORBIDDEN;
	walk->steps++;
	text_add(&walk->path, "/%s", name);
	return walk_step(walk->ground, &walk->fd, name, walk->free, &walk->status);
}

/* True when a component of `path` is `..`; what is on disk is not asked. */
static bool path_climbs(const char *path)
{
	while (*path) {
		size_t size = strcspn(path, "/");

		if (size == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += size + strspn(path + size, "/");
	}
	return false;
}

static enum zone_verdict judge(struct walk *walk, enum zone_kind wanted, enum zone_kind *ret_kind)
{
	enum zone_verdict verdict = ZONE_TAKEN;

	if (!walk->rest[0])
		return ZONE_EMPTY;
	if (walk->rest[0] == '/')
		return ZONE_ABSOLUTE;
	if (strlen(walk->rest) > ZONE_PATH_MAX)
		return ZONE_TOO_LONG;
	if (path_climbs(walk->rest))
		return ZONE_DOTDOT;
	walk->fd = fcntl(walk->ground->fd, F_DUPFD_CLOEXEC, 3);
	if (walk->fd < 0)
		return ZONE_UNREADABLE;
	while (verdict == ZONE_TAKEN && walk->rest[0])
		verdict = walk_on(walk);
	if (verdict != ZONE_TAKEN)
		return verdict;
	if (walk->steps == 0)
		return ZONE_AGENT_ROOT;
	return judge_kind(&walk->status, wanted, ret_kind);
}

static struct zone *zones_grow(struct zones *zones)
{
	struct zone *list = reallocarray(zones->list, zones->n + 1, sizeof(*list));

	if (!list)
		return NULL;
	zones->list = list;
	list[zones->n] = (struct zone){ .fd = -1 };
	return &list[zones->n++];
}

int zones_add(struct zones *zones, const struct zone_ground *ground, const char *path,
	      enum zone_kind kind, bool free)
{
	__attribute__((cleanup(walk_clear))) struct walk walk = {
		.ground = ground, .rest = path, .free = free, .fd = -1
	};
	enum zone_kind found = ZONE_NOTHING;
	enum zone_verdict verdict;
	struct zone *zone;

	if (zones->n >= ZONES_MAX)
		return -E2BIG;
	text_add(&walk.path, "%s", strcmp(ground->path, "/") == 0 ? "" : ground->path);
	verdict = judge(&walk, kind, &found);
	if (text_error(&walk.path) < 0)
		return -ENOMEM;
	if (verdict == ZONE_TAKEN && zones_find(zones, walk.path.data))
		verdict = ZONE_DUPLICATE;
	zone = zones_grow(zones);
	if (!zone)
		return -ENOMEM;
	zone->verdict = verdict;
	zone->kind = found;
	zone->path = verdict == ZONE_TAKEN ? text_take(&walk.path) : strdup(path);
	if (verdict == ZONE_TAKEN)
		zone->fd = fd_take(&walk.fd);
	return zone->path ? 0 : -ENOMEM;
}

bool zone_path_is_below(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (length == 1) /* "/" */
		return true;
	return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

void zones_subtract(struct zones *zones, const struct zones *masks)
{
	for (size_t i = 0; i < zones->n; i++) {
		struct zone *zone = &zones->list[i];

		for (size_t k = 0; zone->verdict == ZONE_TAKEN && k < masks->n; k++) {
			if (masks->list[k].verdict == ZONE_TAKEN &&
			    zone_path_is_below(zone->path, masks->list[k].path))
				zone->verdict = ZONE_HIDDEN;
		}
		if (zone->verdict != ZONE_TAKEN)
			fd_close(&zone->fd);
	}
}

void zones_mark_covered(struct zones *zones)
{
	for (size_t i = 0; i < zones->n; i++) {
		struct zone *zone = &zones->list[i];

		zone->covered = false;
		for (size_t k = 0; zone->verdict == ZONE_TAKEN && k < zones->n; k++) {
			const struct zone *other = &zones->list[k];

			if (k != i && other->verdict == ZONE_TAKEN &&
			    other->kind == ZONE_DIRECTORY &&
			    zone_path_is_below(zone->path, other->path))
				zone->covered = true;
		}
	}
}

const struct zone *zones_find(const struct zones *zones, const char *path)
{
	for (size_t i = 0; i < zones->n; i++) {
		if (zones->list[i].verdict == ZONE_TAKEN && strcmp(zones->list[i].path, path) == 0)
			return &zones->list[i];
	}
	return NULL;
}

void zones_clear(struct zones *zones)
{
	for (size_t i = 0; i < zones->n; i++) {
		fd_close(&zones->list[i].fd);
		free(zones->list[i].path);
	}
	free(zones->list);
	*zones = (struct zones){};
}
