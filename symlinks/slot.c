/* slot: see slot.h. */
#include "symlinks/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symlinks/rules.h"

enum link_code slot_error(const struct place *place, int error, const char *action,
			  struct text *detail)
{
	text_add(detail, "%s ", action);
	text_escape(detail, place->name, strlen(place->name));
	text_add(detail, ": %s", strerror(-error));
	return LINK_ERROR;
}

int slot_read(int dir, const char *name, char ret[PATH_MAX])
{
	ssize_t length = readlinkat(dir, name, ret, PATH_MAX);

	if (length < 0)
		return -errno;
	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	ret[length] = '\0';
	return 0;
}

bool slot_says(int dir, const char *name, const char *says)
{
	char found[PATH_MAX];

	return slot_read(dir, name, found) == 0 && strcmp(found, says) == 0;
}

static const char *slot_kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a folder";
	case S_IFREG:
		return "a file";
	case S_IFSOCK:
		return "a socket";
	case S_IFIFO:
		return "a pipe";
	default:
		return "a device";
	}
}

static enum link_code slot_occupied(const struct place *place, struct text *detail)
{
	struct stat status;

	if (fstatat(place->dir, place->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		text_add(detail, "%s is there", slot_kind(status.st_mode));
	return LINK_OCCUPIED;
}

/* In a sticky folder a stranger's link, whatever it says now, is the stranger's to change. */
static bool slot_is_strangers(const struct place *place, const char *name)
{
	struct stat status;

	if (!place->shared)
		return false;
	if (fstatat(place->dir, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return true;
	return status.st_uid != 0 && status.st_uid != geteuid();
}

bool slot_may_replace(const struct place *place, const char *name, const char *says)
{
	AUTO_TEXT struct text path = {};
	struct stat status;

	if (slot_is_strangers(place, name))
		return false;
	if (says[0] == '/' && rules_normalise(says, strlen(says), &path) == 0 &&
	    strcmp(path.data, place->agent_dir) != 0 &&
	    rules_at_or_below(path.data, place->agent_dir))
		return true;
	return fstatat(place->dir, name, &status, AT_NO_AUTOMOUNT) < 0 && errno == ENOENT;
}

enum link_code slot_judge(const struct place *place, char found[PATH_MAX], struct text *detail)
{
	int r = slot_read(place->dir, place->name, found);

	if (r == -ENOENT)
		return LINK_CREATED;
	if (r == -EINVAL)
		return slot_occupied(place, detail);
	if (r < 0)
		return slot_error(place, r, "read the link", detail);
	if (strcmp(found, place->says) == 0 && !slot_is_strangers(place, place->name))
		return LINK_UNCHANGED;
	if (slot_may_replace(place, place->name, found))
		return LINK_REPLACED;
	text_add(detail, "a link to \"");
	text_escape(detail, found, strlen(found));
	text_add(detail, "\" is there");
	return LINK_FOREIGN_LINK;
}
