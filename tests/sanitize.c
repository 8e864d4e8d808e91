/*
 * sanitize: linked into what is built with AddressSanitizer.
 *
 * The same program is also run as a payload inside bwrap, where LeakSanitizer cannot work (it
 * looks itself up by number in a /proc of another PID namespace, and ends with status 1).  bwrap
 * starts its payload with a cleared environment, and tests/run always sets ASAN_OPTIONS.
 */
#include <stdlib.h>

int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return !getenv("ASAN_OPTIONS");
}
