/*
 * quote: strings made safe for the language they are written into: a POSIX shell, JSON (which
 * is YAML too, as it is written here) and the instructions of a Dockerfile.
 *
 * Errors stay in the text, as everywhere (init/text.h); on top of its own, -EILSEQ says that
 * a string is no UTF-8 and so cannot be said in JSON at all.
 */
#pragma once

#include "init/text.h"

/* One word for sh: as it is when nothing in it means anything to a shell, else in '...'. */
void quote_shell(struct text *t, const char *word);

/*
 * "..." for JSON, RFC 8259, that YAML 1.1 and 1.2 read as the same string: what YAML calls
 * not printable, or folds as a line break (U+0085, U+2028, U+2029), is written \uNNNN; all
 * else above ASCII stands as it is, because YAML does not join surrogate pairs.
 */
void quote_json(struct text *t, const char *string);

/*
 * The same with every `$` doubled: compose files and the env of Kubernetes expand variables
 * after parsing and read `$$` as one `$`.
 */
void quote_json_expanded(struct text *t, const char *string);

/* Inserts `length` bytes of `bytes` as base64 of RFC 4648 section 4, padded, one line. */
void quote_base64(struct text *t, const void *bytes, size_t length);
