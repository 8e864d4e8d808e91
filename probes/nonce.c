/* nonce: see nonce.h. */
#include "probes/nonce.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static void hex_write(char *out, const unsigned char *bytes, size_t n_digits)
{
	for (size_t i = 0; i < n_digits; i++)
		out[i] = "0123456789abcdef"[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
	out[n_digits] = '\0';
}

int nonce_make(struct nonce *ret)
{
	unsigned char bytes[(NONCE_LENGTH + TAG_LENGTH) / 2];
	ssize_t n = getrandom(bytes, sizeof(bytes), 0);

	if (n < 0)
		return -errno;
	if ((size_t)n != sizeof(bytes))
		return -EIO;
	hex_write(ret->secret, bytes, NONCE_LENGTH);
	hex_write(ret->tag, bytes + NONCE_LENGTH / 2, TAG_LENGTH);
	return 0;
}

uint64_t nonce_key(const struct nonce *nonce)
{
	uint64_t key;

	memcpy(&key, nonce->secret, sizeof(key));
	return key;
}

bool bytes_contain(const void *bytes, size_t length, const char *needle)
{
	return memmem(bytes, length, needle, strlen(needle)) != NULL;
}
