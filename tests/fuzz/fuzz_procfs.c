/*
 * fuzz procfs: bytes as mountinfo, status, uid_map and an LSM's label.  A file below /proc may be a
 * fake (a bind mount), so no text of it may do more than be refused.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "probes/capabilities.h"
#include "probes/host.h"
#include "init/mountinfo.h"
#include "probes/status.h"
#include "sandbox/procns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static char *copy(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size + 1);

	require(bytes != NULL);
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	return bytes;
}

static void as_mountinfo(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = copy(data, size);
	AUTO_FREE char *again = copy(data, size);
	AUTO_FREE char *lines = copy(data, size);
	AUTO_MASKS struct procns_masks masks = {};
	struct host_facts host = {};
	struct mount_line line;
	char *cursor = lines;

	while (mountinfo_next(&cursor, &line) > 0) {
		size_t length;

		require(line.root && line.point && line.options && line.type);
		(void)mount_has_option(line.options, "ro");
		(void)mount_option_value(line.super, "hidepid", &length);
	}
	if (procns_masks_parse(again, &masks) == 0)
		for (size_t i = 0; i < masks.n; i++)
			require(strncmp(masks.masks[i].path, "/proc/", 6) == 0);
	(void)host_parse_mountinfo(text, "/agent", &host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = copy(data, size);
	struct capability_sets sets;
	struct host_facts host = {};
	struct host_id_map map = {};
	uint64_t number;

	as_mountinfo(data, size);
	(void)capabilities_parse(text, &sets);
	if (status_number(text, "Seccomp", 0, 10, &number) == 0)
		require(strstr(text, "Seccomp") != NULL);
	(void)status_number(text, "CapEff", 0, 16, &number);
	(void)host_parse_id_map(text, &map);
	host_parse_label(text, &host);
	for (const char *c = host.lsm_label; *c; c++)
		require(*c >= 0x20 && *c < 0x7f);
	return 0;
}
