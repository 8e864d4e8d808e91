/* doctor_match: which row of the catalogue fits; see doctor_catalogue.h. */
#include <errno.h>
#include <string.h>

#include "entrypoint/doctor_catalogue.h"

static bool pattern_match(const char *pattern, const char *text);

/* One of the words between the braces, then the rest; `pattern` stands behind the `{`. */
static bool pattern_match_words(const char *pattern, const char *text)
{
	const char *rest = strchr(pattern, '}') + 1;

	for (;;) {
		size_t length = strcspn(pattern, ",}");

		if (strncmp(pattern, text, length) == 0 && pattern_match(rest, text + length))
			return true;
		if (pattern[length] == '}')
			return false;
		pattern += length + 1;
	}
}

/* The pattern from the start of `text`; what follows it does not matter. */
static bool pattern_match(const char *pattern, const char *text)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '{')
			return pattern_match_words(pattern + 1, text);
		if (*pattern == '*')
			return pattern_find(pattern + 1, text);
		if (*pattern != *text)
			return false;
	}
	return true;
}

bool pattern_find(const char *pattern, const char *text)
{
	for (;; text++) {
		if (pattern_match(pattern, text))
			return true;
		if (!*text)
			return false;
	}
}

static unsigned int when(bool holds, unsigned int condition)
{
	return holds ? condition : 0;
}

unsigned int catalogue_conditions(const struct facts *facts, const struct host_facts *host)
{
	const struct host_value *restricted = &host->numbers[HOST_APPARMOR_USERNS];
	const struct host_value *allowed = &host->numbers[HOST_USERNS_CLONE];

	return when(facts->seccomp_mode == SECCOMP_FILTER, WHEN_FILTER) |
	       when(facts->seccomp_mode == SECCOMP_DISABLED, WHEN_NO_FILTER) |
	       when(facts->uid == 0, WHEN_ROOT) |
	       when(!facts_capable(facts, FACT_CAP_SETFCAP), WHEN_NO_SETFCAP) |
	       when(facts_capable(facts, FACT_CAP_SYS_ADMIN), WHEN_SYS_ADMIN) |
	       when(facts->uid != 0 && facts->capabilities.effective, WHEN_USER_CAPABILITIES) |
	       when(!facts->initial_userns, WHEN_CHILD_USERNS) |
	       when(host_apparmor_confined(host), WHEN_APPARMOR) |
	       when(restricted->known && restricted->value, WHEN_APPARMOR_USERNS) |
	       when(host_selinux_confined(host), WHEN_SELINUX) |
	       when(allowed->known && !allowed->value, WHEN_USERNS_CLONE_OFF) |
	       when(host->proc.hidepid != 0, WHEN_HIDEPID) | when(host->gvisor, WHEN_GVISOR) |
	       when(host->orbstack, WHEN_ORBSTACK) | when(host->sysbox, WHEN_SYSBOX);
}

static bool row_matches_text(const struct catalogue_row *row, const char *text)
{
	for (size_t i = 0; i < CATALOGUE_PATTERNS && row->patterns[i]; i++)
		if (pattern_find(row->patterns[i], text))
			return true;
	return false;
}

enum catalogue_id catalogue_find_text(enum catalogue_id from, const char *text)
{
	for (enum catalogue_id id = from + 1; id < CATALOGUE_COUNT; id++)
		if (row_matches_text(catalogue_row(id), text))
			return id;
	return CATALOGUE_COUNT;
}

const struct catalogue_row *catalogue_find_cause(enum probe_cause cause, int error,
						 unsigned int conditions)
{
	for (enum catalogue_id id = CATALOGUE_NOTHING + 1; id < CATALOGUE_COUNT; id++) {
		const struct catalogue_row *row = catalogue_row(id);

		if ((row->causes >> cause & 1) && (row->needs & ~conditions) == 0 &&
		    (!row->error || !error || row->error == error))
			return row;
	}
	return NULL;
}

const struct catalogue_row *catalogue_find(const struct probe_finding *finding,
					   unsigned int conditions)
{
	const struct catalogue_row *row =
		catalogue_find_cause(finding->cause, finding->error, conditions);
	enum catalogue_id id = CATALOGUE_NOTHING;

	if (row || finding->cause == CAUSE_NONE)
		return row;
	while ((id = catalogue_find_text(id, finding->evidence)) != CATALOGUE_COUNT)
		if ((catalogue_row(id)->needs & ~conditions) == 0)
			return catalogue_row(id);
	return NULL;
}
