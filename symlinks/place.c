/* place: see place.h. */
#include "symlinks/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/own.h"
#include "symlinks/slot.h"
#include "symlinks/spare.h"

/* How often the place may change under our eyes before that is called a race. */
#define PLACE_TRIES 16

/*
 * A result of LINK_RACED without a detail means: look again.  With one it is final.
 */

static enum link_code place_create(const struct place *place, struct text *detail)
{
	if (symlinkat(place->says, place->dir, place->name) == 0)
		return LINK_CREATED;
	return errno == EEXIST ? LINK_RACED : slot_error(place, -errno, "make the link", detail);
}

/* The file system or a seccomp filter has no such rename; EPERM may also be a sticky folder's. */
static bool place_is_unsupported(int error)
{
	return error == -EINVAL || error == -ENOSYS || error == -EPERM || error == -EOPNOTSUPP;
}

static enum link_code place_put_back_done(struct text *detail)
{
	text_add(detail, "what is there changed while the link was replaced, and was put back");
	return LINK_RACED;
}

/* It could not be put back because something else is there by now: both are kept. */
static enum link_code place_kept(const char *spare, struct text *detail)
{
	text_add(detail, "what is there kept changing; something that was there is now %s", spare);
	return LINK_RACED;
}

/*
 * The exchange brought out something else than the link that was judged: puts it back.  While
 * somebody keeps changing the place, what comes out next is put back in turn, until our own
 * link comes out.
 */
static enum link_code place_swap_back(const struct place *place, const char *spare,
				      struct text *detail)
{
	int dir = place->dir;

	for (int i = 0; i < PLACE_TRIES; i++) {
		int r = kernel_renameat2(dir, spare, dir, place->name, RENAME_EXCHANGE);

		if (r == 0 && slot_says(dir, spare, place->says)) {
			(void)unlinkat(dir, spare, 0);
			return place_put_back_done(detail);
		}
		if (r != -ENOENT)
			continue;
		/* Our link is gone from there, or what came out was taken away again. */
		r = kernel_renameat2(dir, spare, dir, place->name, RENAME_NOREPLACE);
		if (r == 0)
			return place_put_back_done(detail);
		if (r == -ENOENT)
			return LINK_RACED;
	}
	return place_kept(spare, detail);
}

/* Our link is there, and at `spare` is what was there. */
static enum link_code place_exchanged(const struct place *place, const char *spare,
				      const char *judged, struct text *detail)
{
	if (!slot_says(place->dir, spare, judged))
		return place_swap_back(place, spare, detail);
	/* When this fails the next boot does it: it is a left-over like any other. */
	(void)unlinkat(place->dir, spare, 0);
	return LINK_REPLACED;
}

/* Moves `name` to a name that nobody can have guessed, so nothing can be in the way there. */
static int place_move_aside(int dir, const char *name, const char *spare)
{
	int r = kernel_renameat2(dir, name, dir, spare, RENAME_NOREPLACE);

	if (place_is_unsupported(r))
		r = renameat(dir, name, dir, spare) < 0 ? -errno : 0;
	return r;
}

/*
 * Moves `spare` to `name` unless something is there: -EEXIST.  Without RENAME_NOREPLACE a hard
 * link does it; a folder can have none, but a renamed folder replaces an empty one at most.
 */
static int place_move_back(int dir, const char *spare, const char *name)
{
	int r = kernel_renameat2(dir, spare, dir, name, RENAME_NOREPLACE);
	struct stat status;

	if (!place_is_unsupported(r))
		return r;
	if (linkat(dir, spare, dir, name, 0) == 0)
		return unlinkat(dir, spare, 0) < 0 ? -errno : 0;
	if (errno == EEXIST || fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(dir, spare, dir, name) < 0 ? -errno : 0;
}

/*
 * The way without exchange: for a moment there is no link.  What is there is moved aside,
 * looked at, and put back when it is not the link that was judged or when ours cannot be made.
 */
static enum link_code place_aside(const struct place *place, const char *spare, const char *judged,
				  struct text *detail)
{
	int r = place_move_aside(place->dir, place->name, spare);
	int error;

	if (r == -ENOENT || r == -EEXIST)
		return LINK_RACED;
	if (r < 0)
		return slot_error(place, r, "replace the link", detail);
	if (!slot_says(place->dir, spare, judged))
		return place_move_back(place->dir, spare, place->name) < 0
			       ? place_kept(spare, detail)
			       : place_put_back_done(detail);
	if (symlinkat(place->says, place->dir, place->name) == 0) {
		(void)unlinkat(place->dir, spare, 0);
		return LINK_REPLACED;
	}
	error = -errno;
	r = place_move_back(place->dir, spare, place->name);
	/* Somebody else put something there; the old link may go, it was to be replaced. */
	if (r == -EEXIST)
		(void)unlinkat(place->dir, spare, 0);
	return error == -EEXIST ? LINK_RACED : slot_error(place, error, "make the link", detail);
}

static enum link_code place_replace(const struct place *place, const char *judged,
				    struct text *detail)
{
	char spare[SPARE_SIZE];
	int r;

	spare_name(spare);
	if (symlinkat(place->says, place->dir, spare) < 0)
		return errno == EEXIST ? LINK_RACED
				       : slot_error(place, -errno, "make a link beside", detail);
	r = kernel_renameat2(place->dir, spare, place->dir, place->name, RENAME_EXCHANGE);
	if (r == 0)
		return place_exchanged(place, spare, judged, detail);
	(void)unlinkat(place->dir, spare, 0);
	if (r == -ENOENT)
		return LINK_RACED;
	if (!place_is_unsupported(r))
		return slot_error(place, r, "replace the link", detail);
	spare_name(spare);
	return place_aside(place, spare, judged, detail);
}

enum link_code place_link(const struct place *place, struct text *detail)
{
	for (int i = 0; i < PLACE_TRIES; i++) {
		char found[PATH_MAX];
		enum link_code code = slot_judge(place, found, detail);

		if (code == LINK_CREATED)
			code = place_create(place, detail);
		else if (code == LINK_REPLACED)
			code = place_replace(place, found, detail);
		if (code != LINK_RACED || detail->length > 0)
			return code;
	}
	text_add(detail, "what is there changed again and again");
	return LINK_RACED;
}

enum link_code place_judge(const struct place *place, struct text *detail)
{
	char found[PATH_MAX];

	return slot_judge(place, found, detail);
}

static void place_sweep_name(const struct place *place, const char *name)
{
	char says[PATH_MAX];

	if (spare_is_name(name) && slot_read(place->dir, name, says) == 0 &&
	    slot_may_replace(place, name, says))
		(void)unlinkat(place->dir, name, 0);
}

void place_sweep(const struct place *place)
{
	AUTO_CLOSE int fd = openat(place->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(struct dirent64) char buffer[4096];
	ssize_t length;

	if (fd < 0)
		return;
	while ((length = getdents64(fd, buffer, sizeof(buffer))) > 0) {
		for (char *next = buffer; next < buffer + length;) {
			const struct dirent64 *entry = (const struct dirent64 *)(void *)next;

			place_sweep_name(place, entry->d_name);
			next += entry->d_reclen;
		}
	}
}
