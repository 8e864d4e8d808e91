/* fuzz base64: what is decoded encodes to the very text that came in. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "init/own.h"
#include "symlinks/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The next character that counts: no line break, no padding; -1 at the end. */
static int next_digit(const uint8_t *data, size_t size, size_t *at)
{
	while (*at < size && (data[*at] == '\r' || data[*at] == '\n' || data[*at] == '='))
		(*at)++;
	return *at < size ? data[(*at)++] : -1;
}

static void require(int truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *bytes = NULL;
	size_t length = 0, error_at = 0, at = 0;
	int r = base64_decode((const char *)data, size, &bytes, &length, &error_at);

	if (r < 0) {
		require(r == -EINVAL && error_at <= size && !bytes);
		return 0;
	}
	require(bytes[length] == '\0');
	for (size_t bit = 0; bit < length * 8; bit += 6) {
		unsigned int value = 0;

		for (size_t i = bit; i < bit + 6; i++)
			value = value << 1 |
				(i < length * 8 ? ((uint8_t)bytes[i / 8] >> (7 - i % 8)) & 1 : 0);
		require(next_digit(data, size, &at) == digits[value]);
	}
	require(next_digit(data, size, &at) == -1);
	return 0;
}
