/*
 * record: one framed and checksummed message on a SOCK_SEQPACKET socket.  What is short, long,
 * of another kind or damaged is refused whole; the sender's pid is the kernel's word.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum record_kind {
	RECORD_NONE,
	RECORD_TWIN,    /* a twin says what it is */
	RECORD_READ,    /* runner -> control: read that environ */
	RECORD_ANSWER,  /* control -> runner */
	RECORD_WITNESS, /* runner -> sentinel: what did you receive; and the answer */
	RECORD_HELLO,   /* prober -> runner: I am inside */
	RECORD_LOOK,    /* runner -> prober: look at that */
	RECORD_SEEN,    /* prober -> runner: the results */
};

#define RECORD_PAYLOAD_MAX 8192

/*
 * `key` goes into the checksum: a record that answers must be made with the key that the
 * question brought.  0 or -errno of send(2).
 */
int record_send(int fd, enum record_kind kind, uint64_t key, const void *payload, size_t length);

/*
 * Takes one message without waiting.  0 with `length` bytes in `ret_payload` and, where the
 * socket has SO_PASSCRED, the sender's pid as we see it (else 0); -EAGAIN none is there;
 * -EPIPE the other side is gone; -EBADMSG it is not exactly such a record.
 */
int record_receive(int fd, enum record_kind kind, uint64_t key, void *ret_payload, size_t length,
		   pid_t *ret_sender);
