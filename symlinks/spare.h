/*
 * spare: the temporary names of the placing step, `.typeclaw-link.` and 16 hex digits.
 */
#pragma once

#include <stdbool.h>

#define SPARE_SIZE 32

/* Fills in a name that nobody can have guessed. */
void spare_name(char ret[SPARE_SIZE]);

/* True for a name of exactly that form. */
bool spare_is_name(const char *name);
