/*
 * standin: this binary under the name of another init (tini, docker-init, dumb-init, catatonit,
 * podman-init).  It takes that program's documented command line and environment variables, has
 * its texts, streams and exit statuses, and does no set-up and no probing.  What it does better
 * than the original stays: nothing is lost, orphans are adopted without a word, what is left at
 * the end is ended.
 *
 * The [init] keys can be set by their environment twins (TYPECLAW_INIT_*), because an engine
 * passes no flags; the program's own variables and options come after them.
 */
#pragma once

#include "init/inherit.h"

struct standin;

/* The program that `argv0` names by its last component, or NULL, as for a NULL. */
const struct standin *standin_find(const char *argv0);

/* Its whole life: the exit status.  `words` are argv without argv[0]. */
int standin_run(const struct standin *standin, char **words, const struct inherited *inherited,
		char **environment);
