/*
 * place: one link in one folder, put there without ever losing what somebody else put there.
 *
 * Nothing is judged by a name and then destroyed by that name: what is replaced is first moved
 * to a name of our own and looked at again, and put back when it is not what was judged.
 */
#pragma once

#include <stdbool.h>
#include <limits.h>

#include "init/text.h"
#include "symlinks/links.h"

struct place {
	int dir;               /* O_PATH of the folder that the link is to be in; borrowed */
	bool shared;           /* others may write that folder (it is sticky) */
	const char *name;      /* of the link: one component */
	const char *says;      /* what it is to say: absolute, normalised */
	const char *agent_dir; /* normalised */
};

/*
 * Looks only: created (nothing is there), unchanged (it says that already), replaced (a link
 * that may be replaced: it points below the agent folder, or nowhere), else occupied,
 * foreign-link or error, with what was found in `detail`.
 */
enum link_code place_judge(const struct place *place, struct text *detail);

/*
 * Does it: symlink(2), or a temporary name and renameat2(2) RENAME_EXCHANGE, or without that a
 * rename aside.  The result is the entry's; raced when somebody else kept changing the place.
 */
enum link_code place_link(const struct place *place, struct text *detail);

/*
 * Removes the temporary names that a killed earlier boot left in the folder: links only, and
 * only such as could be replaced.  What cannot be read or removed stays.
 */
void place_sweep(const struct place *place);
