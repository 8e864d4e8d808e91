/* walk: see walk.h. */
#include "symlinks/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "init/kernel.h"
#include "init/own.h"
#include "symlinks/owner.h"
#include "symlinks/rules.h"

/* How often one component may change under our eyes before that is called a race. */
#define WALK_TRIES 16

static const struct {
	enum link_code is_link, not_directory;
} walk_codes[] = {
	[WALK_TARGET] = { LINK_TARGET_IS_LINK, LINK_TARGET_NOT_DIRECTORY },
	[WALK_FROM] = { LINK_PARENT_IS_LINK, LINK_PARENT_NOT_DIRECTORY },
};

void walk_stop(struct walk *walk)
{
	fd_close(&walk->fd);
}

/* The path up to `end`, as a person should see it: below the agent folder without that. */
static void walk_show(const struct walk *walk, size_t end, struct text *detail)
{
	if (walk->base && end > walk->base)
		text_escape(detail, walk->path + walk->base + 1, end - walk->base - 1);
	else if (end > 0)
		text_escape(detail, walk->path, end);
	else
		text_add(detail, "/");
}

static enum link_code walk_error(const struct walk *walk, size_t end, int error, const char *doing,
				 struct text *detail)
{
	text_add(detail, "%s ", doing);
	walk_show(walk, end, detail);
	text_add(detail, ": %s", strerror(-error));
	return LINK_ERROR;
}

/*
 * Opens the folder `name`, which is one component.  openat2(2) where it is to be had; where it
 * is not (ENOSYS before 5.6, EPERM under some seccomp filters), O_NOFOLLOW is as strong for a
 * single component: there is nothing else on the way that could be a link.
 */
static int walk_open(int dir, const char *name)
{
	int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = kernel_openat2_beneath(dir, name, flags);

	if (fd != -ENOSYS && fd != -EPERM)
		return fd;
	fd = openat(dir, name, flags);
	return fd < 0 ? -errno : fd;
}

static bool walk_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Others: everybody who is neither root nor us.  An ACL's mask shows as the group's bits. */
static enum link_code walk_judge(struct walk *walk, size_t end, const struct stat *status,
				 struct text *detail)
{
	bool writable = status->st_mode & (S_IWGRP | S_IWOTH);

	if (status->st_uid != 0 && status->st_uid != geteuid()) {
		walk_show(walk, end, detail);
		text_add(detail, " belongs to uid %u", status->st_uid);
		return LINK_PARENT_WRITABLE;
	}
	if (writable && !(status->st_mode & S_ISVTX)) {
		walk_show(walk, end, detail);
		text_add(detail, " may be written by others (mode %04o)", status->st_mode & 07777);
		return LINK_PARENT_WRITABLE;
	}
	if (walk->avoid && walk_is_same(status, walk->avoid)) {
		walk_show(walk, end, detail);
		text_add(detail, " is the agent folder");
		return LINK_FROM_IN_AGENT;
	}
	walk->shared = writable;
	return LINK_NONE;
}

/*
 * Right below the agent folder: is this one of the forbidden folders under another name?  A file
 * system that folds more than ASCII's letter case, or a bind mount, can make it so.
 */
static enum link_code walk_judge_first(const struct walk *walk, size_t end,
				       const struct stat *status, struct text *detail)
{
	for (size_t i = 0; rules_forbidden[i]; i++) {
		struct stat forbidden;

		if (fstatat(walk->fd, rules_forbidden[i], &forbidden, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !walk_is_same(status, &forbidden))
			continue;
		walk_show(walk, end, detail);
		text_add(detail, " is the same folder as %s", rules_forbidden[i]);
		return LINK_TO_FORBIDDEN;
	}
	return LINK_NONE;
}

/* Takes `fd`, the folder that path[0..end) is, as where the walk stands now. */
static enum link_code walk_enter(struct walk *walk, size_t end, int *fd, struct text *detail)
{
	bool is_first = walk->base && walk->reached == walk->base;
	enum link_code code = LINK_NONE;
	struct stat status;

	if (walk->side == WALK_FROM || is_first) {
		if (fstat(*fd, &status) < 0)
			return walk_error(walk, end, -errno, "look at", detail);
		code = is_first ? walk_judge_first(walk, end, &status, detail)
				: walk_judge(walk, end, &status, detail);
		if (code != LINK_NONE)
			return code;
	}
	fd_close(&walk->fd);
	walk->fd = fd_take(fd);
	walk->reached = end;
	return LINK_NONE;
}

/* What stands where a folder should: a link, or something else.  LINK_RACED: look again. */
static enum link_code walk_name_obstacle(const struct walk *walk, size_t end, const char *name,
					 struct text *detail)
{
	char says[PATH_MAX];
	ssize_t length = readlinkat(walk->fd, name, says, sizeof(says));

	if (length < 0 && errno == ENOENT)
		return LINK_RACED;
	if (length < 0 && errno != EINVAL)
		return walk_error(walk, end, -errno, "read the link", detail);
	walk_show(walk, end, detail);
	if (length < 0) {
		text_add(detail, " is not a folder");
		return walk_codes[walk->side].not_directory;
	}
	text_add(detail, " is a link to \"");
	text_escape(detail, says, (size_t)length);
	text_add(detail, "\"");
	return walk_codes[walk->side].is_link;
}

static int walk_make(const struct walk *walk, size_t end, const char *name)
{
	mode_t mode = walk->private_below && end > walk->private_below ? 0700 : 0755;

	if (walk->side == WALK_TARGET)
		return owner_mkdir(walk->fd, name, mode);
	return mkdirat(walk->fd, name, mode) < 0 ? -errno : 0;
}

/* One look at one component.  LINK_RACED: it changed meanwhile, look again. */
static enum link_code walk_try(struct walk *walk, size_t end, const char *name, bool make,
			       struct text *detail)
{
	AUTO_CLOSE int fd = walk_open(walk->fd, name);
	int r;

	if (fd >= 0)
		return walk_enter(walk, end, &fd, detail);
	if (fd == -EAGAIN)
		return LINK_RACED;
	if (fd == -ENOTDIR || fd == -ELOOP)
		return walk_name_obstacle(walk, end, name, detail);
	if (fd != -ENOENT)
		return walk_error(walk, end, fd, "open the folder", detail);
	if (!make)
		return LINK_NONE;
	r = walk_make(walk, end, name);
	if (r < 0 && r != -EEXIST)
		return walk_error(walk, end, r, "make the folder", detail);
	return LINK_RACED;
}

static enum link_code walk_step(struct walk *walk, bool make, struct text *detail)
{
	const char *start = walk->path + walk->reached + 1;
	size_t size = strcspn(start, "/");
	size_t end = walk->reached + 1 + size;
	char name[RULES_COMPONENT_MAX + 1];

	if (size > RULES_COMPONENT_MAX)
		return LINK_NAME_TOO_LONG;
	memcpy(name, start, size);
	name[size] = '\0';
	for (int i = 0; i < WALK_TRIES; i++) {
		enum link_code code = walk_try(walk, end, name, make, detail);

		if (code != LINK_RACED)
			return code;
	}
	walk_show(walk, end, detail);
	text_add(detail, " changed again and again");
	return LINK_RACED;
}

enum link_code walk_start(struct walk *walk, struct text *detail)
{
	AUTO_CLOSE int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	walk->fd = -1;
	walk->reached = 0;
	walk->shared = false;
	if (fd < 0)
		return walk_error(walk, 0, -errno, "open the folder", detail);
	return walk_enter(walk, 0, &fd, detail);
}

enum link_code walk_on(struct walk *walk, bool make, struct text *detail)
{
	while (walk->reached < walk->end) {
		size_t before = walk->reached;
		enum link_code code = walk_step(walk, make, detail);

		if (code != LINK_NONE || walk->reached == before)
			return code;
	}
	return LINK_NONE;
}
