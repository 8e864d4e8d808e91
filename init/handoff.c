/* handoff: see handoff.h. */
#include "init/handoff.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"

#define HANDOFF_LOWEST_OTHER 10
#define HANDOFF_SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

/* MFD_NOEXEC_SEAL is EINVAL before Linux 6.3 and on gVisor; vm.memfd_noexec=2 demands it. */
static int handoff_create(void)
{
	int fd = memfd_create(HANDOFF_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(HANDOFF_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

/* A description of its own that cannot write; without /proc the sealed one itself, rewound. */
static int handoff_reopen(int fd)
{
	AUTO_CLOSE int again = -1;
	char path[32];
	int lifted;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	if (again < 0 && lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	/* Out of the way of the numbers that are to be chosen from. */
	lifted = fcntl(again < 0 ? fd : again, F_DUPFD_CLOEXEC, HANDOFF_LOWEST_OTHER);
	return lifted < 0 ? -errno : lifted;
}

static int handoff_identify(int fd, char *id, size_t size)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	(void)snprintf(id, size, "%llu:%llu", (unsigned long long)status.st_dev,
		       (unsigned long long)status.st_ino);
	return 0;
}

/* F_DUPFD takes the lowest free number from its argument: free is what it answers exactly. */
static int handoff_renumber(int fd)
{
	static const int preferred[] = { 7, 8, 6, 5, 4, 9 };
	int moved;

	for (size_t i = 0; i < ARRAY_SIZE(preferred); i++) {
		AUTO_CLOSE int candidate = fcntl(fd, F_DUPFD_CLOEXEC, preferred[i]);

		if (candidate < 0)
			return -errno;
		if (candidate == preferred[i])
			return fd_take(&candidate);
	}
	moved = fcntl(fd, F_DUPFD_CLOEXEC, HANDOFF_LOWEST_OTHER);
	return moved < 0 ? -errno : moved;
}

int handoff_seal(const char *document, size_t length, struct handoff *ret, struct fault *f)
{
	AUTO_CLOSE int fd = -1;
	AUTO_CLOSE int reader = -1;
	struct handoff handoff = { .fd = -1 };
	int r;

	if (length > HANDOFF_MAX)
		return fault_say(f, -EFBIG, "the strategy document is over %d bytes", HANDOFF_MAX);
	fd = handoff_create();
	if (fd < 0)
		return fault_set(f, fd, "create a memfd for the strategy document");
	r = file_write_all(fd, document, length);
	if (r < 0)
		return fault_set(f, r, "write the strategy document");
	if (fchmod(fd, 0444) < 0)
		return fault_set(f, -errno, "make the strategy document readable to all");
	/* F_SEAL_EXEC is EINVAL before Linux 6.3, and then nothing was sealed. */
	if (fcntl(fd, F_ADD_SEALS, HANDOFF_SEALS | F_SEAL_EXEC) < 0 &&
	    fcntl(fd, F_ADD_SEALS, HANDOFF_SEALS) < 0)
		return fault_set(f, -errno, "seal the strategy document");
	reader = handoff_reopen(fd);
	if (reader < 0)
		return fault_set(f, reader, "open the strategy document for its readers");
	fd_close(&fd);
	handoff.fd = handoff_renumber(reader);
	if (handoff.fd < 0)
		return fault_set(f, handoff.fd, "give the strategy document its number");
	r = handoff_identify(handoff.fd, handoff.id, sizeof(handoff.id));
	if (r < 0) {
		fd_close(&handoff.fd);
		return fault_set(f, r, "identify the strategy document");
	}
	*ret = handoff;
	return 0;
}

int handoff_read(const char *fd_word, const char *id_word, char **ret_document,
		 size_t *ret_length)
{
	char id[sizeof(((struct handoff *)NULL)->id)];
	uint64_t number;
	int seals;
	int r;

	if (!fd_word || !id_word)
		return -ENOENT;
	if (number_parse(fd_word, 0, INT_MAX, &number) < 0)
		return -ESTALE;
	r = handoff_identify((int)number, id, sizeof(id));
	if (r < 0 || strcmp(id, id_word) != 0)
		return -ESTALE;
	seals = fcntl((int)number, F_GET_SEALS);
	if (seals < 0 || (seals & HANDOFF_SEALS) != HANDOFF_SEALS)
		return -EPERM;
	return file_slurp_fd((int)number, HANDOFF_MAX, ret_document, ret_length);
}
