/*
 * resolved: what the boot resolved, as a later caller finds it: the inherited descriptor, else
 * the boot record of the init that still runs.
 */
#pragma once

#include "entrypoint/document.h"

enum resolved_source { RESOLVED_NOWHERE, RESOLVED_FD, RESOLVED_RECORD };

struct resolved {
	enum resolved_source source;
	struct document document;
	char *bytes; /* the document as it was found */
	size_t length;
};

#define AUTO_RESOLVED __attribute__((cleanup(resolved_clear)))

/*
 * Looks in both places.  0 with `*ret`, whose source is RESOLVED_NOWHERE when there is nothing
 * that can be believed: absent, stale, unsealed, somebody else's, or of an init that is gone.
 */
int resolved_read(char *const *environment, struct resolved *ret);
void resolved_clear(struct resolved *resolved);
