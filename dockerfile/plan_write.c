/* plan_write: see plan_write.h. */
#include "dockerfile/plan_write.h"

#include <errno.h>
#include <string.h>

#include "dockerfile/quote.h"
#include "init/own.h"

int plan_format_parse(const char *word, enum plan_format *ret)
{
	static const char *const names[] = {
		[PLAN_DOCKER] = "docker",   [PLAN_PODMAN] = "podman",
		[PLAN_COMPOSE] = "compose", [PLAN_KUBERNETES] = "kubernetes",
		[PLAN_JSON] = "json",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], word)) {
			*ret = (enum plan_format)i;
			return 0;
		}
	}
	return -EINVAL;
}

static void add_word(struct text *t, const char *word)
{
	text_add_bytes(t, word, strlen(word) + 1);
}

/* The words of one step, each ended by a NUL; docker and podman agree on all of them. */
static void step_words(const struct plan_step *step, struct text *t)
{
	switch (step->kind) {
	case PLAN_NOTHING:
		break;
	case PLAN_SECCOMP:
		add_word(t, "--security-opt");
		text_add(t, "seccomp=%s", step->value);
		text_add_bytes(t, "", 1);
		break;
	case PLAN_CAPABILITY:
		text_add(t, "--cap-add=%s", step->name);
		text_add_bytes(t, "", 1);
		break;
	case PLAN_ENVIRONMENT:
		add_word(t, "-e");
		text_add(t, "%s=%s", step->name, step->value);
		text_add_bytes(t, "", 1);
		break;
	case PLAN_APPARMOR:
		add_word(t, "--security-opt");
		add_word(t, "apparmor=unconfined");
		break;
	case PLAN_SELINUX:
		add_word(t, "--security-opt");
		add_word(t, "label=disable");
		break;
	}
}

/* Joins NUL-ended words, each written by `quote`. */
static void join_words(const struct text *words, const char *separator,
		       void (*quote)(struct text *t, const char *word), struct text *t)
{
	const char *end = words->data + words->length;

	for (const char *word = words->data; word < end; word += strlen(word) + 1) {
		if (word != words->data)
			text_add(t, "%s", separator);
		quote(t, word);
	}
}

static int write_words(const struct plan *plan, const struct plan_layout *layout, struct text *t)
{
	AUTO_TEXT struct text words = {};

	for (size_t i = 0; i < plan->n_steps; i++)
		step_words(&plan->steps[i], &words);
	if (text_error(&words) < 0)
		return text_error(&words);
	if (layout->format == PLAN_JSON) {
		text_add(t, "[");
		join_words(&words, ",", quote_json, t);
		text_add(t, "]\n");
	} else if (layout->null_separated) {
		text_add_bytes(t, words.data, words.length);
	} else {
		join_words(&words, " ", quote_shell, t);
		text_add(t, "\n");
	}
	return text_error(t);
}

/* `key: "value"` one a line for the steps of `kind`; `heading` once before the first. */
static void write_environment(const struct plan *plan, const char *heading, const char *before,
			      const char *between, struct text *t)
{
	bool any = false;

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->kind != PLAN_ENVIRONMENT)
			continue;
		text_add(t, "%s%s", any ? "" : heading, before);
		quote_json(t, step->name);
		text_add(t, "%s", between);
		quote_json_expanded(t, step->value);
		text_add(t, "\n");
		any = true;
	}
}

static const struct plan_step *step_of(const struct plan *plan, enum plan_kind kind)
{
	for (size_t i = 0; i < plan->n_steps; i++) {
		if (plan->steps[i].kind == kind)
			return &plan->steps[i];
	}
	return NULL;
}

static void compose_security_opt(struct text *t, const char *name, const char *value)
{
	AUTO_TEXT struct text option = {};

	text_add(&option, "%s=%s", name, value);
	if (text_error(&option) < 0) {
		t->error = t->error ? t->error : text_error(&option);
		return;
	}
	text_add(t, "      - ");
	quote_json_expanded(t, option.data);
	text_add(t, "\n");
}

/* https://github.com/compose-spec/compose-spec, 05-services.md */
static int write_compose(const struct plan *plan, const struct plan_layout *layout, struct text *t)
{
	const struct plan_step *capability = step_of(plan, PLAN_CAPABILITY);

	text_add(t, "services:\n  ");
	quote_json(t, layout->name);
	text_add(t, ":\n    security_opt:\n");
	compose_security_opt(t, "seccomp", step_of(plan, PLAN_SECCOMP)->value);
	if (step_of(plan, PLAN_APPARMOR))
		compose_security_opt(t, "apparmor", "unconfined");
	if (step_of(plan, PLAN_SELINUX))
		compose_security_opt(t, "label", "disable");
	if (capability)
		text_add(t, "    cap_add:\n      - \"%s\"\n", capability->name);
	write_environment(plan, "    environment:\n", "      ", ": ", t);
	return text_error(t);
}

/* A profile is named below the kubelet's own folder, so only the last part of the path counts. */
static void kubernetes_seccomp(const struct plan *plan, struct text *t)
{
	const char *path = step_of(plan, PLAN_SECCOMP)->value;
	const char *slash = strrchr(path, '/');

	text_add(t, "        seccompProfile:\n");
	if (!plan->seccomp_scoped) {
		text_add(t, "          type: \"Unconfined\"\n");
		return;
	}
	text_add(t, "          type: \"Localhost\"\n          localhostProfile: ");
	quote_json(t, slash ? slash + 1 : path);
	text_add(t, "\n");
}

/*
 * procMount is Unmasked only together with a user namespace of the pod's own: there the kernel
 * refuses a fresh procfs while the engine masks parts of the old one, and what is unmasked
 * belongs to the host's root, who is nobody in the pod (KEP-4265).
 */
static void kubernetes_container(const struct plan *plan, struct text *t)
{
	text_add(t, "      securityContext:\n");
	kubernetes_seccomp(plan, t);
	if (step_of(plan, PLAN_APPARMOR))
		text_add(t, "        appArmorProfile:\n          type: \"Unconfined\"\n");
	if (step_of(plan, PLAN_SELINUX))
		text_add(t, "        seLinuxOptions:\n          type: \"spc_t\"\n");
	if (plan->real_proc)
		text_add(t, "        procMount: \"Unmasked\"\n"
			    "        capabilities:\n          add:\n            - \"SYS_ADMIN\"\n");
}

/* The pod's other containers keep the runtime's own seccomp profile. */
static int write_kubernetes(const struct plan *plan, const struct plan_layout *layout,
			    struct text *t)
{
	text_add(t, "spec:\n");
	if (plan->real_proc)
		text_add(t, "  hostUsers: false\n");
	text_add(t, "  securityContext:\n    seccompProfile:\n      type: \"RuntimeDefault\"\n"
		    "  containers:\n    - name: ");
	quote_json(t, layout->name);
	text_add(t, "\n");
	write_environment(plan, "      env:\n", "        - name: ", "\n          value: ", t);
	kubernetes_container(plan, t);
	text_add(t, "      readinessProbe:\n        exec:\n          command:\n            - ");
	quote_json(t, layout->binary);
	text_add(t, "\n            - \"doctor\"\n            - \"--quick\"\n"
		    "            - \"--quiet\"\n        timeoutSeconds: 5\n");
	return text_error(t);
}

/* compose-spec: ^[a-zA-Z0-9._-]+$; Kubernetes: a label of RFC 1123. */
static int name_check(const struct plan_layout *layout, struct fault *f)
{
	static const char lower[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	static const char more[] = "abcdefghijklmnopqrstuvwxyz0123456789-"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ._";
	size_t length = strlen(layout->name);
	bool strict = layout->format == PLAN_KUBERNETES;

	if (!length || length > 63 || layout->name[strspn(layout->name, strict ? lower : more)] ||
	    (strict && (layout->name[0] == '-' || layout->name[length - 1] == '-')))
		return fault_say(f, -EINVAL, "the name must be 1 to 63 of %s",
				 strict ? "a-z 0-9 -, with no - at either end"
					: "a-z A-Z 0-9 . _ -");
	return 0;
}

static int write_fault(int error, struct fault *f)
{
	if (error == -EILSEQ)
		return fault_say(f, error,
				 "a path that is not UTF-8 cannot be written in this "
				 "format; docker's and podman's flags can hold it");
	return fault_set(f, error, "write the plan");
}

int plan_write(const struct plan *plan, const struct plan_layout *layout, struct text *ret,
	       struct fault *f)
{
	bool yaml = layout->format == PLAN_COMPOSE || layout->format == PLAN_KUBERNETES;
	int r = yaml ? name_check(layout, f) : 0;

	if (r < 0)
		return r;
	if (layout->format == PLAN_COMPOSE)
		r = write_compose(plan, layout, ret);
	else if (layout->format == PLAN_KUBERNETES)
		r = write_kubernetes(plan, layout, ret);
	else
		r = write_words(plan, layout, ret);
	return r < 0 ? write_fault(r, f) : 0;
}

int plan_explain(const struct plan *plan, struct text *ret, struct fault *f)
{
	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct plan_step *step = &plan->steps[i];
		AUTO_TEXT struct text words = {};
		AUTO_TEXT struct text line = {};

		step_words(step, &words);
		if (text_error(&words) < 0)
			return fault_set(f, text_error(&words), "explain the plan");
		join_words(&words, " ", quote_shell, &line);
		if (text_error(&line) < 0)
			return fault_set(f, text_error(&line), "explain the plan");
		text_escape(ret, line.data, line.length);
		text_add(ret, "\n    for:   %s\n", step->purpose);
		text_add(ret, "    costs: %s\n", step->cost ? step->cost : "nothing");
	}
	return text_error(ret) < 0 ? fault_set(f, text_error(ret), "explain the plan") : 0;
}
