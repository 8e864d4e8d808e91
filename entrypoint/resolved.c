/* resolved: see resolved.h. */
#include "entrypoint/resolved.h"

#include <errno.h>

#include "entrypoint/record.h"
#include "init/handoff.h"
#include "init/own.h"

void resolved_clear(struct resolved *resolved)
{
	document_clear(&resolved->document);
	free(resolved->bytes);
	*resolved = (struct resolved){};
}

static int resolved_read_fd(char *const *environment, struct resolved *ret)
{
	AUTO_RESOLVED struct resolved found = { .source = RESOLVED_FD };
	int r = handoff_read(environment_get(environment, HANDOFF_FD_VARIABLE),
			     environment_get(environment, HANDOFF_ID_VARIABLE), &found.bytes,
			     &found.length);

	if (r == 0)
		r = document_read(found.bytes, found.length, &found.document);
	if (r < 0)
		return r;
	*ret = found;
	found = (struct resolved){};
	return 0;
}

static int resolved_read_record(struct resolved *ret)
{
	AUTO_RESOLVED struct resolved found = { .source = RESOLVED_RECORD };
	int r = record_read(&found.bytes, &found.length);

	if (r == 0)
		r = document_read(found.bytes, found.length, &found.document);
	if (r == 0)
		r = identity_verify(&found.document.identity);
	if (r < 0)
		return r;
	*ret = found;
	found = (struct resolved){};
	return 0;
}

int resolved_read(char *const *environment, struct resolved *ret)
{
	struct resolved found = {};
	int r = resolved_read_fd(environment, &found);

	if (r < 0 && r != -ENOMEM)
		r = resolved_read_record(&found);
	if (r == -ENOMEM)
		return r;
	*ret = found;
	return 0;
}
