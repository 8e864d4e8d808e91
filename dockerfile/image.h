/*
 * image: the text of a Dockerfile for an agent: baseline packages, this binary under both of
 * its names, the exec-form ENTRYPOINT, and the links baked in for containers whose root is
 * read-only.
 *
 * The final image needs no shell beyond what its base brings, and none at all to run.  What is
 * written into an instruction that expands or splits is refused unless it is plain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init/fault.h"
#include "init/text.h"

#define IMAGE_BASE "debian:bookworm-slim"
#define IMAGE_BINARY "/usr/local/bin/typeclaw-init"
#define IMAGE_ENTRYPOINT "/usr/local/bin/typeclaw-entrypoint"
#define IMAGE_CONFIG "/etc/typeclaw/init.ini"

/* All pointers are borrowed. */
struct image_request {
	const char *base;            /* FROM; NULL: IMAGE_BASE */
	const char *binary_from;     /* image to take the binary from; NULL: the build context */
	const char *agent_dir;       /* absolute */
	const char *config;          /* an INI's name in the build context, NULL: none */
	const char *links_value;     /* plan_links_value() of what to bake in, NULL: none */
	const char *const *packages; /* beside the baseline */
	size_t n_packages;
	bool no_packages;     /* the base has them: no RUN, so no shell either */
	bool bake;            /* run `link` while building */
	char *const *command; /* CMD, NULL-terminated; NULL or empty: none */
};

/*
 * Writes the Dockerfile.  Pure.  0; with `f`: -EINVAL for a name that cannot stand in its
 * instruction, -EILSEQ for a command that is no UTF-8, -E2BIG, -ENOMEM.
 */
int image_write(const struct image_request *request, struct text *ret, struct fault *f);
