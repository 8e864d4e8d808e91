/* spec: see spec.h. */
#include "symlinks/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "init/kernel.h"
#include "symlinks/place.h"
#include "symlinks/rules.h"
#include "symlinks/walk.h"

/* Opens the agent folder, which nobody makes: without it there is nothing to keep things in. */
static enum link_code spec_open_agent(const struct spec *spec, struct walk *walk,
				      struct stat *ret_agent, struct text *detail)
{
	enum link_code code;

	walk->end = strlen(spec->agent_dir);
	code = walk_start(walk, detail);
	if (code == LINK_NONE)
		code = walk_on(walk, false, detail);
	if (code != LINK_NONE)
		return code;
	if (walk->reached < walk->end) {
		text_add(detail, "the agent folder \"");
		text_escape(detail, walk->path, walk->end);
		text_add(detail, "\" does not exist");
		return LINK_ERROR;
	}
	if (fstat(walk->fd, ret_agent) < 0) {
		text_add(detail, "look at the agent folder: %s", strerror(errno));
		return LINK_ERROR;
	}
	walk->base = walk->end;
	walk->end = strlen(walk->path);
	return LINK_NONE;
}

/* Both sides were judged and may be written. */
static enum link_code spec_make(struct walk *from, struct walk *target, struct place *place,
				struct text *detail)
{
	enum link_code code = walk_on(target, true, detail);

	if (code != LINK_NONE)
		return code;
	code = walk_on(from, true, detail);
	if (code != LINK_NONE)
		return code;
	place->dir = from->fd;
	place->shared = from->shared;
	place_sweep(place);
	return place_link(place, detail);
}

/*
 * Can something be made in the folder where a walk ended?  Only a dry run asks: whoever writes
 * finds out.  faccessat2(2), Linux 5.8; without it the question stays open.
 */
static enum link_code spec_try_write(int dir, const char *what, struct text *detail)
{
	int r = (int)KERNEL_CALL(SYS_faccessat2, dir, ".", W_OK, AT_EACCESS);

	if (r != -EROFS && r != -EACCES && r != -EPERM)
		return LINK_NONE;
	text_add(detail, "%s cannot be made: %s", what, strerror(-r));
	return LINK_ERROR;
}

static enum link_code spec_try(const struct walk *from, const struct walk *target,
			       enum link_code judged, struct text *detail)
{
	enum link_code code = LINK_NONE;

	if (target->reached < target->end)
		code = spec_try_write(target->fd, "the target folder", detail);
	if (code == LINK_NONE && judged != LINK_UNCHANGED)
		code = spec_try_write(from->fd, "the link", detail);
	return code == LINK_NONE ? judged : code;
}

/* Looks at everything before anything is written, so that a refusal leaves no trace. */
static enum link_code spec_judge(struct walk *from, struct walk *target, struct place *place,
				 struct text *detail)
{
	enum link_code code = walk_start(from, detail);
	enum link_code judged = LINK_CREATED;

	if (code == LINK_NONE)
		code = walk_on(from, false, detail);
	if (code != LINK_NONE)
		return code;
	if (from->reached == from->end) {
		place->dir = from->fd;
		place->shared = from->shared;
		judged = place_judge(place, detail);
		if (!link_code_done(judged))
			return judged;
	}
	code = walk_on(target, false, detail);
	return code != LINK_NONE ? code : judged;
}

enum link_code spec_place(const struct spec *spec, struct text *detail)
{
	const char *home = spec->home;
	const char *slash = strrchr(spec->path, '/');
	struct stat agent;
	AUTO_WALK struct walk target = { .side = WALK_TARGET, .path = spec->target, .fd = -1 };
	AUTO_WALK struct walk from = {
		.side = WALK_FROM,
		.path = spec->path,
		.end = (size_t)(slash - spec->path),
		.private_below = home && rules_at_or_below(spec->path, home) ? strlen(home) : 0,
		.avoid = &agent,
		.fd = -1,
	};
	struct place place = {
		.dir = -1,
		.name = slash + 1,
		.says = spec->target,
		.agent_dir = spec->agent_dir,
	};
	enum link_code code = spec_open_agent(spec, &target, &agent, detail);

	if (code != LINK_NONE)
		return code;
	code = spec_judge(&from, &target, &place, detail);
	if (!link_code_done(code))
		return code;
	if (spec->dry_run)
		return spec_try(&from, &target, code, detail);
	return spec_make(&from, &target, &place, detail);
}
