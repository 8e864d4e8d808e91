/* spare: see spare.h. */
#include "symlinks/spare.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "init/kernel.h"
#include "symlinks/rules.h"

#define SPARE_DIGITS 16

_Static_assert(sizeof(RULES_SPARE_PREFIX) + SPARE_DIGITS <= SPARE_SIZE, "the name fits");

void spare_name(char ret[SPARE_SIZE])
{
	uint64_t number = 0;

	/* Without randomness the name may be guessed, which can make us fail, not overwrite. */
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
		number = kernel_now_ms() << 32 | (uint32_t)getpid();
	(void)snprintf(ret, SPARE_SIZE, RULES_SPARE_PREFIX "%016llx", (unsigned long long)number);
}

bool spare_is_name(const char *name)
{
	size_t prefix = strlen(RULES_SPARE_PREFIX);

	return strncmp(name, RULES_SPARE_PREFIX, prefix) == 0 &&
	       strspn(name + prefix, "0123456789abcdef") == SPARE_DIGITS &&
	       name[prefix + SPARE_DIGITS] == '\0';
}
