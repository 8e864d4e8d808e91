/* record: see record.h. */
#include "probes/record.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define RECORD_MAGIC 0x54434c50U /* "TCLP" */
#define RECORD_VERSION 1

struct record_header {
	uint32_t magic;
	uint16_t version;
	uint16_t kind;
	uint32_t length; /* of the payload */
	uint32_t zero;
	uint64_t checksum;
};

/* FNV-1a: it finds damage and answers to other questions; it is no signature. */
static uint64_t checksum_add(uint64_t sum, const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static uint64_t record_checksum(uint16_t kind, uint64_t key, const void *payload, size_t length)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	sum = checksum_add(sum, &kind, sizeof(kind));
	sum = checksum_add(sum, &key, sizeof(key));
	return checksum_add(sum, payload, length);
}

int record_send(int fd, enum record_kind kind, uint64_t key, const void *payload, size_t length)
{
	struct record_header header = {
		.magic = RECORD_MAGIC,
		.version = RECORD_VERSION,
		.kind = (uint16_t)kind,
		.length = (uint32_t)length,
		.checksum = record_checksum((uint16_t)kind, key, payload, length),
	};
	struct iovec parts[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)payload, .iov_len = length },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n;

	do {
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == sizeof(header) + length ? 0 : -EMSGSIZE;
}

/* The buffer has room for credentials only: smuggled descriptors are cut off and refused. */
static pid_t message_sender(struct msghdr *message)
{
	pid_t sender = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		struct ucred credentials;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS ||
		    c->cmsg_len != CMSG_LEN(sizeof(credentials)))
			continue;
		memcpy(&credentials, CMSG_DATA(c), sizeof(credentials));
		sender = credentials.pid;
	}
	return sender;
}

int record_receive(int fd, enum record_kind kind, uint64_t key, void *ret_payload, size_t length,
		   pid_t *ret_sender)
{
	unsigned char payload[RECORD_PAYLOAD_MAX];
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct record_header header;
	struct iovec parts[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = payload, .iov_len = sizeof(payload) },
	};
	struct msghdr message = {
		.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	do {
		n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	if (n == 0)
		return -EPIPE;
	if ((size_t)n != sizeof(header) + length ||
	    (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || header.magic != RECORD_MAGIC ||
	    header.version != RECORD_VERSION || header.kind != kind || header.length != length ||
	    header.zero != 0 ||
	    header.checksum != record_checksum(header.kind, key, payload, length))
		return -EBADMSG;
	if (ret_sender)
		*ret_sender = message_sender(&message);
	memcpy(ret_payload, payload, length);
	return 0;
}
