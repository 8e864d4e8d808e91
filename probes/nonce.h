/* nonce: the secret that the sentinel holds, and the public tag that names it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONCE_LENGTH 64 /* hexadecimal digits */
#define TAG_LENGTH 16
#define NONCE_VARIABLE "TYPECLAW_NONCE="

struct nonce {
	char secret[NONCE_LENGTH + 1]; /* only in the sentinel's environment and on our sockets */
	char tag[TAG_LENGTH + 1];      /* in the sentinel's argv, which everybody may read */
};

/* From getrandom(2).  0 or -errno. */
int nonce_make(struct nonce *ret);

/* The key of records that answer a question which carried this nonce. */
uint64_t nonce_key(const struct nonce *nonce);

/* True when `needle`, without its NUL, occurs in the bytes. */
bool bytes_contain(const void *bytes, size_t length, const char *needle);
