/*
 * fault: an error that a person must repair, said where it is known.
 *
 * A function that can fail so takes a struct fault and returns a negative errno; the
 * message is an action on an object, and the errno's text is added.  Only entrypoint/
 * prints it.
 */
#pragma once

#define FAULT_MESSAGE_MAX 768

struct fault {
	int error; /* positive errno; 0: the message says everything */
	char message[FAULT_MESSAGE_MAX];
};

/*
 * Records "ACTION: strerror" (`error` a negative errno) and returns `error`, so that
 * `return fault_set(f, -errno, "open %s", path)` reads as one step.  `f` may be NULL.
 * The text is cut at FAULT_MESSAGE_MAX; callers escape foreign bytes (text_escape).
 */
int fault_set(struct fault *f, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same without the errno's text, for what no errno explains (a refusal, a usage error). */
int fault_say(struct fault *f, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
