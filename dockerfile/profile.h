/*
 * profile: the scoped seccomp profile: an engine's default profile plus exactly the calls that
 * bwrap makes, by their arguments, so that nobody needs `seccomp=unconfined`.
 *
 * Two layouts.  The engine's (docker, podman) keeps the conditions on capabilities and
 * architectures, which the engine resolves when it makes a container.  The OCI one is for a
 * Kubernetes `Localhost` profile: containerd and CRI-O hand that file to the runtime as it is
 * and do not know conditions; a conditional rule would hold always.  So they are resolved here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init/fault.h"
#include "init/text.h"

#define PROFILE_BASE_MAX ((size_t)1 << 20)

struct profile_request {
	const char *base; /* an engine's default profile, JSON; NULL: the built-in one */
	size_t base_length;
	bool oci;
	bool sys_admin; /* oci: the container is given CAP_SYS_ADMIN */
};

/*
 * Writes the profile as JSON.  0; with `f`: -EBADMSG for a base that is no JSON, -EINVAL for
 * one that is no profile or allows by default, -ENOMEM, -E2BIG; `ret` is of no use then.
 */
int profile_write(const struct profile_request *request, struct text *ret, struct fault *f);

/* What the built-in base was taken from: "PACKAGE VERSION". */
const char *profile_base_version(void);
