/* The texts of /proc that describe a host, and what tools print: whatever bytes they hold. */
#include <stdlib.h>
#include <string.h>

#include "entrypoint/doctor_catalogue.h"
#include "init/own.h"
#include "probes/host.h"
#include "sandbox/procns.h"

static void must_be_printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = calloc(1, size + 1);
	AUTO_MASKS struct procns_masks masks = {};
	struct host_facts host = {};
	struct host_id_map map;

	if (!text)
		return 0;
	memcpy(text, data, size);
	(void)procns_masks_parse(text, &masks);
	(void)host_parse_id_map(text, &map);
	host_parse_label(text, &host);
	(void)catalogue_find_text(CATALOGUE_NOTHING, text);
	(void)host_parse_mountinfo(text, "/agent", &host);
	must_be_printable(host.lsm_label);
	must_be_printable(host.root_type);
	must_be_printable(host.agent.type);
	return 0;
}
