/*
 * keys: the one table of configuration keys, and what their values mean.
 */
#pragma once

#include "entrypoint/config.h"

enum key_kind {
	KEY_IS_BOOLEAN, /* 1 0 true false */
	KEY_IS_WORD,	/* one of `words`; the first is the default */
	KEY_IS_NUMBER,
	KEY_IS_NUMBERS,
	KEY_IS_PATH, /* absolute */
	KEY_IS_PATHS,
	KEY_IS_REWRITE,
	KEY_IS_STATUSES,
};

struct key {
	const char *section;
	const char *name;
	const char *standard; /* the default, as it would be written */
	enum key_kind kind;
	const char *words; /* KEY_IS_WORD: "a|b|c" */
	uint64_t min, max; /* KEY_IS_NUMBER(S) */
};

extern const struct key key_table[KEY_COUNT];

/* The key of that section and name, or KEY_COUNT. */
enum config_key key_find(const char *section, const char *name);

/*
 * Judges `text` as the value of `key` and writes what it means into the fields of `config`
 * (lists keep a copy there).  0; -EINVAL with what is allowed in `f`; -ENOMEM.
 */
int key_apply(enum config_key key, const char *text, struct config *config, struct fault *f);

/* True for kinds whose option may be given again and adds up: -e 143 -e 130. */
bool key_is_list(enum config_key key);
