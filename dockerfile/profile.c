/* profile: see profile.h. */
#include "dockerfile/profile.h"

#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "dockerfile/seccomp_default.h"
#include "init/own.h"

#define AUTO_JSON __attribute__((cleanup(own_json)))

static void own_json(json_t **value)
{
	json_decref(*value);
}

/*
 * The delta.  Measured with bwrap 0.8.0: take any one away and `who` fails with `message`, which
 * a test does.  Flag words are the kernel's, clone(2), mount(2), umount2(2), with MS_SILENT as
 * bwrap sets it.  `mask` 0: no argument is compared; EXACT: the argument must be `value`.
 * JSON programs keep 53 bits of a number, so no more are compared; the flags end at bit 31.
 */
#define EXACT ((INT64_C(1) << 53) - 1)
#define NAMESPACES \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID)
/* What a mount may have by itself and bwrap keeps when it remounts a bind. */
#define PER_MOUNT \
	(MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME | MS_RELATIME)
#define OLD_MAGIC INT64_C(0xc0ed0000) /* MS_MGC_VAL, which bwrap still sets on one bind */

static const struct delta {
	const char *name;
	unsigned int argument;
	int64_t mask, value;
	const char *who, *message;
} deltas[] = {
	{ "clone", 0, EXACT, NAMESPACES | CLONE_NEWNET | SIGCHLD, "bwrap",
	  "No permissions to create new namespace" },
	{ "clone", 0, EXACT, NAMESPACES | SIGCHLD, "bwrap --share-net",
	  "No permissions to create new namespace" },
	{ "unshare", 0, EXACT, CLONE_NEWUSER, "bwrap --dev of another user than root",
	  "unshare user ns" },
	{ "mount", 3, EXACT, MS_SLAVE | MS_REC | MS_SILENT, "bwrap", "Failed to make / slave" },
	{ "mount", 3, EXACT, MS_PRIVATE | MS_REC | MS_SILENT, "bwrap",
	  "Failed to make old root rprivate" },
	{ "mount", 3, EXACT, OLD_MAGIC | MS_BIND | MS_REC | MS_SILENT, "bwrap",
	  "setting up newroot bind" },
	{ "mount", 3, EXACT, MS_BIND | MS_REC | MS_SILENT, "bwrap --ro-bind",
	  "Unable to mount source on destination" },
	{ "mount", 3, EXACT & ~PER_MOUNT, MS_REMOUNT | MS_BIND | MS_SILENT, "bwrap --ro-bind",
	  "Unable to remount destination" },
	{ "mount", 3, EXACT, MS_NOSUID | MS_NODEV, "bwrap", "Failed to mount tmpfs" },
	{ "mount", 3, EXACT, MS_NOSUID | MS_NOEXEC, "bwrap --dev", "Can't mount devpts" },
	{ "umount2", 1, EXACT, MNT_DETACH, "bwrap", "unmount old root" },
	{ "pivot_root", 0, 0, 0, "bwrap, real-proc too", "pivot_root" },
};

/* Docker's and containerd's default set, for the OCI layout. */
static const char default_capabilities[] =
	" CAP_AUDIT_WRITE CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_KILL CAP_MKNOD"
	" CAP_NET_BIND_SERVICE CAP_NET_RAW CAP_SETFCAP CAP_SETGID CAP_SETPCAP CAP_SETUID"
	" CAP_SYS_CHROOT ";

const char *profile_base_version(void)
{
	return seccomp_default_version;
}

/* One rule of the built-in table back in the engine's form; 0 or -ENOMEM. */
static int expand_rule(json_t *rule)
{
	AUTO_JSON json_t *names = json_array();
	const char *word = json_string_value(json_object_get(rule, "names"));

	while (word && *word) {
		size_t length = strcspn(word, " ");

		if (json_array_append_new(names, json_stringn(word, length)) < 0)
			return -ENOMEM;
		word += length + (word[length] == ' ');
	}
	if (json_object_set(rule, "names", names) < 0)
		return -ENOMEM;
	if (!json_object_get(rule, "action") &&
	    json_object_set_new(rule, "action", json_string("SCMP_ACT_ALLOW")) < 0)
		return -ENOMEM;
	return 0;
}

static int built_in_base(json_t **ret, struct fault *f)
{
	AUTO_FREE char *text = strdup(seccomp_default_rules);
	AUTO_JSON json_t *base = NULL;
	json_t *rule;
	size_t i;

	if (!text)
		return fault_set(f, -ENOMEM, "read the built-in seccomp profile");
	for (char *c = text; *c; c++) {
		if (*c == '\'')
			*c = '"';
	}
	base = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_array_foreach(json_object_get(base, "syscalls"), i, rule)
	{
		if (expand_rule(rule) < 0)
			return fault_set(f, -ENOMEM, "read the built-in seccomp profile");
	}
	if (!base)
		return fault_set(f, -ENOMEM, "read the built-in seccomp profile");
	*ret = base;
	base = NULL;
	return 0;
}

/* A base that lets through what it does not list would make the rest of it decoration. */
static int check_base(const json_t *base, struct fault *f)
{
	const char *action = json_string_value(json_object_get(base, "defaultAction"));

	if (!action || !json_is_array(json_object_get(base, "syscalls")))
		return fault_say(f, -EINVAL,
				 "the seccomp base is no profile: it needs "
				 "defaultAction and an array syscalls");
	if (strcmp(action, "SCMP_ACT_ERRNO") != 0 && strncmp(action, "SCMP_ACT_KILL", 13) != 0)
		return fault_say(f, -EINVAL,
				 "the seccomp base does not refuse by default "
				 "(defaultAction must be SCMP_ACT_ERRNO or _KILL)");
	return 0;
}

static int given_base(const struct profile_request *request, json_t **ret, struct fault *f)
{
	AUTO_JSON json_t *base = NULL;
	json_error_t error;
	int r;

	base = json_loadb(request->base, request->base_length, JSON_REJECT_DUPLICATES, &error);
	if (!base) {
		AUTO_TEXT struct text shown = {};

		text_escape(&shown, error.text, strnlen(error.text, sizeof(error.text)));
		return fault_say(f, -EBADMSG, "the seccomp base, line %d: %s", error.line,
				 text_error(&shown) < 0 ? "bad JSON" : shown.data);
	}
	r = check_base(base, f);
	if (r < 0)
		return r;
	*ret = base;
	base = NULL;
	return 0;
}

/* libseccomp's form of "argument & mask == value"; NULL when out of memory. */
static json_t *delta_arguments(const struct delta *delta)
{
	json_int_t argument = (json_int_t)delta->argument;

	if (!delta->mask)
		return json_array();
	if (delta->mask == EXACT)
		return json_pack("[{s:I,s:I,s:s}]", "index", argument, "value",
				 (json_int_t)delta->value, "op", "SCMP_CMP_EQ");
	return json_pack("[{s:I,s:I,s:I,s:s}]", "index", argument, "value", (json_int_t)delta->mask,
			 "valueTwo", (json_int_t)delta->value, "op", "SCMP_CMP_MASKED_EQ");
}

/* The order of clone's arguments differs on s390, so the rules name their architectures. */
static json_t *delta_rule(const struct delta *delta)
{
	AUTO_TEXT struct text comment = {};

	text_add(&comment, "typeclaw-init: for %s; without it: %s", delta->who, delta->message);
	if (text_error(&comment) < 0)
		return NULL;
	return json_pack("{s:[s],s:s,s:o,s:s,s:{s:[ss]},s:{}}", "names", delta->name, "action",
			 "SCMP_ACT_ALLOW", "args", delta_arguments(delta), "comment", comment.data,
			 "includes", "arches", "amd64", "arm64", "excludes");
}

static int add_deltas(json_t *base, struct fault *f)
{
	json_t *rules = json_object_get(base, "syscalls");

	for (size_t i = 0; i < ARRAY_SIZE(deltas); i++)
		if (json_array_append_new(rules, delta_rule(&deltas[i])) < 0)
			return fault_set(f, -ENOMEM, "add to the seccomp profile");
	return 0;
}

static bool holds_capability(const char *name, bool sys_admin)
{
	char word[64];

	if (!strcmp(name, "CAP_SYS_ADMIN"))
		return sys_admin;
	if (snprintf(word, sizeof(word), " %s ", name) >= (int)sizeof(word))
		return false;
	return strstr(default_capabilities, word) != NULL;
}

static bool is_our_architecture(const char *name)
{
	return !strcmp(name, "amd64") || !strcmp(name, "arm64");
}

/* Kubernetes runs on nothing older than Linux 4; a later minimum is not taken for met. */
static bool kernel_is_met(const char *minimum)
{
	return minimum[0] >= '0' && minimum[0] <= '4' && minimum[1] == '.';
}

/* Do all of `includes` hold?  A condition nobody here knows does not. */
static bool includes_hold(json_t *includes, bool sys_admin)
{
	const char *key;
	json_t *list, *item;
	size_t i;

	json_object_foreach(includes, key, list)
	{
		bool holds = !strcmp(key, "caps");

		if (!strcmp(key, "minKernel")) {
			holds = json_is_string(list) && kernel_is_met(json_string_value(list));
		} else if (!strcmp(key, "arches")) {
			json_array_foreach(list, i, item) holds |=
				json_is_string(item) &&
				is_our_architecture(json_string_value(item));
		} else if (holds) {
			json_array_foreach(list, i, item) holds &=
				json_is_string(item) &&
				holds_capability(json_string_value(item), sys_admin);
		}
		if (!holds)
			return false;
	}
	return true;
}

/* Does any of `excludes` hold?  What is not known here does, to be on the strict side. */
static bool excludes_hold(json_t *excludes, bool sys_admin)
{
	const char *key;
	json_t *list, *item;
	size_t i;

	json_object_foreach(excludes, key, list)
	{
		if (strcmp(key, "caps") != 0 && strcmp(key, "arches") != 0)
			return true;
		json_array_foreach(list, i, item)
		{
			const char *name = json_string_value(item);

			if (!name || holds_capability(name, sys_admin) || is_our_architecture(name))
				return true;
		}
	}
	return false;
}

static int copy_members(json_t *to, const json_t *from, const char *const *names)
{
	for (; *names; names++) {
		json_t *value = json_object_get(from, *names);

		if (!value || json_is_null(value) ||
		    (json_is_array(value) && !json_array_size(value)))
			continue;
		if (json_object_set(to, *names, value) < 0)
			return -ENOMEM;
	}
	return 0;
}

static json_t *resolve_rules(json_t *rules, bool sys_admin)
{
	static const char *const members[] = {
		"names", "name", "action", "errnoRet", "args", NULL
	};
	AUTO_JSON json_t *resolved = json_array();
	json_t *taken;
	json_t *rule;
	size_t i;

	json_array_foreach(rules, i, rule)
	{
		json_t *kept;

		if (!includes_hold(json_object_get(rule, "includes"), sys_admin) ||
		    excludes_hold(json_object_get(rule, "excludes"), sys_admin))
			continue;
		kept = json_object();
		if (json_array_append_new(resolved, kept) < 0 ||
		    copy_members(kept, rule, members) < 0)
			return NULL;
	}
	taken = resolved;
	resolved = NULL;
	return taken;
}

/* runtime-spec config-linux.md, `seccomp`: both architectures and those they can also run. */
static int resolve(json_t **base, bool sys_admin, struct fault *f)
{
	static const char *const members[] = { "defaultAction", "defaultErrnoRet", NULL };
	AUTO_JSON json_t *oci = json_object();
	AUTO_JSON json_t *rules = resolve_rules(json_object_get(*base, "syscalls"), sys_admin);
	AUTO_JSON json_t *architectures =
		json_pack("[sssss]", "SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32",
			  "SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM");

	if (copy_members(oci, *base, members) < 0 ||
	    json_object_set(oci, "architectures", architectures) < 0 ||
	    json_object_set(oci, "syscalls", rules) < 0)
		return fault_set(f, -ENOMEM, "resolve the seccomp profile");
	json_decref(*base);
	*base = oci;
	oci = NULL;
	return 0;
}

/* Errors stay in the text; jansson 2.14 forgets one that it gets while it writes a key. */
static int dump_to_text(const char *bytes, size_t length, void *text)
{
	text_add_bytes(text, bytes, length);
	return 0;
}

int profile_write(const struct profile_request *request, struct text *ret, struct fault *f)
{
	AUTO_JSON json_t *profile = NULL;
	int r = request->base ? given_base(request, &profile, f) : built_in_base(&profile, f);

	if (r == 0)
		r = add_deltas(profile, f);
	if (r == 0 && request->oci)
		r = resolve(&profile, request->sys_admin, f);
	if (r < 0)
		return r;
	if (json_dump_callback(profile, dump_to_text, ret, JSON_INDENT(1)) < 0)
		return fault_set(f, -ENOMEM, "write the seccomp profile");
	text_add(ret, "\n");
	return text_error(ret) < 0 ? fault_set(f, text_error(ret), "write the seccomp profile") : 0;
}
