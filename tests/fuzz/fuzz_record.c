/*
 * fuzz record: a peer inside the sandbox sends what it likes.  Nothing but a whole record of the
 * kind, key and length that was asked for is taken, and then its payload is what was sent.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/record.h"

#define PAYLOAD 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static int fds[2] = { -1, -1 };

static void fresh(void)
{
	int on = 1;

	if (fds[0] >= 0)
		return;
	require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	require(setsockopt(fds[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0);
}

/* The bytes of a good record, XORed with the input, so that a few bytes reach far. */
static size_t bend(const uint8_t *data, size_t size, uint8_t *ret, size_t limit)
{
	uint8_t payload[PAYLOAD] = { 1, 2, 3 };
	ssize_t n;

	require(record_send(fds[0], RECORD_SEEN, 42, payload, sizeof(payload)) == 0);
	n = recv(fds[1], ret, limit, 0);
	require(n > PAYLOAD);
	for (size_t i = 0; i < size && i < (size_t)n; i++)
		ret[i] ^= data[i];
	return (size_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[RECORD_PAYLOAD_MAX];
	uint8_t payload[PAYLOAD] = {};
	bool is_bent = size > 0 && data[0] & 1;
	bool is_same = true;
	size_t n;
	int r;

	if (size == 0 || size > sizeof(bytes))
		return 0;
	fresh();
	if (is_bent) {
		n = bend(data + 1, size - 1, bytes, sizeof(bytes));
		for (size_t i = 1; i < size && i <= n; i++)
			is_same = is_same && data[i] == 0;
	} else {
		n = size - 1;
		memcpy(bytes, data + 1, n);
		is_same = false;
	}
	/* An empty record would be there and yet not be received: it reads as the end. */
	if (n == 0 || send(fds[0], bytes, n, 0) != (ssize_t)n)
		return 0;
	r = record_receive(fds[1], RECORD_SEEN, 42, payload, sizeof(payload), NULL);
	/* A checksum can be forged on purpose, so a foreign record may be taken: but then it is
	 * whole. */
	require(!is_same || (r == 0 && payload[2] == 3));
	require(!is_bent || is_same || r < 0);
	return 0;
}
