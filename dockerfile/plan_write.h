/*
 * plan_write: one plan in the words of an engine: a docker or podman command line, a compose
 * fragment, a Kubernetes manifest's part, or a JSON array.
 */
#pragma once

#include <stdbool.h>

#include "dockerfile/plan.h"
#include "init/fault.h"
#include "init/text.h"

enum plan_format { PLAN_DOCKER, PLAN_PODMAN, PLAN_COMPOSE, PLAN_KUBERNETES, PLAN_JSON };

struct plan_layout {
	enum plan_format format;
	bool null_separated; /* docker and podman: each word ended by a NUL, nothing quoted */
	const char *name;    /* compose: the service; Kubernetes: the container */
	const char *binary;  /* Kubernetes: where this program is in the image */
};

/* "docker", ...; -EINVAL for any other word. */
int plan_format_parse(const char *word, enum plan_format *ret);

/*
 * Writes the plan.  Pure.  0; -EINVAL with `f` for a name that the format does not allow;
 * -EILSEQ for a value that is no UTF-8 where the format needs it; -E2BIG, -ENOMEM.
 */
int plan_write(const struct plan *plan, const struct plan_layout *layout, struct text *ret,
	       struct fault *f);

/* Each flag with what it is for and what it costs, for a person. */
int plan_explain(const struct plan *plan, struct text *ret, struct fault *f);
