/* facts: see facts.h. */
#include "probes/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "init/file.h"
#include "init/own.h"
#include "init/text.h"
#include "probes/capabilities.h"
#include "probes/status.h"

#define FACT_FILE_MAX 65536

const char *seccomp_mode_name(enum seccomp_mode mode)
{
	static const char *const names[] = {
		[SECCOMP_UNKNOWN] = "unknown",
		[SECCOMP_DISABLED] = "disabled",
		[SECCOMP_STRICT] = "strict",
		[SECCOMP_FILTER] = "filter",
	};

	return names[mode];
}

bool facts_capable(const struct facts *facts, int capability)
{
	return facts->capabilities.known && (facts->capabilities.effective >> capability & 1);
}

/* Without /proc the kernel still answers for ourselves; a snapshot of another host has no such. */
static int facts_ask_kernel(struct facts *facts)
{
	int r = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);

	facts->uid = geteuid();
	facts->gid = getegid();
	facts->no_new_privs = r == 1;
	r = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
	if (r >= 0 && r <= 2)
		facts->seccomp_mode = SECCOMP_DISABLED + (enum seccomp_mode)r;
	r = capabilities_read_self(&facts->capabilities);
	return r == -ENOMEM ? r : 0;
}

static void facts_from_status(const char *status, struct facts *facts)
{
	uint64_t value;

	if (status_number(status, "Uid", 1, 10, &value) == 0)
		facts->uid = (uid_t)value;
	if (status_number(status, "Gid", 1, 10, &value) == 0)
		facts->gid = (gid_t)value;
	if (status_number(status, "NoNewPrivs", 0, 10, &value) == 0)
		facts->no_new_privs = value == 1;
	if (status_number(status, "Seccomp", 0, 10, &value) == 0 && value <= 2)
		facts->seccomp_mode = SECCOMP_DISABLED + (enum seccomp_mode)value;
	if (status_number(status, "Seccomp_filters", 0, 10, &value) == 0)
		facts->seccomp_filters = (unsigned int)value;
	(void)capabilities_parse(status, &facts->capabilities);
}

static int read_status(int root, struct facts *facts)
{
	AUTO_FREE char *text = NULL;
	AUTO_CLOSE int proc = openat(root, "proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = file_slurp(root, "proc/self/status", FACT_FILE_MAX, &text, NULL);

	facts->proc_mounted = proc >= 0 && file_is_procfs(proc);
	if (r == -ENOMEM)
		return r;
	if (r == 0)
		facts_from_status(text, facts);
	else
		return facts_ask_kernel(facts);
	return 0;
}

/* The initial user namespace maps every id to itself, user_namespaces(7). */
static int read_uid_map(int root, struct facts *facts)
{
	AUTO_FREE char *text = NULL;
	int r = file_slurp(root, "proc/self/uid_map", FACT_FILE_MAX, &text, NULL);
	char *rest = text;
	const char *fields[3] = {};

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields);) {
		const char *field = strsep(&rest, " \n");

		if (!field)
			return 0;
		if (field[0])
			fields[i++] = field;
	}
	facts->initial_userns = strcmp(fields[0], "0") == 0 && strcmp(fields[1], "0") == 0 &&
				strcmp(fields[2], "4294967295") == 0;
	return 0;
}

static int read_userns_limit(int root, struct facts *facts)
{
	AUTO_FREE char *text = NULL;
	int r = file_slurp(root, "proc/sys/user/max_user_namespaces", FACT_FILE_MAX, &text, NULL);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	text[strcspn(text, "\n")] = '\0';
	facts->max_user_namespaces_known =
		number_parse(text, 0, UINT64_MAX, &facts->max_user_namespaces) == 0;
	return 0;
}

int facts_read(int root, struct facts *ret, struct fault *f)
{
	struct facts facts = {};
	int r = read_status(root, &facts);

	if (r == 0)
		r = read_uid_map(root, &facts);
	if (r == 0)
		r = read_userns_limit(root, &facts);
	if (r < 0)
		return fault_set(f, r, "read the facts of this container");
	*ret = facts;
	return 0;
}
