/* words: the hidden commands that this binary is exec'ed with by itself. */
#include "probes/probes.h"

#include <stdint.h>
#include <limits.h>
#include <string.h>

#include "init/own.h"
#include "init/text.h"
#include "probes/prober.h"
#include "probes/twin.h"
#include "sandbox/self.h"

#define STATUS_MISUSED 2

int probes_main(int argc, char *argv[])
{
	static const struct {
		const char *word;
		int (*main)(int fd);
	} words[] = {
		{ TWIN_WORD_SENTINEL, twin_sentinel_main },
		{ TWIN_WORD_CONTROL, twin_control_main },
		{ PROBER_WORD, prober_main },
	};
	uint64_t fd;

	if (argc < 3)
		return -1;
	if (strcmp(argv[1], SELF_WORD_LOCATE) == 0)
		return self_locate(argv[2]);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(argv[1], words[i].word) != 0)
			continue;
		if (number_parse(argv[2], 0, INT_MAX, &fd) < 0)
			return STATUS_MISUSED;
		return words[i].main((int)fd);
	}
	return -1;
}
