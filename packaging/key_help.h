/*
 * key_help: what each configuration key does, for typeclaw-init.ini(5).  It stands here and not
 * in the key table so that the product does not carry it.
 */
#pragma once

#include "entrypoint/keys.h"

/* Never NULL for a key that exists: the page generator checks it. */
extern const char *const key_help[KEY_COUNT];
