/*
 * fuzz proc: what is read out of /proc to decide a verdict, as mountinfo and as status.  What is
 * masked again lies below /proc, and only a tmpfs named newroot is ever taken for bwrap's root.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "probes/capabilities.h"
#include "probes/look.h"
#include "probes/status.h"
#include "sandbox/procns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void as_mountinfo(const char *text)
{
	AUTO_MASKS struct procns_masks masks = {};

	if (procns_masks_parse(text, &masks) == 0) {
		require(masks.n <= PROCNS_MASKS_MAX);
		for (size_t i = 0; i < masks.n; i++)
			require(strncmp(masks.masks[i].path, "/proc/", 6) == 0);
	}
	if (look_root_is_bwraps(text))
		require(strstr(text, " /newroot ") && strstr(text, " - tmpfs "));
	if (look_hides_pids(text))
		require(strstr(text, "hidepid=") != NULL);
}

static void as_status(const char *text)
{
	struct capability_sets sets = {};
	uint64_t value;

	if (capabilities_parse(text, &sets) == 0)
		require(sets.known && strstr(text, "CapEff:") && strstr(text, "CapBnd:"));
	for (unsigned int index = 0; index < 5; index++) {
		if (status_number(text, "Uid", index, 10, &value) == 0)
			require(strstr(text, "Uid:") != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = malloc(size + 1);

	require(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	as_mountinfo(text);
	as_status(text);
	return 0;
}
