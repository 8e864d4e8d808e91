/*
 * link swaps: somebody changes the disk between two system calls of the step, at a point that is
 * chosen and not left to chance.  Each row says what is done before which call, what comes of
 * the entry, and what must be there in the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <dirent.h>
#include <cmocka.h>

#include "init/kernel.h"
#include "init/own.h"
#include "symlinks/links.h"
#include "symlinks/spare.h"
#include "tests/helpers/ground.h"
#include "tests/helpers/injector.h"

/* What is done; all paths are below the ground, and the link is home/l. */
enum deed {
	DEED_NONE,
	DEED_FILE,         /* a file of ours is renamed to home/l, over what is there */
	DEED_OTHER_FILE,   /* and one more */
	DEED_FOLDER,       /* a folder takes the place of home/l */
	DEED_OTHER_FOLDER, /* and one more; both are empty */
	DEED_REMOVE,       /* home/l goes away */
	DEED_SAME_LINK,    /* somebody else makes the very link */
	DEED_FOREIGN_LINK, /* home/l says /usr/bin */
	DEED_TARGET_LINK,  /* agent/w is a link that leads out */
	DEED_TARGET_AWAY,  /* agent/w is removed */
	DEED_PARENT_LINK,  /* home/p is a link that leads out */
	DEED_PARENT_AWAY,  /* home/p is removed */
	DEED_SPARE_AWAY,   /* another boot sweeps our temporary name */
};

struct swap {
	const char *name;
	const char *from;           /* "l" or "p/l" */
	bool old;                   /* home/l is a link of ours that says something else */
	bool made;                  /* agent/w is there */
	const char *also;           /* further rules */
	const char *first, *second; /* before which calls, calls.h; NULL: none */
	enum deed first_deed, second_deed;
	enum link_code want;
	const char *detail; /* part of the detail; NULL: whatever it is */
};

#define NO_EXCHANGE "renameat2/4&2=EINVAL"

static const struct swap swaps[] = {
	{ "a file comes where nothing was", "l", false, true, NULL, "symlinkat@1", NULL, DEED_FILE,
	  DEED_NONE, LINK_OCCUPIED, "a file is there" },
	{ "the very link comes where nothing was", "l", false, true, NULL, "symlinkat@1", NULL,
	  DEED_SAME_LINK, DEED_NONE, LINK_UNCHANGED, NULL },
	{ "a file takes the link's place before the exchange", "l", true, true, NULL, "renameat2@1",
	  NULL, DEED_FILE, DEED_NONE, LINK_RACED, "was put back" },
	{ "a foreign link takes its place before the exchange", "l", true, true, NULL,
	  "renameat2@1", NULL, DEED_FOREIGN_LINK, DEED_NONE, LINK_RACED, "was put back" },
	{ "the link goes away before the exchange", "l", true, true, NULL, "renameat2@1", NULL,
	  DEED_REMOVE, DEED_NONE, LINK_CREATED, NULL },
	{ "a file comes, and then our link goes away", "l", true, true, NULL, "renameat2@1",
	  "renameat2@2", DEED_FILE, DEED_REMOVE, LINK_RACED, "was put back" },
	{ "a file comes, and then another over our link", "l", true, true, NULL, "renameat2@1",
	  "renameat2@2", DEED_FILE, DEED_OTHER_FILE, LINK_RACED, "is now .typeclaw-link." },
	{ "another boot sweeps the temporary name before the exchange", "l", true, true, NULL,
	  "renameat2@1", NULL, DEED_SPARE_AWAY, DEED_NONE, LINK_REPLACED, NULL },
	{ "another boot sweeps it after the exchange", "l", true, true, NULL, "unlinkat@1", NULL,
	  DEED_SPARE_AWAY, DEED_NONE, LINK_REPLACED, NULL },
	{ "without exchange: a file comes before the link is moved", "l", true, true, NO_EXCHANGE,
	  "renameat2@2", NULL, DEED_FILE, DEED_NONE, LINK_RACED, "was put back" },
	{ "without exchange: the link goes away before it is moved", "l", true, true, NO_EXCHANGE,
	  "renameat2@2", NULL, DEED_REMOVE, DEED_NONE, LINK_CREATED, NULL },
	{ "without exchange: a file comes while there is no link", "l", true, true, NO_EXCHANGE,
	  "symlinkat@2", NULL, DEED_FILE, DEED_NONE, LINK_OCCUPIED, NULL },
	{ "without exchange: a file comes, and another before it is put back", "l", true, true,
	  NO_EXCHANGE, "renameat2@2", "renameat2@3", DEED_FILE, DEED_OTHER_FILE, LINK_RACED,
	  "is now .typeclaw-link." },
	{ "without renameat2: a file comes before the link is moved", "l", true, true,
	  "renameat2=ENOSYS", "renameat2@2", NULL, DEED_FILE, DEED_NONE, LINK_RACED,
	  "was put back" },
	{ "without renameat2: a file comes, and another before it is put back", "l", true, true,
	  "renameat2=ENOSYS", "renameat2@2", "linkat@1", DEED_FILE, DEED_OTHER_FILE, LINK_RACED,
	  "is now .typeclaw-link." },
	{ "a folder takes the link's place before the exchange", "l", true, true, NULL,
	  "renameat2@1", NULL, DEED_FOLDER, DEED_NONE, LINK_RACED, "was put back" },
	{ "without renameat2: a folder comes before the link is moved", "l", true, true,
	  "renameat2=ENOSYS", "renameat2@2", NULL, DEED_FOLDER, DEED_NONE, LINK_RACED,
	  "was put back" },
	{ "without renameat2: a folder comes, and another before it is put back", "l", true, true,
	  "renameat2=ENOSYS", "renameat2@2", "linkat@1", DEED_FOLDER, DEED_OTHER_FOLDER, LINK_RACED,
	  "is now .typeclaw-link." },
	{ "a parent becomes a link, which goes away before it is read", "p/l", false, true, NULL,
	  "mkdirat@1", "readlinkat@1", DEED_PARENT_LINK, DEED_PARENT_AWAY, LINK_CREATED, NULL },
	{ "the target becomes a link before it is made", "l", false, false, NULL, "mkdirat@1", NULL,
	  DEED_TARGET_LINK, DEED_NONE, LINK_TARGET_IS_LINK, "w is a link to" },
	{ "the target becomes a link after it was made", "l", false, false, NULL, "symlinkat@1",
	  NULL, DEED_TARGET_LINK, DEED_NONE, LINK_CREATED, NULL },
	{ "the target goes away as soon as it was made", "l", false, false, "openat2=ENOSYS",
	  "mkdirat@2", NULL, DEED_TARGET_AWAY, DEED_NONE, LINK_ERROR, "make the folder w/x" },
	{ "a parent becomes a link before it is made", "p/l", false, true, NULL, "mkdirat@1", NULL,
	  DEED_PARENT_LINK, DEED_NONE, LINK_PARENT_IS_LINK, "home/p is a link to" },
};

static void in_ground(const struct ground *ground, const char *name, void (*use)(const char *))
{
	AUTO_FREE char *path = ground_path(ground, name);

	use(path);
}

static void remove_all(const char *path)
{
	(void)nftw(path, ground_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_file(const char *path)
{
	(void)close(open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
}

static void make_folder(const char *path)
{
	(void)mkdir(path, 0755);
}

static void rename_over(const struct ground *ground, const char *what, const char *where)
{
	AUTO_FREE char *from = ground_path(ground, what);
	AUTO_FREE char *to = ground_path(ground, where);

	(void)rename(from, to);
}

static void make_link(const struct ground *ground, const char *says, const char *name)
{
	AUTO_FREE char *path = ground_path(ground, name);
	AUTO_FREE char *target = says[0] == '/' ? strdup(says) : ground_path(ground, says);

	remove_all(path);
	(void)symlink(target, path);
}

/* The one temporary name there is. */
static void remove_spare(const struct ground *ground)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	DIR *folder = opendir(home);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (spare_is_name(entry->d_name))
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
	(void)closedir(folder);
}

static void do_deed(const struct ground *ground, enum deed deed)
{
	switch (deed) {
	case DEED_FILE:
		rename_over(ground, "home/file", "home/l");
		break;
	case DEED_OTHER_FILE:
		rename_over(ground, "home/other", "home/l");
		break;
	case DEED_FOLDER:
		in_ground(ground, "home/l", remove_all);
		rename_over(ground, "home/folder", "home/l");
		break;
	case DEED_OTHER_FOLDER:
		rename_over(ground, "home/folder2", "home/l");
		break;
	case DEED_REMOVE:
		in_ground(ground, "home/l", remove_all);
		break;
	case DEED_SAME_LINK:
		make_link(ground, "agent/w/x", "home/l");
		break;
	case DEED_FOREIGN_LINK:
		make_link(ground, "/usr/bin", "home/l");
		break;
	case DEED_TARGET_LINK:
		make_link(ground, "outside", "agent/w");
		break;
	case DEED_TARGET_AWAY:
		in_ground(ground, "agent/w", remove_all);
		break;
	case DEED_PARENT_LINK:
		make_link(ground, "outside", "home/p");
		break;
	case DEED_PARENT_AWAY:
		in_ground(ground, "home/p", remove_all);
		break;
	case DEED_SPARE_AWAY:
		remove_spare(ground);
		break;
	case DEED_NONE:
		break;
	}
}

struct moment {
	const struct ground *ground;
	enum deed deed;
};

static void before(void *context)
{
	const struct moment *moment = context;

	do_deed(moment->ground, moment->deed);
}

/* What the child found. */
struct told {
	enum link_code code;
	char detail[512];
};

static void place(const struct ground *ground, const struct swap *swap, struct told *told)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	char from[16];
	const struct link_entry entry = { from, "w/x" };
	struct links_request request = {
		.configured = &entry, .n_configured = 1, .agent_dir = agent, .home = home
	};
	AUTO_LINKS struct links_report report = {};

	(void)snprintf(from, sizeof(from), "~/%s", swap->from);
	if (links_place(&request, &report, NULL) < 0)
		_exit(7);
	told->code = report.links[0].code;
	if (report.links[0].detail)
		(void)snprintf(told->detail, sizeof(told->detail), "%s", report.links[0].detail);
}

static void set_up(struct ground *ground, const struct swap *swap)
{
	assert_true(ground_begin(ground));
	in_ground(ground, "outside", make_folder);
	in_ground(ground, "home/file", make_file);
	in_ground(ground, "home/other", make_file);
	in_ground(ground, "home/folder", make_folder);
	in_ground(ground, "home/folder2", make_folder);
	if (swap->made)
		in_ground(ground, "agent/w", make_folder);
	if (swap->made)
		in_ground(ground, "agent/w/x", make_folder);
	if (swap->old)
		make_link(ground, "agent/old", "home/l");
}

/* A rule that only waits: CALL@N with the deed. */
static void add_rule(struct call_rules *rules, const char *call, struct moment *moment)
{
	char text[64];

	if (!call)
		return;
	(void)snprintf(text, sizeof(text), "%.*s=EIO%s", (int)strcspn(call, "@"), call,
		       strchr(call, '@'));
	assert_true(calls_parse_rule(text, &rules->rule[rules->n]));
	rules->rule[rules->n].error = 0;
	rules->rule[rules->n].before = before;
	rules->rule[rules->n++].context = moment;
}

/* What is in home: files and folders stay under whatever name, temporary links do not. */
struct found {
	unsigned int files, folders, spares;
};

static struct found read_home(const struct ground *ground)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	DIR *folder = opendir(home);
	const struct dirent *entry;
	struct found found = {};

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		found.files += entry->d_type == DT_REG;
		found.folders += entry->d_type == DT_DIR && strchr("fl.", entry->d_name[0]) &&
				 strcmp(entry->d_name, ".") != 0 &&
				 strcmp(entry->d_name, "..") != 0;
		found.spares += entry->d_type == DT_LNK && spare_is_name(entry->d_name);
	}
	(void)closedir(folder);
	return found;
}

static void judge(const struct ground *ground, const struct swap *swap, const struct told *told)
{
	AUTO_FREE char *outside = ground_path(ground, "outside");
	AUTO_FREE char *link = ground_path(ground, "home/l");
	AUTO_FREE char *target = ground_path(ground, "agent/w/x");
	const struct found found = read_home(ground);
	char says[4096] = "";

	if (told->code != swap->want || (swap->detail && !strstr(told->detail, swap->detail)))
		fail_msg("%s: %s (%s)", swap->name, link_code_name(told->code), told->detail);
	if (rmdir(outside) < 0)
		fail_msg("%s: something was made outside", swap->name);
	if (found.files != 2 || found.folders != 2)
		fail_msg("%s: %u files and %u folders are left", swap->name, found.files,
			 found.folders);
	/* Where two things fought for the name, our own link may have ended up as the third. */
	if (found.spares != 0 && !strstr(told->detail, "is now .typeclaw-link."))
		fail_msg("%s: a temporary link is left", swap->name);
	if (link_code_done(told->code) && strcmp(swap->from, "l") == 0 &&
	    (readlink(link, says, sizeof(says) - 1) < 0 || strcmp(says, target) != 0))
		fail_msg("%s: %s, but it says \"%s\"", swap->name, link_code_name(told->code),
			 says);
}

static void run(const struct swap *swap, struct told *told)
{
	struct call_rules rules = {}, also = {};
	struct ground ground;
	struct moment first = { &ground, swap->first_deed };
	struct moment second = { &ground, swap->second_deed };
	int status = 0, pair[2];
	pid_t child;

	set_up(&ground, swap);
	*told = (struct told){};
	add_rule(&rules, swap->first, &first);
	add_rule(&rules, swap->second, &second);
	assert_true(!swap->also || calls_parse(swap->also, &also));
	for (size_t i = 0; i < also.n; i++)
		rules.rule[rules.n++] = also.rule[i];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (injector_join(&rules, pair[1]) < 0)
			_exit(9);
		place(&ground, swap, told);
		_exit(0);
	}
	(void)close(pair[1]);
	assert_int_equal(injector_serve(&rules, pair[0], child, 10000, &status), 0);
	(void)close(pair[0]);
	assert_int_equal(status, 0);
	if (rules.rule[0].injected == 0 || (swap->second && rules.rule[1].injected == 0))
		fail_msg("%s: the moment never came", swap->name);
	judge(&ground, swap, told);
	assert_true(ground_end(&ground));
}

static void what_is_swapped_between_two_calls_is_noticed_and_kept(void **state)
{
	struct told *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(told != MAP_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(swaps); i++)
		run(&swaps[i], told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_swapped_between_two_calls_is_noticed_and_kept),
	};

	return cmocka_run_group_tests_name("link swaps", tests, NULL, NULL);
}
