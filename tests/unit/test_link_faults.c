/*
 * link faults: each system call of the step fails, at each occurrence, with each errno; and the
 * process is killed before each.  Whatever fails, nothing is lost and nothing leads out, the link
 * is the old one or the new one, and the next boot puts everything right.
 *
 * Errnos take turns over the occurrences, unless FAULTS_ALL is set (`make faults`).  With
 * AddressSanitizer, where a fork takes twenty times as long, fewer are tried, and none is killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "init/own.h"
#include "symlinks/links.h"
#include "symlinks/spare.h"
#include "tests/helpers/ground.h"
#include "tests/helpers/injector.h"

#define OCCURRENCES_MAX 64
#define STRANGER 12345

static const char *const calls[] = { "openat2",    "openat",   "newfstatat", "fstat",
				     "readlinkat", "mkdirat",  "symlinkat",  "renameat2",
				     "renameat",   "linkat",   "unlinkat",   "getdents64",
				     "getrandom",  "setfsuid", "setfsgid",   "prctl",
				     "brk",        "mmap",     "close" };
static const char *const errnos[] = { "EPERM",  "ENOENT",  "EINTR",      "EIO",         "EAGAIN",
				      "ENOMEM", "EACCES",  "EBUSY",      "EEXIST",      "EXDEV",
				      "ENODEV", "ENOTDIR", "EINVAL",     "ENFILE",      "EMFILE",
				      "ENOSPC", "EROFS",   "EMLINK",     "ENOSYS",      "ELOOP",
				      "EDQUOT", "ESTALE",  "EOPNOTSUPP", "ENAMETOOLONG" };

/* One state of the disk, and what one entry, ~/l -> w/x or ~/p/q/l -> w/x, should make of it. */
struct scene {
	const char *name;
	const char *from;
	const char *old;      /* what the link says before; NULL: there is none */
	const char *also;     /* further rules, calls.h */
	bool made;            /* the target is there already */
	bool left_over;       /* a killed boot left a temporary name */
	bool strangers_agent; /* the agent folder belongs to uid 12345 */
	bool may_vanish;      /* a kill may leave neither link */
};

static const struct scene scenes[] = {
	{ .name = "create", .from = "p/q/l" },
	{ .name = "create where the parents are", .from = "l", .made = true },
	{ .name = "create without openat2", .from = "p/q/l", .also = "openat2=ENOSYS" },
	{ .name = "create in a stranger's folder", .from = "l", .strangers_agent = true },
	{ .name = "unchanged", .from = "l", .old = "agent/w/x", .made = true },
	{ .name = "replace", .from = "l", .old = "agent/old", .left_over = true },
	{ .name = "replace without exchange",
	  .from = "l",
	  .old = "agent/old",
	  .also = "renameat2/4&2=EINVAL",
	  .may_vanish = true },
	{ .name = "replace without renameat2",
	  .from = "l",
	  .old = "agent/old",
	  .left_over = true,
	  .also = "renameat2=ENOSYS",
	  .may_vanish = true },
	{ .name = "replace a dangling link", .from = "l", .old = "nowhere", .made = true },
};

struct counts {
	unsigned long runs, injected, done, refused, killed;
};

/* What the child found, told over shared memory: no call that could be made to fail. */
struct told {
	enum link_code code;
	int error;
};

static char *scene_link(const struct ground *ground, const struct scene *scene)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	struct text t = {};

	text_add(&t, "%s/%s", home, scene->from);
	return text_take(&t);
}

static void make_folder(const struct ground *ground, const char *name)
{
	AUTO_FREE char *path = ground_path(ground, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

static void make_link(const struct ground *ground, const char *says, const char *name)
{
	AUTO_FREE char *path = ground_path(ground, name);
	AUTO_FREE char *target = ground_path(ground, says);

	assert_int_equal(symlink(target, path), 0);
}

static void set_up(struct ground *ground, const struct scene *scene)
{
	AUTO_FREE char *agent = NULL;
	AUTO_FREE char *precious = NULL;

	assert_true(ground_begin(ground));
	make_folder(ground, "outside");
	precious = ground_path(ground, "home/.typeclaw-link.00000000000000ff");
	assert_int_equal(close(open(precious, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)), 0);
	if (scene->made) {
		make_folder(ground, "agent/w");
		make_folder(ground, "agent/w/x");
	}
	if (scene->old)
		make_link(ground, scene->old, "home/l");
	if (scene->left_over)
		make_link(ground, "agent/older", "home/.typeclaw-link.0123456789abcdef");
	agent = ground_path(ground, "agent");
	if (scene->strangers_agent && geteuid() == 0)
		assert_int_equal(chown(agent, STRANGER, STRANGER), 0);
}

static int place(const struct ground *ground, const struct scene *scene, enum link_code *ret)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	AUTO_FREE char *from = scene_link(ground, scene);
	const struct link_entry entry = { from, "w/x" };
	struct links_request request = {
		.configured = &entry, .n_configured = 1, .agent_dir = agent, .home = home
	};
	AUTO_LINKS struct links_report report = {};
	int r = links_place(&request, &report, NULL);

	if (r == 0)
		*ret = report.links[0].code;
	return r;
}

/* A file of the spare form is somebody's; links of that form must be gone in the end. */
static unsigned int count_spares(const struct ground *ground, bool *ret_file)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	DIR *folder = opendir(home);
	const struct dirent *entry;
	unsigned int spares = 0;

	*ret_file = false;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (!spare_is_name(entry->d_name))
			continue;
		if (strcmp(entry->d_name, ".typeclaw-link.00000000000000ff") == 0)
			*ret_file = true;
		else
			spares++;
	}
	(void)closedir(folder);
	return spares;
}

static bool is_empty(const struct ground *ground, const char *name)
{
	AUTO_FREE char *path = ground_path(ground, name);

	/* rmdir(2) is the one question that no race and no hidden name can fool. */
	return rmdir(path) == 0 && mkdir(path, 0755) == 0;
}

static void read_link(const struct ground *ground, const struct scene *scene, char *ret,
		      size_t size)
{
	AUTO_FREE char *path = scene_link(ground, scene);
	ssize_t length = readlink(path, ret, size - 1);

	ret[length < 0 ? 0 : length] = '\0';
}

static void judge(const struct ground *ground, const struct scene *scene, const char *rule,
		  const struct told *told, bool killed)
{
	AUTO_FREE char *new = ground_path(ground, "agent/w/x");
	AUTO_FREE char *old = ground_path(ground, scene->old ? scene->old : "");
	char says[4096];
	bool file;

	read_link(ground, scene, says, sizeof(says));
	if (!killed && told->error == 0 && told->code == LINK_NONE)
		fail_msg("%s, %s: no result", scene->name, rule);
	if (!killed && link_code_done(told->code) && strcmp(says, new) != 0)
		fail_msg("%s, %s: %s, but it says \"%s\"", scene->name, rule,
			 link_code_name(told->code), says);
	if (strcmp(says, new) != 0 && !(scene->old && strcmp(says, old) == 0) &&
	    !(!says[0] && (!scene->old || (killed && scene->may_vanish))))
		fail_msg("%s, %s: the link says \"%s\" (%s)", scene->name, rule, says,
			 link_code_name(told->code));
	if (!is_empty(ground, "outside"))
		fail_msg("%s, %s: escaped", scene->name, rule);
	(void)count_spares(ground, &file);
	if (!file)
		fail_msg("%s, %s: a file was lost", scene->name, rule);
}

/* The boot after: nothing fails, so all must be right. */
static void heal(const struct ground *ground, const struct scene *scene, const char *rule)
{
	AUTO_FREE char *new = ground_path(ground, "agent/w/x");
	enum link_code code = LINK_NONE;
	char says[4096];
	bool file;

	assert_int_equal(place(ground, scene, &code), 0);
	read_link(ground, scene, says, sizeof(says));
	if (!link_code_done(code) || strcmp(says, new) != 0)
		fail_msg("%s, after %s: %s, the link says \"%s\"", scene->name, rule,
			 link_code_name(code), says);
	if (count_spares(ground, &file) != 0 || !file)
		fail_msg("%s, after %s: left-overs stay", scene->name, rule);
}

/* One run with one rule.  True when the rule came to be used. */
static bool run(const struct scene *scene, const char *rule, struct told *told,
		struct counts *counts)
{
	AUTO_TEXT struct text all = {};
	struct call_rules rules = {};
	struct ground ground;
	int status = 0, pair[2];
	pid_t child;
	bool killed;

	text_add(&all, "%s%s%s", rule, scene->also ? "," : "", scene->also ? scene->also : "");
	assert_true(calls_parse(all.data, &rules));
	set_up(&ground, scene);
	*told = (struct told){};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (injector_join(&rules, pair[1]) < 0)
			_exit(9);
		told->error = place(&ground, scene, &told->code);
		_exit(0);
	}
	(void)close(pair[1]);
	assert_int_equal(injector_serve(&rules, pair[0], child, 10000, &status), 0);
	(void)close(pair[0]);
	killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && strstr(rule, "KILL");
	if (status != 0 && !killed)
		fail_msg("%s, %s: wait status %#x", scene->name, rule, status);
	judge(&ground, scene, rule, told, killed);
	heal(&ground, scene, rule);
	assert_true(ground_end(&ground));
	counts->runs++;
	counts->injected += rules.rule[0].injected;
	counts->killed += killed;
	counts->done += !killed && link_code_done(told->code);
	counts->refused += !killed && !link_code_done(told->code);
	return rules.rule[0].injected > 0;
}

static struct told *share(void)
{
	struct told *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(told != MAP_FAILED);
	return told;
}

static void show(const char *what, const struct counts *counts)
{
	print_message("# %s: %lu runs, %lu injected: %lu done, %lu refused, %lu killed\n", what,
		      counts->runs, counts->injected, counts->done, counts->refused,
		      counts->killed);
}

/* All occurrences of one call; `turn` picks the errno when not all of them are to be tried. */
static void sweep_call(const struct scene *scene, const char *call, bool all, size_t *turn,
		       struct told *told, struct counts *counts)
{
	for (unsigned int n = 1; n <= OCCURRENCES_MAX; n++) {
		bool injected = false;

		for (size_t e = 0; e < (all ? ARRAY_SIZE(errnos) : GROUND_SANITIZED ? 1 : 3); e++) {
			char rule[64];

			(void)snprintf(rule, sizeof(rule), "%s=%s@%u", call,
				       errnos[all ? e : (*turn)++ % ARRAY_SIZE(errnos)], n);
			injected = run(scene, rule, told, counts);
			if (!injected)
				break;
		}
		if (!injected)
			return;
	}
}

static void a_failing_call_leaves_the_old_link_or_the_new_one(void **state)
{
	struct told *told = share();
	size_t turn = 0;

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(scenes); s++) {
		struct counts counts = {};

		if (GROUND_SANITIZED && !getenv("FAULTS_ALL") && s % 3 != 0)
			continue;
		for (size_t c = 0; c < ARRAY_SIZE(calls); c++)
			sweep_call(&scenes[s], calls[c], getenv("FAULTS_ALL"), &turn, told,
				   &counts);
		show(scenes[s].name, &counts);
		assert_true(counts.injected > 0);
	}
}

#if !GROUND_SANITIZED
static void a_kill_at_any_point_is_put_right_by_the_next_boot(void **state)
{
	struct told *told = share();
	struct counts counts = {};

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(scenes); s++) {
		for (size_t c = 0; c < ARRAY_SIZE(calls); c++) {
			for (unsigned int n = 1; n <= OCCURRENCES_MAX; n++) {
				char rule[64];

				(void)snprintf(rule, sizeof(rule), "%s=KILL@%u", calls[c], n);
				if (!run(&scenes[s], rule, told, &counts))
					break;
			}
		}
	}
	show("killed", &counts);
	assert_true(counts.killed > 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failing_call_leaves_the_old_link_or_the_new_one),
#if !GROUND_SANITIZED
		cmocka_unit_test(a_kill_at_any_point_is_put_right_by_the_next_boot),
#endif
	};

	if (!ground_on_tmpfs())
		print_message("# the faults are run on disk\n");
	return cmocka_run_group_tests_name("link faults", tests, NULL, NULL);
}
