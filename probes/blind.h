/*
 * blind: nothing, but in a test build.  There one check can be made blind (its look is taken for
 * fine), or the world be spoiled so that one check must fail: the tests show with it that every
 * check is needed and that its failure is seen.
 */
#pragma once

#include "probes/checks.h"

#ifdef TYPECLAW_TEST_BUILD

/* Takes the check that TYPECLAW_TEST_BLIND names for fine, once it was made. */
void blind_checks(struct check_result checks[CHECK_COUNT]);

/* True when TYPECLAW_TEST_SPOIL names the check. */
bool blind_spoils(enum check check);

#else

static inline void blind_checks(struct check_result checks[CHECK_COUNT])
{
	(void)checks;
}

static inline bool blind_spoils(enum check check)
{
	(void)check;
	return false;
}

#endif
