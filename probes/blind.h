/*
 * blind: only in a test build, and empty elsewhere: one check is made blind, or the sentinel is
 * spoiled, so that the tests can show that each check is needed and that its failure is seen.
 */
#pragma once

#include "probes/checks.h"

#ifdef TYPECLAW_TEST_BUILD

/* Sets the check named by TYPECLAW_TEST_BLIND to fine. */
void blind_checks(struct check_result checks[CHECK_COUNT]);

/* TYPECLAW_TEST_SENTINEL never reaches the sentinel's environment: the runner asks for it. */
void blind_sentinel(void);

#else

static inline void blind_checks(struct check_result checks[CHECK_COUNT])
{
	(void)checks;
}

static inline void blind_sentinel(void)
{
}

#endif
