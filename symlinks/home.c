/* home: see home.h. */
#include "symlinks/home.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "symlinks/rules.h"
#include "symlinks/walk.h"

/* Empty: nothing is wrong with it. */
static void home_judge(const char *home, const char *agent_dir, struct text *path,
		       struct text *wrong)
{
	AUTO_WALK struct walk walk = { .side = WALK_FROM, .fd = -1 };
	AUTO_TEXT struct text found = {};
	enum link_code code;

	if (home[0] != '/' || rules_normalise(home, strlen(home), path) < 0) {
		text_add(wrong, "it is not an absolute path without \"..\"");
		return;
	}
	if (path->length == 0 && geteuid() != 0) {
		text_add(wrong, "only root can put links there");
		return;
	}
	if (rules_at_or_below(path->data, agent_dir)) {
		text_add(wrong, "it lies in the agent folder");
		return;
	}
	walk.path = path->data;
	walk.end = path->length;
	code = walk_start(&walk, &found);
	if (code == LINK_NONE)
		code = walk_on(&walk, false, &found);
	if (code != LINK_NONE)
		text_add(wrong, "%s", text_error(&found) < 0 ? "?" : found.data);
	else if (walk.reached < walk.end)
		text_add(wrong, "it does not exist");
	else if (walk.shared)
		text_add(wrong, "it may be written by others");
}

int home_read(const char *home, const char *agent_dir, struct text *ret, struct text *why)
{
	AUTO_TEXT struct text wrong = {};

	if (home && home[0]) {
		home_judge(home, agent_dir, ret, &wrong);
		if (wrong.length == 0 && text_error(&wrong) == 0)
			return 0;
		text_add(why, "HOME is \"");
		text_escape(why, home, strlen(home));
		text_add(why, "\": %s", text_error(&wrong) < 0 ? "?" : wrong.data);
	} else {
		text_add(why, "HOME is not set");
	}
	text_add(why, "; set \"home\" in [agent], or TYPECLAW_AGENT_HOME");
	return -EINVAL;
}
