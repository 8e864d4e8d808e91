/* layout: see layout.h. */
#include "sandbox/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "init/own.h"

static void layout_fail(struct layout *layout, int error)
{
	if (layout->error == 0)
		layout->error = error;
}

static void layout_add(struct layout *layout, struct sandbox_mount mount)
{
	struct sandbox_mount *mounts;

	if (layout->n >= LAYOUT_MOUNTS_MAX) {
		layout_fail(layout, -E2BIG);
		return;
	}
	mounts = reallocarray(layout->mounts, layout->n + 1, sizeof(*mounts));
	if (!mounts) {
		layout_fail(layout, -ENOMEM);
		return;
	}
	layout->mounts = mounts;
	mounts[layout->n++] = mount;
}

void layout_bind(struct layout *layout, const char *source, const char *path, int fd, bool writable)
{
	if (!layout->by_descriptor) {
		layout_bind_path(layout, source, path, writable);
		return;
	}
	layout_add(layout, (struct sandbox_mount){ .kind = writable ? SANDBOX_MOUNT_BIND_FD
								    : SANDBOX_MOUNT_RO_BIND_FD,
						   .path = path,
						   .fd = fd });
}

void layout_bind_path(struct layout *layout, const char *source, const char *path, bool writable)
{
	layout_add(layout, (struct sandbox_mount){ .kind = writable ? SANDBOX_MOUNT_BIND
								    : SANDBOX_MOUNT_RO_BIND,
						   .source = source,
						   .path = path,
						   .fd = -1 });
}

/* Each empty file eats the descriptor that it is copied from. */
static void cover_file(struct layout *layout, const char *path)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		layout_fail(layout, -errno);
		return;
	}
	layout_keep_fd(layout, fd);
	layout_add(layout, (struct sandbox_mount){
				   .kind = SANDBOX_MOUNT_EMPTY_FILE, .path = path, .fd = fd });
}

void layout_cover(struct layout *layout, const char *path, enum zone_kind kind)
{
	if (kind == ZONE_DIRECTORY)
		layout_add(layout, (struct sandbox_mount){
					   .kind = SANDBOX_MOUNT_TMPFS, .path = path, .fd = -1 });
	else
		cover_file(layout, path);
}

void layout_symlink(struct layout *layout, const char *target, const char *path)
{
	layout_add(layout, (struct sandbox_mount){ .kind = SANDBOX_MOUNT_SYMLINK,
						   .source = target,
						   .path = path,
						   .fd = -1 });
}

const char *layout_keep(struct layout *layout, const char *string)
{
	char **strings = reallocarray(layout->strings, layout->n_strings + 1, sizeof(*strings));
	char *copy = strdup(string);

	if (strings)
		layout->strings = strings;
	if (!strings || !copy) {
		free(copy);
		layout_fail(layout, -ENOMEM);
		return "";
	}
	strings[layout->n_strings++] = copy;
	return copy;
}

void layout_keep_fd(struct layout *layout, int fd)
{
	int *fds = reallocarray(layout->fds, layout->n_fds + 1, sizeof(*fds));

	if (!fds) {
		(void)close(fd);
		layout_fail(layout, -ENOMEM);
		return;
	}
	layout->fds = fds;
	fds[layout->n_fds++] = fd;
}

static void bind_zones(struct layout *layout, const struct zones *zones, bool writable)
{
	for (size_t i = 0; i < zones->n; i++) {
		const struct zone *zone = &zones->list[i];

		if (zone->verdict == ZONE_TAKEN && !zone->covered)
			layout_bind(layout, zone->path, zone->path, zone->fd, writable);
	}
}

void layout_agent(struct layout *layout, const struct policy *policy)
{
	const struct install *install = &policy->install;

	if (policy->ground.fd < 0)
		return;
	layout_bind(layout, policy->ground.path, policy->ground.path, policy->ground.fd,
		    install->verdict == INSTALL_TAKEN);
	bind_zones(layout, &install->writable, true);
	bind_zones(layout, &install->protected, false);
	for (size_t i = 0; i < policy->hidden.n; i++) {
		const struct zone *mask = &policy->hidden.list[i];

		if (mask->verdict == ZONE_TAKEN)
			layout_cover(layout, mask->path, mask->kind);
	}
	bind_zones(layout, &policy->writable, true);
}

int layout_error(const struct layout *layout)
{
	return layout->error;
}

void layout_clear(struct layout *layout)
{
	for (size_t i = 0; i < layout->n_strings; i++)
		free(layout->strings[i]);
	for (size_t i = 0; i < layout->n_fds; i++)
		(void)close(layout->fds[i]);
	free(layout->strings);
	free(layout->fds);
	free(layout->mounts);
	*layout = (struct layout){};
}
