/* host_parse: the pure half of host: from the text of a file to facts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/mountinfo.h"
#include "init/own.h"
#include "init/text.h"
#include "probes/host.h"

/* Escaped, and cut: these are words to show, never to act by. */
static void word_keep(const char *bytes, size_t length, char *ret, size_t size)
{
	AUTO_TEXT struct text t = {};

	text_escape(&t, bytes, length);
	(void)snprintf(ret, size, "%s", text_error(&t) ? "?" : t.data);
}

const char *host_engine_name(enum host_engine engine)
{
	static const char *const names[] = {
		[ENGINE_UNKNOWN] = "unknown",       [ENGINE_NONE] = "none",
		[ENGINE_DOCKER] = "docker",         [ENGINE_PODMAN] = "podman",
		[ENGINE_CONTAINERD] = "containerd", [ENGINE_CRIO] = "cri-o",
	};

	return names[engine];
}

const char *host_lsm_name(enum host_lsm lsm)
{
	static const char *const names[] = {
		[LSM_UNKNOWN] = "unknown",
		[LSM_NONE] = "none",
		[LSM_APPARMOR] = "apparmor",
		[LSM_SELINUX] = "selinux",
	};

	return names[lsm];
}

bool host_apparmor_confined(const struct host_facts *host)
{
	return host->lsm == LSM_APPARMOR &&
	       strncmp(host->lsm_label, "unconfined", strlen("unconfined")) != 0;
}

bool host_selinux_confined(const struct host_facts *host)
{
	return host->lsm == LSM_SELINUX && strstr(host->lsm_label, ":container_t:");
}

/* An SELinux context is user:role:type:level; an AppArmor label is a name and "(mode)". */
void host_parse_label(const char *text, struct host_facts *ret)
{
	size_t length = strcspn(text, "\n");
	size_t colons = 0;

	for (size_t i = 0; i < length; i++)
		colons += text[i] == ':' && text[i + 1] != '/';
	ret->lsm = !length ? LSM_NONE : colons >= 3 ? LSM_SELINUX : LSM_APPARMOR;
	word_keep(text, length, ret->lsm_label, sizeof(ret->lsm_label));
}

/* The number behind the blanks at `c`; NULL when there is none or it is too large. */
static const char *take_number(const char *c, uint64_t *ret)
{
	uint64_t value = 0;

	c += strspn(c, " ");
	if (*c < '0' || *c > '9')
		return NULL;
	for (; *c >= '0' && *c <= '9'; c++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			return NULL;
	*ret = value;
	return c;
}

int host_parse_id_map(const char *text, struct host_id_map *ret)
{
	struct host_id_map map = {};
	struct host_id_map row;

	for (const char *c = text; *c; c += *c == '\n') {
		c = take_number(c, &row.inside);
		c = c ? take_number(c, &row.outside) : NULL;
		c = c ? take_number(c, &row.count) : NULL;
		if (!c || (*c && *c != '\n'))
			return -EINVAL;
		row.rows = map.rows + 1;
		if (map.rows == 0)
			map = row;
		map.rows = row.rows;
	}
	*ret = map;
	return 0;
}

/* Words since Linux 5.8, numbers before: proc(5). */
static unsigned int parse_hidepid(const char *super)
{
	static const struct {
		const char *word;
		unsigned int value;
	} words[] = {
		{ "1", 1 },         { "noaccess", 1 }, { "2", 2 },
		{ "invisible", 2 }, { "4", 4 },        { "ptraceable", 4 },
	};
	size_t length = 0;
	const char *value = mount_option_value(super, "hidepid", &length);

	for (size_t i = 0; value && i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == length && memcmp(words[i].word, value, length) == 0)
			return words[i].value;
	return 0;
}

static void note_proc(const struct mount_line *line, struct host_proc *proc)
{
	bool read_only = mount_has_option(line->options, "ro");

	if (strcmp(line->point, "/proc") == 0) {
		*proc = (struct host_proc){ .known = true,
					    .read_only = read_only,
					    .sys_writable = !read_only,
					    .hidepid = parse_hidepid(line->super) };
		return;
	}
	if (strncmp(line->point, "/proc/", strlen("/proc/")) != 0)
		return;
	if (strcmp(line->type, "proc") == 0 && read_only)
		proc->protected ++;
	else if (strcmp(line->type, "proc") != 0)
		proc->masked++;
	if (strcmp(line->point, "/proc/sys") == 0)
		proc->sys_writable = !read_only;
}

static bool mount_covers(const char *point, const char *path)
{
	size_t length = strlen(point);

	if (strcmp(point, "/") == 0)
		return true;
	return strncmp(point, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static void note_root(const struct mount_line *line, struct host_facts *host)
{
	word_keep(line->type, strlen(line->type), host->root_type, sizeof(host->root_type));
	host->root_read_only =
		mount_has_option(line->options, "ro") || mount_has_option(line->super, "ro");
	if (strstr(line->super, "/var/lib/docker/"))
		host->engine = ENGINE_DOCKER;
	else if (strstr(line->super, "io.containerd.snapshotter"))
		host->engine = ENGINE_CONTAINERD;
	else if (strstr(line->super, "/containers/storage/"))
		host->engine = ENGINE_PODMAN;
}

int host_parse_mountinfo(char *text, const char *agent_dir, struct host_facts *ret)
{
	struct mount_line line;
	size_t covered = 0;
	int r;

	for (char *cursor = text; (r = mountinfo_next(&cursor, &line)) > 0;) {
		size_t length = strlen(line.point);

		note_proc(&line, &ret->proc);
		if (strcmp(line.point, "/") == 0)
			note_root(&line, ret);
		if (strcmp(line.type, "fuse") == 0 && strcmp(line.source, "sysboxfs") == 0)
			ret->sysbox = true;
		if (!mount_covers(line.point, agent_dir) || length < covered)
			continue;
		covered = length;
		ret->agent.mount_point = strcmp(line.point, agent_dir) == 0;
		ret->agent.read_only = mount_has_option(line.options, "ro");
		word_keep(line.type, strlen(line.type), ret->agent.type, sizeof(ret->agent.type));
	}
	return r;
}
