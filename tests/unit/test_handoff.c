/* handoff: what a reader may rely on, and what it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "init/handoff.h"
#include "init/own.h"

#define DOCUMENT "{\"a\":1}\n"

static void the_document_is_read_again_and_again(void **state)
{
	AUTO_CLOSE int fd = -1;
	struct handoff handoff;
	struct fault f = {};
	char number[16];

	(void)state;
	assert_int_equal(handoff_seal(DOCUMENT, strlen(DOCUMENT), &handoff, &f), 0);
	fd = handoff.fd;
	(void)snprintf(number, sizeof(number), "%d", fd);
	for (int i = 0; i < 3; i++) {
		AUTO_FREE char *document = NULL;
		size_t length = 0;

		assert_int_equal(handoff_read(number, handoff.id, &document, &length), 0);
		assert_string_equal(document, DOCUMENT);
		assert_int_equal(length, strlen(DOCUMENT));
	}
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
}

static void nobody_can_change_the_document(void **state)
{
	AUTO_CLOSE int fd = -1;
	AUTO_CLOSE int writer = -1;
	struct handoff handoff;
	struct fault f = {};
	struct stat status;
	char path[32];

	(void)state;
	assert_int_equal(handoff_seal(DOCUMENT, strlen(DOCUMENT), &handoff, &f), 0);
	fd = handoff.fd;
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), -1);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	writer = open(path, O_RDWR | O_CLOEXEC); /* root may, whatever the mode says */
	if (writer >= 0) {
		assert_int_equal(write(writer, "x", 1), -1);
		assert_int_equal(errno, EPERM);
		assert_int_equal(ftruncate(writer, 0), -1);
		assert_ptr_equal(mmap(NULL, 1, PROT_WRITE, MAP_SHARED, writer, 0), MAP_FAILED);
	}
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0444);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void the_number_is_the_first_free_one_of_the_contract(void **state)
{
	static const int order[] = { 7, 8, 6, 5, 4, 9 };
	struct handoff handoffs[ARRAY_SIZE(order)];
	struct handoff other;
	struct fault f = {};

	(void)state;
	for (int fd = 3; fd < 16; fd++)
		(void)close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		assert_int_equal(handoff_seal(DOCUMENT, strlen(DOCUMENT), &handoffs[i], &f), 0);
		assert_int_equal(handoffs[i].fd, order[i]);
	}
	assert_int_equal(handoff_seal(DOCUMENT, strlen(DOCUMENT), &other, &f), 0);
	assert_true(other.fd >= 10);
	(void)close(other.fd);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		(void)close(handoffs[i].fd);
}

static void what_is_not_the_document_is_refused(void **state)
{
	AUTO_CLOSE int fd = -1;
	AUTO_CLOSE int unsealed = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct handoff handoff;
	struct fault f = {};
	struct stat status;
	char number[16], other[16], other_id[48];
	char *document = NULL;

	(void)state;
	assert_int_equal(handoff_seal(DOCUMENT, strlen(DOCUMENT), &handoff, &f), 0);
	fd = handoff.fd;
	(void)snprintf(number, sizeof(number), "%d", fd);
	(void)snprintf(other, sizeof(other), "%d", unsealed);
	assert_int_equal(fstat(unsealed, &status), 0);
	(void)snprintf(other_id, sizeof(other_id), "%llu:%llu", (unsigned long long)status.st_dev,
		       (unsigned long long)status.st_ino);
	assert_int_equal(handoff_read(NULL, handoff.id, &document, NULL), -ENOENT);
	assert_int_equal(handoff_read(number, NULL, &document, NULL), -ENOENT);
	assert_int_equal(handoff_read("-1", handoff.id, &document, NULL), -ESTALE);
	assert_int_equal(handoff_read("7x", handoff.id, &document, NULL), -ESTALE);
	assert_int_equal(handoff_read("4000", handoff.id, &document, NULL), -ESTALE);
	assert_int_equal(handoff_read(other, handoff.id, &document, NULL), -ESTALE);
	assert_int_equal(handoff_read(number, "1:1", &document, NULL), -ESTALE);
	assert_int_equal(handoff_read(other, other_id, &document, NULL), -EPERM);
	assert_null(document);
}

static void a_document_over_the_limit_is_refused(void **state)
{
	static char big[HANDOFF_MAX + 1];
	struct handoff handoff = { .fd = -7 };
	struct fault f = {};

	(void)state;
	assert_int_equal(handoff_seal(big, sizeof(big), &handoff, &f), -EFBIG);
	assert_int_equal(handoff.fd, -7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_document_is_read_again_and_again),
		cmocka_unit_test(nobody_can_change_the_document),
		cmocka_unit_test(the_number_is_the_first_free_one_of_the_contract),
		cmocka_unit_test(what_is_not_the_document_is_refused),
		cmocka_unit_test(a_document_over_the_limit_is_refused),
	};

	return cmocka_run_group_tests_name("handoff", tests, NULL, NULL);
}
