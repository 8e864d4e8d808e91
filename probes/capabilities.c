/* capabilities: see capabilities.h. */
#include "probes/capabilities.h"

#include <errno.h>
#include <string.h>
#include <sys/capability.h>

#include "init/own.h"
#include "probes/status.h"

int capabilities_parse(const char *status, struct capability_sets *ret)
{
	struct capability_sets sets = { .known = true };
	const struct {
		const char *name;
		uint64_t *set;
	} rows[] = {
		{ "CapInh", &sets.inheritable }, { "CapPrm", &sets.permitted },
		{ "CapEff", &sets.effective },   { "CapBnd", &sets.bounding },
		{ "CapAmb", &sets.ambient },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int r = status_number(status, rows[i].name, 0, 16, rows[i].set);

		if (r < 0)
			return r;
	}
	*ret = sets;
	return 0;
}

static void free_caps(cap_t *caps)
{
	if (*caps)
		(void)cap_free(*caps);
}

/* Which capabilities `flag` of `caps` holds; libcap has no call for the whole word. */
static uint64_t flag_word(cap_t caps, cap_flag_t flag)
{
	uint64_t word = 0;

	for (cap_value_t cap = 0; cap < (cap_value_t)cap_max_bits(); cap++) {
		cap_flag_value_t value = CAP_CLEAR;

		if (cap_get_flag(caps, cap, flag, &value) == 0 && value == CAP_SET)
			word |= UINT64_C(1) << cap;
	}
	return word;
}

int capabilities_read_self(struct capability_sets *ret)
{
	__attribute__((cleanup(free_caps))) cap_t caps = cap_get_proc();
	struct capability_sets sets = { .known = true };

	if (!caps)
		return -errno;
	sets.effective = flag_word(caps, CAP_EFFECTIVE);
	sets.permitted = flag_word(caps, CAP_PERMITTED);
	sets.inheritable = flag_word(caps, CAP_INHERITABLE);
	for (cap_value_t cap = 0; cap < (cap_value_t)cap_max_bits(); cap++) {
		sets.bounding |= (uint64_t)(cap_get_bound(cap) > 0) << cap;
		sets.ambient |= (uint64_t)(cap_get_ambient(cap) > 0) << cap;
	}
	*ret = sets;
	return 0;
}
