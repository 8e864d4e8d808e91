/* owner: see owner.h. */
#include "symlinks/owner.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A change of the fs ids clears both of these, prctl(2) PR_SET_DUMPABLE, PR_SET_PDEATHSIG. */
struct owner_traits {
	int dumpable;
	int death_signal;
};

static struct owner_traits owner_read_traits(void)
{
	struct owner_traits traits = { .dumpable = prctl(PR_GET_DUMPABLE) };

	(void)prctl(PR_GET_PDEATHSIG, &traits.death_signal);
	return traits;
}

static void owner_write_traits(const struct owner_traits *traits)
{
	if (traits->dumpable == 1)
		(void)prctl(PR_SET_DUMPABLE, 1);
	if (traits->death_signal > 0)
		(void)prctl(PR_SET_PDEATHSIG, traits->death_signal);
}

int owner_mkdir(int dir, const char *name, mode_t mode)
{
	struct owner_traits traits;
	struct stat parent;
	int r;

	if (fstat(dir, &parent) < 0)
		return -errno;
	if (parent.st_uid == geteuid() && parent.st_gid == getegid())
		return mkdirat(dir, name, mode) < 0 ? -errno : 0;
	traits = owner_read_traits();
	/* These never fail loudly; who may not take the id on makes the folder as himself. */
	(void)setfsgid(parent.st_gid);
	(void)setfsuid(parent.st_uid);
	r = mkdirat(dir, name, mode) < 0 ? -errno : 0;
	(void)setfsuid(geteuid());
	(void)setfsgid(getegid());
	owner_write_traits(&traits);
	return r;
}
