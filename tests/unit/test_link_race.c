/*
 * link races: links are placed while another process keeps swapping what the way leads through.
 *
 * Each attack is also run against a naive way of doing the same, which must fail: a race that
 * nothing loses proves nothing.  RACE_ENTRIES and RACE_REPLACEMENTS set how long; `make race`
 * is the full run.  The attacker is the same user, so no permission helps: only the walk does.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "init/kernel.h"
#include "init/own.h"
#include "symlinks/links.h"
#include "tests/helpers/calls.h"
#include "tests/helpers/ground.h"

#define BATCH 64

static unsigned long count_from_environment(const char *name, unsigned long otherwise)
{
	const char *value = getenv(name);

	return value ? strtoul(value, NULL, 10) : otherwise;
}

/* What both processes see. */
struct shared {
	atomic_bool stop;
	atomic_ulong swaps;
	atomic_ulong round;      /* the round that is on */
	atomic_ulong attacked;   /* the last round that the attacker is done with */
	atomic_ulong placing_ns; /* how long one placing takes, lately */
	unsigned long escapes, lost, done, raced, refused;
};

static struct shared *share(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(shared != MAP_FAILED);
	return shared;
}

/* The two must run at the same time, so each has a processor of its own where there are two. */
static void use_processor(int which)
{
	cpu_set_t may, use;
	int seen = 0;

	if (sched_getaffinity(0, sizeof(may), &may) < 0 || CPU_COUNT(&may) < 2)
		return;
	CPU_ZERO(&use);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may) && seen++ == which)
			CPU_SET(cpu, &use);
	(void)sched_setaffinity(0, sizeof(use), &use);
}

/* A child that dies with us, whatever becomes of the test. */
static pid_t start(void (*work)(const struct ground *, struct shared *),
		   const struct ground *ground, struct shared *shared)
{
	pid_t parent = getpid();
	pid_t child = fork();

	assert_true(child >= 0);
	if (child > 0)
		return child;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	use_processor(0);
	if (getppid() == parent)
		work(ground, shared);
	_exit(0);
}

static void finish(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static int open_folder(const struct ground *ground, const char *path)
{
	AUTO_FREE char *full = ground_path(ground, path);
	int fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* The way of placing that is attacked; the rules of `refuse` hold for it alone. */
struct way {
	const char *refuse; /* calls.h; NULL: nothing fails */
	void (*place)(const struct ground *, size_t, struct shared *);
};

static unsigned long now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
}

static void spin_ns(unsigned long time)
{
	unsigned long start = now_ns();

	while (now_ns() - start < time)
		;
}

static void spin(unsigned long times)
{
	for (volatile unsigned long i = 0; i < times; i++)
		;
}

/* ---- entries: agent/w and home/p are swapped with links that lead out ---- */

static void swap_for_ever(const struct ground *ground, struct shared *shared)
{
	AUTO_CLOSE int root = open(ground->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	while (!atomic_load(&shared->stop)) {
		unsigned long swaps = atomic_fetch_add(&shared->swaps, 1);
		bool target = swaps & 1;

		(void)kernel_renameat2(root, target ? "agent/w" : "home/p", root,
				       target ? "agent/w.link" : "home/p.link", RENAME_EXCHANGE);
		/* Folders stay for longer than links, or hardly an entry would get anywhere. */
		spin(swaps & 2 ? swaps * 7919 % 20000 : swaps * 7919 % 2000);
	}
}

static void place_batch(const struct ground *ground, size_t n, struct shared *shared)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	static char names[BATCH][2][32];
	static struct link_entry entries[BATCH];
	struct links_request request = {
		.configured = entries, .n_configured = n, .agent_dir = agent, .home = home
	};
	AUTO_LINKS struct links_report report = {};

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(names[i][0], sizeof(names[i][0]), "~/p/%zu", i);
		(void)snprintf(names[i][1], sizeof(names[i][1]), "w/%zu", i);
		entries[i] = (struct link_entry){ names[i][0], names[i][1] };
	}
	if (links_place(&request, &report, NULL) < 0)
		_exit(9);
	shared->done += report.created;
	shared->refused += report.refused;
}

/* mkdir -p, then ln -s. */
static void place_batch_by_path(const struct ground *ground, size_t n, struct shared *shared)
{
	for (size_t i = 0; i < n; i++) {
		char target[128], path[128];

		(void)snprintf(target, sizeof(target), "%s/agent/w/%zu", ground->root, i);
		(void)snprintf(path, sizeof(path), "%s/home/p/%zu", ground->root, i);
		if (mkdir(target, 0755) == 0 && symlink(target, path) == 0)
			shared->done++;
	}
}

/* A look that it is no link, and then the same. */
static void place_batch_after_a_look(const struct ground *ground, size_t n, struct shared *shared)
{
	for (size_t i = 0; i < n; i++) {
		char target[128], path[128], above[128];
		struct stat status;

		(void)snprintf(above, sizeof(above), "%s/agent/w", ground->root);
		(void)snprintf(target, sizeof(target), "%s/agent/w/%zu", ground->root, i);
		(void)snprintf(path, sizeof(path), "%s/home/p/%zu", ground->root, i);
		if (lstat(above, &status) < 0 || !S_ISDIR(status.st_mode) ||
		    mkdir(target, 0755) < 0)
			continue;
		(void)snprintf(above, sizeof(above), "%s/home/p", ground->root);
		if (lstat(above, &status) == 0 && S_ISDIR(status.st_mode) &&
		    symlink(target, path) == 0)
			shared->done++;
	}
}

/* Empties a folder of a batch; how many of its names were there. */
static unsigned long empty(int folder, size_t n, int flags)
{
	unsigned long there = 0;
	char name[32];

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), "%zu", i);
		there += unlinkat(folder, name, flags) == 0;
	}
	return there;
}

struct entries_ground {
	int w, p, outside, outside_p;
};

static struct entries_ground entries_set_up(const struct ground *ground)
{
	static const char *const folders[] = { "agent/w", "home/p", "outside", "outside-p" };
	AUTO_FREE char *outside = ground_path(ground, "outside");
	AUTO_FREE char *outside_p = ground_path(ground, "outside-p");
	AUTO_FREE char *w_link = ground_path(ground, "agent/w.link");
	AUTO_FREE char *p_link = ground_path(ground, "home/p.link");

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		AUTO_FREE char *path = ground_path(ground, folders[i]);

		assert_int_equal(mkdir(path, 0755), 0);
	}
	assert_int_equal(symlink(outside, w_link), 0);
	assert_int_equal(symlink(outside_p, p_link), 0);
	return (struct entries_ground){
		.w = open_folder(ground, "agent/w"),
		.p = open_folder(ground, "home/p"),
		.outside = open_folder(ground, "outside"),
		.outside_p = open_folder(ground, "outside-p"),
	};
}

/* The placer has a process of its own, because a seccomp filter never goes away again. */
static void attack_entries(const struct way *way, unsigned long entries, struct shared *shared)
{
	struct ground ground;
	struct entries_ground at;
	struct call_rules rules = {};
	pid_t attacker, placer;

	assert_true(ground_begin(&ground));
	at = entries_set_up(&ground);
	attacker = start(swap_for_ever, &ground, shared);
	placer = fork();
	assert_true(placer >= 0);
	if (placer == 0)
		use_processor(1);
	for (unsigned long left = placer == 0 ? entries : 0; left > 0;) {
		size_t n = left < BATCH ? left : BATCH;

		if (left == entries && way->refuse &&
		    (!calls_parse(way->refuse, &rules) || calls_install(&rules, false, -1) < 0))
			_exit(8);
		way->place(&ground, n, shared);
		(void)empty(at.w, n, AT_REMOVEDIR);
		(void)empty(at.p, n, 0);
		shared->escapes += empty(at.outside, n, AT_REMOVEDIR) + empty(at.outside_p, n, 0);
		left -= n;
	}
	if (placer == 0)
		_exit(0);
	finish(placer);
	atomic_store(&shared->stop, true);
	finish(attacker);
	(void)close(at.w);
	(void)close(at.p);
	(void)close(at.outside);
	(void)close(at.outside_p);
	assert_true(ground_end(&ground));
}

static void attacked_entries_never_lead_out(const char *refuse)
{
	const struct way way = { .refuse = refuse, .place = place_batch };
	unsigned long entries =
		count_from_environment("RACE_ENTRIES", GROUND_SANITIZED ? 1500 : 4000);
	struct shared *shared = share();

	attack_entries(&way, entries, shared);
	print_message("# %lu entries, %lu swaps: %lu made, %lu refused, %lu escaped\n", entries,
		      atomic_load(&shared->swaps), shared->done, shared->refused, shared->escapes);
	assert_int_equal(shared->escapes, 0);
	assert_int_equal(shared->done + shared->refused, entries);
	assert_true(shared->done > 0);
	assert_true(shared->refused > 0);
}

static void attacked_entries_never_lead_out_with_openat2(void **state)
{
	(void)state;
	attacked_entries_never_lead_out(NULL);
}

static void attacked_entries_never_lead_out_where_openat2_is_missing(void **state)
{
	(void)state;
	attacked_entries_never_lead_out("openat2=ENOSYS");
}

static void attacked_entries_never_lead_out_where_openat2_is_forbidden(void **state)
{
	(void)state;
	attacked_entries_never_lead_out("openat2=EPERM");
}

static void naive_entries_must_escape(void (*place)(const struct ground *, size_t, struct shared *))
{
	const struct way way = { .place = place };
	struct shared *shared = share();
	unsigned long entries = 0;

	/* How often depends on the machine's other load; that it happens does not. */
	while (shared->escapes == 0 && entries < 2000000) {
		atomic_store(&shared->stop, false);
		attack_entries(&way, 1000, shared);
		entries += 1000;
	}
	print_message("# naive: %lu entries, %lu swaps: %lu escaped\n", entries,
		      atomic_load(&shared->swaps), shared->escapes);
	assert_true(shared->escapes > 0);
}

static void a_naive_way_by_path_escapes(void **state)
{
	(void)state;
	naive_entries_must_escape(place_batch_by_path);
}

static void a_naive_way_that_looks_first_escapes(void **state)
{
	(void)state;
	naive_entries_must_escape(place_batch_after_a_look);
}

/* ---- replacements: something precious is put at `from` while the link there is replaced ---- */

enum precious { PRECIOUS_FILE, PRECIOUS_FOLDER, PRECIOUS_LINK, PRECIOUS_KINDS };

static void make_precious(int home, unsigned long round)
{
	switch (round % PRECIOUS_KINDS) {
	case PRECIOUS_FILE:
		(void)close(openat(home, "precious", O_CREAT | O_EXCL | O_WRONLY, 0600));
		break;
	case PRECIOUS_FOLDER:
		(void)mkdirat(home, "precious", 0700);
		break;
	default:
		(void)symlinkat("/usr/bin", home, "precious");
	}
}

/* As a person would: what was there goes away, and nothing is overwritten. */
static void put_precious(int home, unsigned long round)
{
	if (round % PRECIOUS_KINDS == PRECIOUS_FOLDER) {
		(void)unlinkat(home, "l", 0);
		(void)kernel_renameat2(home, "precious", home, "l", RENAME_NOREPLACE);
	} else {
		(void)renameat(home, "precious", home, "l");
	}
}

static void replace_each_round(const struct ground *ground, struct shared *shared)
{
	AUTO_CLOSE int home = open_folder(ground, "home");
	unsigned long before = 0;

	while (!atomic_load(&shared->stop)) {
		unsigned long round = atomic_load(&shared->round);

		if (round == before)
			continue;
		/* In the first part of a placing there is nothing to lose yet. */
		if (atomic_load(&shared->placing_ns) > 10000)
			spin_ns(atomic_load(&shared->placing_ns) * (40 + round * 79 % 80) / 100);
		put_precious(home, round);
		before = round;
		atomic_store(&shared->attacked, round);
	}
}

static void place_one(const struct ground *ground, size_t n, struct shared *shared)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	const struct link_entry entry = { "~/l", "w" };
	struct links_request request = {
		.configured = &entry, .n_configured = n, .agent_dir = agent, .home = home
	};
	AUTO_LINKS struct links_report report = {};

	if (links_place(&request, &report, NULL) < 0)
		_exit(9);
	shared->done += report.replaced;
	shared->raced += report.links[0].code == LINK_RACED;
	shared->refused += report.refused;
}

/* ln -sf in C: lstat, unlink, symlink. */
static void place_one_naively(const struct ground *ground, size_t n, struct shared *shared)
{
	AUTO_FREE char *path = ground_path(ground, "home/l");
	AUTO_FREE char *target = ground_path(ground, "agent/w");
	struct stat status;

	(void)n;
	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && unlink(path) == 0 &&
	    symlink(target, path) == 0)
		shared->done++;
}

/* Is what has this inode still in the folder, under whatever name? */
static bool is_kept(int home, ino_t inode)
{
	DIR *folder = fdopendir(openat(home, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *entry;
	bool found = false;

	while (folder && (entry = readdir(folder)))
		found = found || entry->d_ino == inode;
	(void)closedir(folder);
	return found;
}

/* A link that may be replaced, and something precious for the attacker to put there. */
static ino_t begin_round(int home, const char *old, unsigned long round)
{
	struct stat status = {};

	(void)unlinkat(home, "l", 0);
	(void)unlinkat(home, "l", AT_REMOVEDIR);
	(void)unlinkat(home, "precious", 0);
	(void)unlinkat(home, "precious", AT_REMOVEDIR);
	if (symlinkat(old, home, "l") < 0)
		_exit(7);
	make_precious(home, round);
	if (fstatat(home, "precious", &status, AT_SYMLINK_NOFOLLOW) < 0)
		_exit(6);
	return status.st_ino;
}

static void place_each_round(const struct way *way, const struct ground *ground,
			     unsigned long rounds, struct shared *shared)
{
	AUTO_CLOSE int home = open_folder(ground, "home");
	AUTO_FREE char *ours = ground_path(ground, "agent/old");
	struct call_rules rules = {};

	if (way->refuse &&
	    (!calls_parse(way->refuse, &rules) || calls_install(&rules, false, -1) < 0))
		_exit(8);
	for (unsigned long round = 1; round <= rounds; round++) {
		ino_t inode = begin_round(home, round & 1 ? ours : "/nowhere", round);
		unsigned long begun, taken;

		atomic_store(&shared->round, round);
		begun = now_ns();
		way->place(ground, 1, shared);
		taken = now_ns() - begun;
		if (taken < 1000000)
			atomic_store(&shared->placing_ns,
				     (atomic_load(&shared->placing_ns) * 7 + taken) / 8);
		while (atomic_load(&shared->attacked) != round)
			(void)sched_yield();
		shared->lost += !is_kept(home, inode);
	}
	_exit(0);
}

static void attack_replacements(const struct way *way, unsigned long rounds, struct shared *shared)
{
	struct ground ground;
	pid_t attacker, placer;

	assert_true(ground_begin(&ground));
	attacker = start(replace_each_round, &ground, shared);
	placer = fork();
	assert_true(placer >= 0);
	if (placer == 0)
		use_processor(1);
	if (placer == 0)
		place_each_round(way, &ground, rounds, shared);
	finish(placer);
	atomic_store(&shared->stop, true);
	finish(attacker);
	assert_true(ground_end(&ground));
}

static void attacked_replacements_lose_nothing(const char *refuse)
{
	const struct way way = { .refuse = refuse, .place = place_one };
	unsigned long rounds =
		count_from_environment("RACE_REPLACEMENTS", GROUND_SANITIZED ? 150 : 300);
	struct shared *shared = share();

	attack_replacements(&way, rounds, shared);
	print_message("# %lu replacements: %lu replaced, %lu raced, %lu lost\n", rounds,
		      shared->done, shared->raced, shared->lost);
	assert_int_equal(shared->lost, 0);
	assert_true(shared->done > 0);
}

static void attacked_replacements_lose_nothing_with_exchange(void **state)
{
	(void)state;
	attacked_replacements_lose_nothing(NULL);
}

static void attacked_replacements_lose_nothing_without_exchange(void **state)
{
	(void)state;
	attacked_replacements_lose_nothing("renameat2/4&2=EINVAL");
}

static void attacked_replacements_lose_nothing_without_renameat2(void **state)
{
	(void)state;
	attacked_replacements_lose_nothing("renameat2=ENOSYS");
}

static void a_naive_replacement_loses_something(void **state)
{
	const struct way way = { .place = place_one_naively };
	struct shared *shared = share();
	unsigned long rounds = 0;

	(void)state;
	while (shared->lost == 0 && rounds < 100000) {
		atomic_store(&shared->stop, false);
		atomic_store(&shared->round, 0);
		atomic_store(&shared->attacked, 0);
		attack_replacements(&way, 200, shared);
		rounds += 200;
	}
	print_message("# naive: %lu replacements, %lu lost\n", rounds, shared->lost);
	assert_true(shared->lost > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_naive_way_by_path_escapes),
		cmocka_unit_test(a_naive_way_that_looks_first_escapes),
		cmocka_unit_test(attacked_entries_never_lead_out_with_openat2),
		cmocka_unit_test(attacked_entries_never_lead_out_where_openat2_is_missing),
		cmocka_unit_test(attacked_entries_never_lead_out_where_openat2_is_forbidden),
		cmocka_unit_test(a_naive_replacement_loses_something),
		cmocka_unit_test(attacked_replacements_lose_nothing_with_exchange),
		cmocka_unit_test(attacked_replacements_lose_nothing_without_exchange),
		cmocka_unit_test(attacked_replacements_lose_nothing_without_renameat2),
	};

	if (getenv("RACE_ON_DISK") || !ground_on_tmpfs())
		print_message("# the races are run on disk\n");
	return cmocka_run_group_tests_name("link races", tests, NULL, NULL);
}
