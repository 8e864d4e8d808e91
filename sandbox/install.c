/* install: see install.h. */
#include "sandbox/install.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "init/own.h"

#define INSTALL_ENTRIES_MAX 256

#define AUTO_INSTALL __attribute__((cleanup(install_clear)))
#define AUTO_DIRECTORY __attribute__((cleanup(directory_close)))

enum place {
	PLACE_MOUNT,  /* a mount of its own, so that nobody renames it away */
	PLACE_RENAME, /* replaced by rename(2), so no mount point */
	PLACE_ZONE,   /* a zone of the policy, mounted there */
};

/* What a package manager writes at the root. */
static const struct {
	const char *name;
	enum zone_kind kind;
	enum place place;
} allowed[] = {
	{ "node_modules", ZONE_DIRECTORY, PLACE_MOUNT },
	{ "package.json", ZONE_FILE, PLACE_RENAME },
	{ "bun.lock", ZONE_FILE, PLACE_RENAME },
	{ "workspace", ZONE_DIRECTORY, PLACE_ZONE },
	{ "public", ZONE_DIRECTORY, PLACE_ZONE },
	{ "mounts", ZONE_DIRECTORY, PLACE_ZONE },
};

#define RUNTIME_PACKAGE "node_modules/typeclaw"

static void directory_close(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory);
}

const char *install_verdict_name(enum install_verdict verdict)
{
	static const char *const names[] = {
		[INSTALL_NOT_ASKED] = "not-asked", [INSTALL_TAKEN] = "taken",
		[INSTALL_LINK] = "link",           [INSTALL_WRONG_KIND] = "wrong-kind",
		[INSTALL_TOO_MANY] = "too-many",   [INSTALL_UNREADABLE] = "unreadable",
	};

	return names[verdict];
}

static enum install_verdict verdict_of(enum zone_verdict verdict)
{
	switch (verdict) {
	case ZONE_TAKEN:
		return INSTALL_TAKEN;
	case ZONE_LINK:
		return INSTALL_LINK;
	case ZONE_WRONG_KIND:
		return INSTALL_WRONG_KIND;
	case ZONE_MISSING: /* it was there a moment ago: somebody is at work */
	default:
		return INSTALL_UNREADABLE;
	}
}

/* Judges one entry into `zones`; 0 with the verdict in install->verdict, or -ENOMEM. */
static int add(struct install *install, struct zones *zones, const struct zone_ground *ground,
	       const char *name, enum zone_kind kind)
{
	int r = zones_add(zones, ground, name, kind, true);

	if (r == -E2BIG)
		install->verdict = INSTALL_TOO_MANY;
	if (r < 0)
		return r == -E2BIG ? 0 : r;
	install->verdict = verdict_of(zones->list[zones->n - 1].verdict);
	if (install->verdict == INSTALL_TAKEN)
		return 0;
	install->culprit = strdup(name);
	return install->culprit ? 0 : -ENOMEM;
}

static int add_allowed(struct install *install, const struct zone_ground *ground, size_t i)
{
	AUTO_ZONES struct zones judged = {};
	bool kept = allowed[i].place != PLACE_ZONE;
	int r = add(install, kept ? &install->writable : &judged, ground, allowed[i].name,
		    allowed[i].kind);

	if (r == 0 && install->verdict == INSTALL_TAKEN && allowed[i].place == PLACE_RENAME)
		install->writable.list[install->writable.n - 1].covered = true;
	return r;
}

static int add_entry(struct install *install, const struct zone_ground *ground, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		if (strcmp(name, allowed[i].name) == 0)
			return add_allowed(install, ground, i);
	}
	return add(install, &install->protected, ground, name, ZONE_NOTHING);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct zone *)a)->path, ((const struct zone *)b)->path);
}

/* The agent's own runtime below node_modules/, when it is there. */
static int add_runtime(struct install *install, const struct zone_ground *ground)
{
	AUTO_ZONES struct zones judged = {};
	int r = zones_add(&judged, ground, RUNTIME_PACKAGE, ZONE_DIRECTORY, true);

	if (r < 0 || judged.list[0].verdict == ZONE_MISSING)
		return r;
	return add(install, &install->protected, ground, RUNTIME_PACKAGE, ZONE_DIRECTORY);
}

static int list(struct install *install, const struct zone_ground *ground, DIR *directory)
{
	const struct dirent *entry;
	size_t n = 0;
	int r = 0;

	install->verdict = INSTALL_TAKEN;
	while (r == 0 && install->verdict == INSTALL_TAKEN) {
		errno = 0;
		entry = readdir(directory);
		if (!entry && errno)
			install->verdict = INSTALL_UNREADABLE;
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (++n > INSTALL_ENTRIES_MAX)
			install->verdict = INSTALL_TOO_MANY;
		else
			r = add_entry(install, ground, entry->d_name);
	}
	if (r == 0 && install->verdict == INSTALL_TAKEN)
		r = add_runtime(install, ground);
	return r;
}

int install_read(const struct zone_ground *ground, struct install *ret)
{
	AUTO_INSTALL struct install install = { .verdict = INSTALL_UNREADABLE };
	AUTO_DIRECTORY DIR *directory = NULL;
	int fd = openat(ground->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = 0;

	if (fd >= 0) {
		directory = fdopendir(fd);
		if (!directory) {
			(void)close(fd);
			return -ENOMEM;
		}
		r = list(&install, ground, directory);
	}
	if (r < 0)
		return r;
	if (install.verdict != INSTALL_TAKEN) {
		zones_clear(&install.writable);
		zones_clear(&install.protected);
	}
	if (install.protected.n > 0)
		qsort(install.protected.list, install.protected.n, sizeof(struct zone), by_path);
	*ret = install;
	install = (struct install){};
	return 0;
}

/* True for what lies at or below a folder that stays writable. */
static bool stays_writable(const char *below_root)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		if (allowed[i].place == PLACE_ZONE &&
		    zone_path_is_below(below_root, allowed[i].name))
			return true;
	}
	return false;
}

void install_restrict(const struct zone_ground *ground, struct zones *writable)
{
	for (size_t i = 0; i < writable->n; i++) {
		struct zone *zone = &writable->list[i];

		if (zone->verdict != ZONE_TAKEN ||
		    stays_writable(zone->path + strlen(ground->path) + 1))
			continue;
		zone->verdict = ZONE_INSTALL;
		fd_close(&zone->fd);
	}
}

void install_clear(struct install *install)
{
	zones_clear(&install->writable);
	zones_clear(&install->protected);
	free(install->culprit);
	*install = (struct install){};
}
