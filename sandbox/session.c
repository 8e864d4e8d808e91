/* session: see session.h. */
#include "sandbox/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "init/own.h"
#include "sandbox/zones.h"

#define SESSION_CHARACTERS           \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789._-"

bool session_id_valid(const char *id)
{
	size_t length = strspn(id, SESSION_CHARACTERS);

	return length > 0 && length <= SESSION_ID_MAX && !id[length] && strcmp(id, ".") != 0 &&
	       strcmp(id, "..") != 0;
}

/* Adds one component to an absolute path in `t`, or takes one off it. */
static void path_step(struct text *t, const char *name, size_t length)
{
	if (length == 0 || (length == 1 && name[0] == '.'))
		return;
	if (length == 2 && name[0] == '.' && name[1] == '.') {
		while (t->length > 0 && t->data[--t->length] != '/')
			;
		if (t->data)
			t->data[t->length] = '\0';
		return;
	}
	text_add(t, "/");
	text_add_bytes(t, name, length);
}

static void path_add(struct text *t, const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");

		path_step(t, path, length);
		path += length + strspn(path + length, "/");
	}
}

int session_path(const char *agent_dir, const char *id, const char *path, struct text *ret_path)
{
	AUTO_TEXT struct text whole = {};

	if (!session_id_valid(id))
		return -EINVAL;
	if (path[0] != '/')
		path_add(&whole, agent_dir);
	path_add(&whole, path);
	if (text_error(&whole) < 0)
		return -ENOMEM;
	if (!zone_path_is_below(whole.data, "/tmp") || zone_path_is_below(whole.data, agent_dir))
		return 1;
	text_add(ret_path, SESSION_ROOT "/%s%s", id, whole.data + strlen("/tmp"));
	return text_error(ret_path);
}

/* Steps from `dir` into `name`, made when missing, and demands that it is ours alone. */
static int enter(int dir, const char *name, int *ret_fd, struct fault *f)
{
	AUTO_CLOSE int fd = -1;
	struct stat status;

	if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
		return fault_set(f, -errno, "make the session folder %s", name);
	fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fault_set(f, -errno, "open the session folder %s", name);
	if (status.st_uid != geteuid() || (status.st_mode & 0077))
		return fault_say(f, -EPERM,
				 "the session folder %s is not ours alone (uid %u, mode %04o)",
				 name, status.st_uid, status.st_mode & 07777);
	*ret_fd = fd_take(&fd);
	return 0;
}

int session_open(const char *id, int *ret_fd, struct fault *f)
{
	AUTO_CLOSE int tmp = -1;
	AUTO_CLOSE int root = -1;
	int r;

	if (!session_id_valid(id))
		return fault_say(f, -EINVAL,
				 "a session ID is 1 to %d of A-Z a-z 0-9 . _ - and not . or ..",
				 SESSION_ID_MAX);
	tmp = open("/tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tmp < 0)
		return fault_set(f, -errno, "open /tmp");
	r = enter(tmp, strrchr(SESSION_ROOT, '/') + 1, &root, f);
	if (r < 0)
		return r;
	return enter(root, id, ret_fd, f);
}
