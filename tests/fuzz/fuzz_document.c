/*
 * fuzz document: bytes as a strategy document and as a saved probe.  What the strict reader takes
 * keeps the promises that sandbox relies on.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "entrypoint/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_DOCUMENT struct document document = {};
	struct findings findings = {};

	if (document_read((const char *)data, size, &document) == 0) {
		require(document.agent_dir && document.agent_dir[0] == '/');
		require((document.proc == SANDBOX_PROC_TMPFS) == (document.reason != REASON_NONE));
		require(document.proc == SANDBOX_PROC_TMPFS || document.usable == USABLE_YES);
	} else {
		require(!document.agent_dir && !document.bwrap);
	}
	if (document_read_probe((const char *)data, size, &findings) == 0) {
		require(memchr(findings.real_proc.evidence, 0,
			       sizeof(findings.real_proc.evidence)) != NULL);
		require(memchr(findings.proc_bind.evidence, 0,
			       sizeof(findings.proc_bind.evidence)) != NULL);
		require(findings.real_proc.verdict != PROBE_SAFE);
		require(findings.proc_bind.verdict != PROBE_AVAILABLE);
	}
	return 0;
}
