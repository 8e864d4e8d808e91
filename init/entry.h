/*
 * entry: the first instructions of the program, before the C library's.  Blocks every signal in
 * the very first system call, so that none can be lost or kill us while libc starts, and keeps
 * the mask that was in force.
 *
 * The link names it as the ELF entry point (-Wl,-e,typeclaw_entry).  Where it does not (a unit
 * test), entry_taken() says so and inherit_begin() blocks the signals itself.  What comes after
 * that, main included, is left to others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* True when the program began here; then the mask it was exec'ed with, bit N-1 is signal N. */
bool entry_taken(uint64_t *ret_mask);
