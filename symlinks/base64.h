/*
 * base64: RFC 4648 section 4, read strictly.  Line breaks (LF, CR LF) are accepted anywhere,
 * because `base64` wraps its output; so is the absence of all padding.  Everything else that
 * an encoder would not write is refused: other alphabets, spaces, part of the padding, data
 * after it, and bits set beyond the last byte (section 3.5).
 */
#pragma once

#include <stddef.h>

/*
 * Decodes `length` characters.  0 with memory that the caller frees (a NUL follows the last
 * byte); -EINVAL with the offset of the character that does not fit in `*ret_at` (`length`
 * when the text ends too early); -ENOMEM.
 */
int base64_decode(const char *text, size_t length, char **ret_bytes, size_t *ret_length,
		  size_t *ret_at);
