/* procns: see procns.h. */
#include "sandbox/procns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/mountinfo.h"
#include "init/own.h"

#define PROC_MOUNT_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

void procns_masks_clear(struct procns_masks *masks)
{
	for (size_t i = 0; i < masks->n; i++) {
		free(masks->masks[i].path);
		fd_close(&masks->masks[i].old_fd);
	}
	masks->n = 0;
}

/* A piece of a procfs elsewhere than at its own name would show the old one's processes. */
static enum procns_mask_kind mask_kind(const char *path, const char *root, const char *type)
{
	if (strcmp(type, "proc") != 0)
		return PROCNS_MASK_KEEP;
	return strcmp(path + strlen("/proc"), root) == 0 ? PROCNS_MASK_SELF : PROCNS_MASK_BLANK;
}

static int mask_keep(const struct mount_line *line, struct procns_masks *masks)
{
	if (strncmp(line->point, "/proc/", 6) != 0)
		return 0;
	if (masks->n == PROCNS_MASKS_MAX)
		return -E2BIG;
	masks->masks[masks->n] = (struct procns_mask){
		.path = strdup(line->point),
		.kind = mask_kind(line->point, line->root, line->type),
		.read_only = mount_has_option(line->options, "ro"),
		.old_fd = -1,
	};
	return masks->masks[masks->n++].path ? 0 : -ENOMEM;
}

int procns_masks_parse(const char *mountinfo, struct procns_masks *ret)
{
	AUTO_FREE char *copy = strdup(mountinfo);
	AUTO_MASKS struct procns_masks masks = {};
	struct mount_line line;
	char *cursor = copy;
	int r;

	if (!copy)
		return -ENOMEM;
	while ((r = mountinfo_next(&cursor, &line)) > 0) {
		r = mask_keep(&line, &masks);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	*ret = masks;
	masks.n = 0;
	return 0;
}

pid_t procns_fork(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL,
			      NULL);
}

/* Writes /proc/self/fd/N without stdio: this runs between fork and exec. */
static void fd_path(int fd, char path[32])
{
	static const char prefix[] = "/proc/self/fd/";
	char digits[12];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + fd % 10);
		fd /= 10;
	} while (fd > 0);
	memcpy(path, prefix, sizeof(prefix) - 1);
	path += sizeof(prefix) - 1;
	while (n > 0)
		*path++ = digits[--n];
	*path = '\0';
}

static int mount_call(const char *source, const char *target, const char *type, unsigned long flags)
{
	return mount(source, target, type, flags, NULL) < 0 ? -errno : 0;
}

static int blank_mount(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return mount_call("tmpfs", path, "tmpfs", PROC_MOUNT_FLAGS | MS_RDONLY);
	return mount_call("/dev/null", path, NULL, MS_BIND);
}

static int self_mount(const struct procns_mask *mask)
{
	int r = mount_call(mask->path, mask->path, NULL, MS_BIND);

	if (r == 0 && mask->read_only)
		r = mount_call(NULL, mask->path, NULL,
			       MS_REMOUNT | MS_BIND | MS_RDONLY | PROC_MOUNT_FLAGS);
	return r;
}

/* A bind keeps the flags of the mount that it copies, read-only among them. */
static int keep_mount(const struct procns_mask *mask)
{
	char source[32];

	if (mask->old_fd < 0)
		return -EBADF;
	fd_path(mask->old_fd, source);
	return mount_call(source, mask->path, NULL, MS_BIND);
}

/* What the fresh procfs lacks needs no mask (ENOENT); what cannot be kept shows nothing. */
static int mask_mount(const struct procns_mask *mask)
{
	int r = -EINVAL;

	if (access(mask->path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (mask->kind == PROCNS_MASK_KEEP)
		r = keep_mount(mask);
	else if (mask->kind == PROCNS_MASK_SELF)
		r = self_mount(mask);
	return r < 0 ? blank_mount(mask->path) : 0;
}

int procns_mount(struct procns_masks *masks, enum sandbox_step *ret_step)
{
	int r;

	*ret_step = SANDBOX_STEP_PRIVATE;
	r = mount_call(NULL, "/", NULL, MS_REC | MS_PRIVATE);
	if (r < 0)
		return r;
	*ret_step = SANDBOX_STEP_MASK;
	for (size_t i = 0; i < masks->n; i++)
		masks->masks[i].old_fd = open(masks->masks[i].path, O_PATH | O_CLOEXEC);
	*ret_step = SANDBOX_STEP_PROC;
	r = mount_call("proc", "/proc", "proc", PROC_MOUNT_FLAGS);
	if (r < 0)
		return r;
	*ret_step = SANDBOX_STEP_MASK;
	for (size_t i = 0; i < masks->n; i++) {
		r = mask_mount(&masks->masks[i]);
		fd_close(&masks->masks[i].old_fd);
		if (r < 0)
			return r;
	}
	*ret_step = SANDBOX_STEP_NONE;
	return 0;
}

int procns_hide_pids(void)
{
	return mount("proc", "/proc", "proc", MS_REMOUNT | PROC_MOUNT_FLAGS, "hidepid=4") < 0
		       ? -errno
		       : 0;
}
