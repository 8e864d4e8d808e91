/*
 * roff: text for man(7) pages, escaped so that troff shows it as it stands in the tables, and
 * files written whole.  For the generators of this folder; nothing of it is in the product.
 */
#pragma once

#include "init/text.h"

/* Adds words for a filled paragraph or a macro's line: `like this` becomes bold. */
void roff_add(struct text *t, const char *string, size_t length);
void roff_add_string(struct text *t, const char *string);

/* The same as a line of its own that begins with a capital and ends with a full stop. */
void roff_add_sentence(struct text *t, const char *string);

/* Adds .TH, and what every page of ours begins with. */
void roff_begin(struct text *t, const char *name, const char *section, const char *date,
		const char *summary);

/*
 * Adds lines of prose: an empty line begins a paragraph, an indented line keeps its break.
 * `length` bytes of `prose`.
 */
void roff_add_prose(struct text *t, const char *prose, size_t length);

/* Writes the text to DIRECTORY/NAME, or to stdout without a directory; exits 1 when it cannot. */
void roff_save(const char *directory, const char *name, struct text *t);

/* All of DIRECTORY/NAME, for the caller to free; NULL when there is no such file. */
char *roff_load(const char *directory, const char *name);
