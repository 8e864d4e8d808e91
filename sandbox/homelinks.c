/* homelinks: see homelinks.h. */
#include "sandbox/homelinks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "init/own.h"
#include "init/text.h"

const char *homelink_verdict_name(enum homelink_verdict verdict)
{
	static const char *const names[] = {
		[HOMELINK_UNJUDGED] = "unjudged",         [HOMELINK_TAKEN] = "taken",
		[HOMELINK_BAD_FROM] = "bad-from",         [HOMELINK_READ_ONLY] = "read-only",
		[HOMELINK_IN_AGENT] = "in-agent",         [HOMELINK_OVERLAPS] = "overlaps",
		[HOMELINK_NOT_WRITABLE] = "not-writable", [HOMELINK_OCCUPIED] = "occupied",
	};

	return names[verdict];
}

/* Adds the components of `path` to `t`; false when one climbs or is too long. */
static bool path_add(struct text *t, const char *path)
{
	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		size_t length = strcspn(path, "/");

		if ((length == 2 && path[0] == '.' && path[1] == '.') || length > ZONE_NAME_MAX)
			return false;
		if (!(length == 1 && path[0] == '.')) {
			text_add(t, "/");
			text_add_bytes(t, path, length);
		}
		path += length;
	}
	return t->length > 0 && t->length <= ZONE_PATH_MAX;
}

/* What bwrap mounts read-only, or what belongs to the kernel or to us. */
static bool path_closed(const char *path)
{
	static const char *const closed[] = {
		"/usr",   "/etc", "/bin",  "/sbin", "/lib",
		"/lib64", "/dev", "/proc", "/sys",  "/typeclaw-init"
	};

	for (size_t i = 0; i < ARRAY_SIZE(closed); i++) {
		if (zone_path_is_below(path, closed[i]))
			return true;
	}
	return strcmp(path, SANDBOX_HOME) == 0;
}

static bool paths_overlap(const char *a, const char *b)
{
	return zone_path_is_below(a, b) || zone_path_is_below(b, a);
}

static enum homelink_verdict judge_path(const struct homelinks *links, const char *path,
					const struct policy *policy)
{
	if (path_closed(path))
		return HOMELINK_READ_ONLY;
	if (paths_overlap(path, policy->ground.path))
		return HOMELINK_IN_AGENT;
	for (size_t i = 0; i < links->n; i++) {
		if (links->list[i].verdict == HOMELINK_TAKEN &&
		    paths_overlap(path, links->list[i].path))
			return HOMELINK_OVERLAPS;
	}
	return HOMELINK_TAKEN;
}

/* `from` and `to` in full; judged in the order in which they can be understood. */
static enum homelink_verdict judge(const struct homelinks *links, const struct policy *policy,
				   const struct homelink *link, struct text *path,
				   struct text *target)
{
	const char *from = link->from;
	const struct zone *zone;
	enum homelink_verdict verdict;

	if (from[0] == '~' && from[1] == '/') {
		from++;
		text_add(path, "%s", SANDBOX_HOME);
	}
	if (from[0] != '/' || !path_add(path, from))
		return HOMELINK_BAD_FROM;
	verdict = judge_path(links, path->data, policy);
	if (verdict != HOMELINK_TAKEN)
		return verdict;
	text_add(target, "%s", policy->ground.path);
	if (!path_add(target, link->to))
		return HOMELINK_NOT_WRITABLE;
	zone = zones_find(&policy->writable, target->data);
	return zone && zone->kind == ZONE_DIRECTORY ? HOMELINK_TAKEN : HOMELINK_NOT_WRITABLE;
}

int homelinks_add(struct homelinks *links, const struct policy *policy, const char *from,
		  const char *to)
{
	struct homelink *list = reallocarray(links->list, links->n + 1, sizeof(*list));
	struct homelink link = { .from = from, .to = to };
	AUTO_TEXT struct text path = {};
	AUTO_TEXT struct text target = {};

	if (!list)
		return -ENOMEM;
	links->list = list;
	link.verdict = judge(links, policy, &link, &path, &target);
	if (text_error(&path) < 0 || text_error(&target) < 0)
		return -ENOMEM;
	link.path = text_take(&path);
	link.target = text_take(&target);
	list[links->n++] = link;
	return 0;
}

/* The folder that `path` (relative) lies in, made where missing; ret_name is its last part. */
static int walk_to_parent(int dir, const char *path, char ret_name[ZONE_NAME_MAX + 1])
{
	AUTO_CLOSE int fd = fcntl(dir, F_DUPFD_CLOEXEC, 3);

	for (;;) {
		size_t length = strcspn(path, "/");
		int next;

		if (fd < 0)
			return -errno;
		memcpy(ret_name, path, length);
		ret_name[length] = '\0';
		if (!path[length])
			return fd_take(&fd);
		if (mkdirat(fd, ret_name, 0700) < 0 && errno != EEXIST)
			return -errno;
		next = openat(fd, ret_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		fd_close(&fd);
		fd = next;
		path += length + 1;
	}
}

/* Makes the link in the session's folder, or finds it there as it should be. */
static bool place_in_session(int session_fd, const struct homelink *link)
{
	char name[ZONE_NAME_MAX + 1];
	char says[PATH_MAX];
	AUTO_CLOSE int parent =
		walk_to_parent(session_fd, link->path + strlen(SANDBOX_HOME) + 1, name);
	ssize_t length;

	if (parent < 0)
		return false;
	if (symlinkat(link->target, parent, name) == 0)
		return true;
	if (errno != EEXIST)
		return false;
	length = readlinkat(parent, name, says, sizeof(says));
	return length == (ssize_t)strlen(link->target) &&
	       memcmp(says, link->target, (size_t)length) == 0;
}

void homelinks_place(struct homelinks *links, int session_fd, struct layout *layout)
{
	for (size_t i = 0; i < links->n; i++) {
		struct homelink *link = &links->list[i];

		if (link->verdict != HOMELINK_TAKEN)
			continue;
		if (session_fd < 0 || !zone_path_is_below(link->path, SANDBOX_HOME))
			layout_symlink(layout, link->target, link->path);
		else if (!place_in_session(session_fd, link))
			link->verdict = HOMELINK_OCCUPIED;
	}
}

void homelinks_clear(struct homelinks *links)
{
	for (size_t i = 0; i < links->n; i++) {
		free(links->list[i].path);
		free(links->list[i].target);
	}
	free(links->list);
	*links = (struct homelinks){};
}
