/*
 * fuzz profile: a seccomp base.  What comes out is JSON that refuses by default and ends with
 * the delta, and nothing conditional is left in the OCI layout.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dockerfile/profile.h"
#include "init/own.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check(const struct profile_request *request)
{
	AUTO_TEXT struct text text = {};
	json_t *profile, *rules, *last;
	size_t n;

	if (profile_write(request, &text, NULL) < 0)
		return;
	profile = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL);
	rules = json_object_get(profile, "syscalls");
	n = json_array_size(rules);
	require(n >= 12);
	last = json_array_get(json_object_get(json_array_get(rules, n - 1), "names"), 0);
	require(strcmp(json_string_value(last), "pivot_root") == 0);
	require(strcmp(json_string_value(json_object_get(profile, "defaultAction")),
		       "SCMP_ACT_ALLOW") != 0);
	for (size_t i = 0; request->oci && i < n; i++)
		require(!json_object_get(json_array_get(rules, i), "includes") &&
			!json_object_get(json_array_get(rules, i), "excludes"));
	json_decref(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_request request = { .base = (const char *)data, .base_length = size };

	check(&request);
	request.oci = true;
	check(&request);
	request.sys_admin = true;
	check(&request);
	return 0;
}
