/*
 * links: owners, modes, HOME, both sources and read-only roots; what needs a state of the disk
 * that a vector cannot say.  Each such state is set up in a child, in a mount namespace of its
 * own where it mounts something.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "init/file.h"
#include "init/own.h"
#include "symlinks/links.h"
#include "tests/helpers/calls.h"
#include "tests/helpers/ground.h"

#define STRANGER 12345

/* In a child: says what was not so, and ends it. */
#define CHECK(truth)                                                                      \
	do {                                                                              \
		if (!(truth)) {                                                           \
			(void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #truth); \
			_exit(1);                                                         \
		}                                                                         \
	} while (0)

/* Runs `work` on a ground of its own, in a child, because it gives up rights or mounts. */
static void in_a_child(void (*work)(const struct ground *))
{
	struct ground ground;
	int status = 0;
	pid_t child;

	assert_true(ground_begin(&ground));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		work(&ground);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(ground_end(&ground));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# SKIP this kernel lets us mount no overlay here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void skip_unless_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("# SKIP only root can change owners and mount\n");
	skip();
}

/* One entry with everything else as usual. */
static struct links_report place_as(const struct ground *ground, const char *home, const char *from,
				    const char *to, bool dry_run)
{
	AUTO_FREE char *home_dir = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	const struct link_entry entry = { from, to };
	struct links_request request = {
		.configured = &entry,
		.n_configured = 1,
		.agent_dir = agent,
		.home = home ? home : home_dir,
		.dry_run = dry_run,
	};
	struct links_report report = {};

	CHECK(links_place(&request, &report, NULL) == 0);
	CHECK(report.n_links == 1);
	return report;
}

static enum link_code place(const struct ground *ground, const char *from, const char *to)
{
	AUTO_LINKS struct links_report report = place_as(ground, NULL, from, to, false);

	if (report.links[0].detail)
		(void)fprintf(stderr, "# %s: %s\n", link_code_name(report.links[0].code),
			      report.links[0].detail);
	return report.links[0].code;
}

static struct stat look(const struct ground *ground, const char *name)
{
	AUTO_FREE char *path = ground_path(ground, name);
	struct stat status = {};

	CHECK(lstat(path, &status) == 0);
	return status;
}

static void make_folder(const struct ground *ground, const char *name, mode_t mode, uid_t owner)
{
	AUTO_FREE char *path = ground_path(ground, name);

	CHECK(mkdir(path, 0755) == 0);
	CHECK(chmod(path, mode) == 0);
	CHECK(owner == geteuid() || lchown(path, owner, owner) == 0);
}

static void give_agent_away(const struct ground *ground)
{
	AUTO_FREE char *path = ground_path(ground, "agent");

	CHECK(lchown(path, STRANGER, STRANGER + 1) == 0);
}

static void own_mounts(void)
{
	CHECK(unshare(CLONE_NEWNS) == 0);
	CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

static void bind(const struct ground *ground, const char *what, const char *where)
{
	AUTO_FREE char *source = ground_path(ground, what);
	AUTO_FREE char *target = ground_path(ground, where);

	CHECK(mount(source, target, NULL, MS_BIND, NULL) == 0);
}

/* ---- modes and owners ---- */

static void made_folders_modes(const struct ground *ground)
{
	AUTO_FREE char *opt = ground_path(ground, "opt/a/l");

	(void)umask(0);
	CHECK(place(ground, "~/a/b/l", "w/x") == LINK_CREATED);
	CHECK(place(ground, opt, "w/x") == LINK_CREATED);
	CHECK((look(ground, "home/a").st_mode & 07777) == 0700);
	CHECK((look(ground, "home/a/b").st_mode & 07777) == 0700);
	CHECK((look(ground, "opt").st_mode & 07777) == 0755);
	CHECK((look(ground, "opt/a").st_mode & 07777) == 0755);
	CHECK((look(ground, "agent/w").st_mode & 07777) == 0755);
	CHECK((look(ground, "agent/w/x").st_mode & 07777) == 0755);
}

static void made_folders_are_0700_under_home_and_0755_elsewhere(void **state)
{
	(void)state;
	in_a_child(made_folders_modes);
}

static void made_folders_owner(const struct ground *ground)
{
	give_agent_away(ground);
	CHECK(place(ground, "~/a/l", "w/x") == LINK_CREATED);
	CHECK(look(ground, "agent/w").st_uid == STRANGER);
	CHECK(look(ground, "agent/w").st_gid == STRANGER + 1);
	CHECK(look(ground, "agent/w/x").st_uid == STRANGER);
	CHECK(look(ground, "home/a").st_uid == 0);
	CHECK(look(ground, "home/a/l").st_uid == 0);
}

static void below_the_agent_folder_made_folders_belong_to_their_parents_owner(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(made_folders_owner);
}

static void only_the_group(const struct ground *ground)
{
	AUTO_FREE char *path = ground_path(ground, "agent");

	CHECK(lchown(path, 0, STRANGER) == 0);
	CHECK(place(ground, "~/l", "w/x") == LINK_CREATED);
	CHECK(look(ground, "agent/w/x").st_uid == 0);
	CHECK(look(ground, "agent/w/x").st_gid == STRANGER);
}

static void a_parents_group_is_taken_too(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(only_the_group);
}

static char *read_status(void)
{
	char *status = NULL;

	CHECK(file_slurp(AT_FDCWD, "/proc/self/status", 65536, &status, NULL) == 0);
	return status;
}

/* The line of /proc/self/status that begins with `word`. */
static void check_same_line(const char *before, const char *after, const char *word)
{
	const char *a = strstr(before, word);
	const char *b = strstr(after, word);

	CHECK(a && b && strncmp(a, b, strcspn(a, "\n") + 1) == 0);
}

static void identity_stays(const struct ground *ground)
{
	AUTO_FREE char *before = NULL;
	AUTO_FREE char *after = NULL;
	int death_signal = 0;

	give_agent_away(ground);
	CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0);
	CHECK(prctl(PR_SET_DUMPABLE, 1) == 0);
	before = read_status();
	CHECK(place(ground, "~/l", "w") == LINK_CREATED);
	after = read_status();
	CHECK(look(ground, "agent/w").st_uid == STRANGER);
	check_same_line(before, after, "\nUid:");
	check_same_line(before, after, "\nGid:");
	check_same_line(before, after, "\nGroups:");
	check_same_line(before, after, "\nCapEff:");
	check_same_line(before, after, "\nCapPrm:");
	CHECK(prctl(PR_GET_DUMPABLE) == 1);
	CHECK(prctl(PR_GET_PDEATHSIG, &death_signal) == 0 && death_signal == SIGUSR1);
}

static void making_a_folder_as_its_owner_leaves_this_process_as_it_was(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(identity_stays);
}

static void become(uid_t id)
{
	CHECK(setgroups(0, NULL) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0);
}

static void not_root_makes_folders_as_itself(const struct ground *ground)
{
	make_folder(ground, "open", 0777, STRANGER);
	make_folder(ground, "mine", 0755, 1000);
	{
		AUTO_FREE char *agent = ground_path(ground, "open");
		AUTO_FREE char *home = ground_path(ground, "mine");
		const struct link_entry entry = { "~/l", "w/x" };
		struct links_request request = {
			.configured = &entry, .n_configured = 1, .agent_dir = agent, .home = home
		};
		AUTO_LINKS struct links_report report = {};

		become(1000);
		CHECK(links_place(&request, &report, NULL) == 0 && report.created == 1);
		CHECK(look(ground, "open/w/x").st_uid == 1000);
	}
}

static void who_cannot_be_the_owner_makes_folders_as_himself(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(not_root_makes_folders_as_itself);
}

/* A folder of root's that a stranger renames into the way must stay root's. */
static void no_owner_is_changed(const struct ground *ground)
{
	give_agent_away(ground);
	make_folder(ground, "agent/w", 0755, 0);
	CHECK(place(ground, "~/l", "w") == LINK_CREATED);
	CHECK(look(ground, "agent/w").st_uid == 0);
	/* Root's folder is not the stranger's to make things in, so neither is it ours as him. */
	CHECK(place(ground, "~/m", "w/x") == LINK_CREATED);
	CHECK(look(ground, "agent/w/x").st_uid == 0);
}

static void a_folder_that_is_there_keeps_its_owner(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(no_owner_is_changed);
}

static void closed_folder(const struct ground *ground)
{
	give_agent_away(ground);
	make_folder(ground, "agent/closed", 0555, STRANGER);
	CHECK(place(ground, "~/l", "closed/w") == LINK_ERROR);
}

static void root_makes_nothing_where_the_owner_could_not(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(closed_folder);
}

/* ---- parents of `from` ---- */

static void strangers_parent(const struct ground *ground)
{
	AUTO_FREE char *in_it = ground_path(ground, "theirs/l");
	AUTO_FREE char *below = ground_path(ground, "theirs/mine/l");

	make_folder(ground, "theirs", 0755, STRANGER);
	make_folder(ground, "theirs/mine", 0755, 0);
	CHECK(place(ground, in_it, "w") == LINK_PARENT_WRITABLE);
	CHECK(place(ground, below, "w") == LINK_PARENT_WRITABLE);
}

static void a_parent_of_from_that_belongs_to_a_stranger_is_refused(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(strangers_parent);
}

static void strangers_link(const struct ground *ground)
{
	AUTO_FREE char *link = ground_path(ground, "tmp/l");
	AUTO_FREE char *target = ground_path(ground, "agent/w");

	make_folder(ground, "tmp", 01777, 0);
	CHECK(symlink(target, link) == 0);
	CHECK(place(ground, link, "w") == LINK_UNCHANGED);
	CHECK(lchown(link, STRANGER, STRANGER) == 0);
	CHECK(place(ground, link, "w") == LINK_FOREIGN_LINK);
	CHECK(place(ground, link, "other") == LINK_FOREIGN_LINK);
	CHECK(look(ground, "tmp/l").st_uid == STRANGER);
}

static void a_strangers_link_in_a_sticky_folder_is_the_strangers(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(strangers_link);
}

static void agent_elsewhere(const struct ground *ground)
{
	AUTO_FREE char *path = ground_path(ground, "elsewhere/l");
	AUTO_FREE char *below = ground_path(ground, "elsewhere/a/l");
	AUTO_LINKS struct links_report report = {};

	own_mounts();
	make_folder(ground, "elsewhere", 0755, 0);
	bind(ground, "agent", "elsewhere");
	CHECK(place(ground, path, "w") == LINK_FROM_IN_AGENT);
	report = place_as(ground, NULL, below, "w", false);
	CHECK(report.links[0].code == LINK_FROM_IN_AGENT);
	CHECK(strstr(report.links[0].detail, "/elsewhere is the agent folder"));
}

static void from_in_the_agent_folder_is_noticed_under_another_path(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(agent_elsewhere);
}

static void forbidden_elsewhere(const struct ground *ground)
{
	AUTO_LINKS struct links_report report = {};

	own_mounts();
	make_folder(ground, "agent/.git", 0755, 0);
	make_folder(ground, "agent/innocent", 0755, 0);
	CHECK(place(ground, "~/l", "innocent") == LINK_CREATED);
	bind(ground, "agent/.git", "agent/innocent");
	CHECK(place(ground, "~/l", "innocent") == LINK_TO_FORBIDDEN);
	report = place_as(ground, NULL, "~/m", "innocent/hooks", false);
	CHECK(report.links[0].code == LINK_TO_FORBIDDEN);
	CHECK(strcmp(report.links[0].detail, "innocent is the same folder as .git") == 0);
}

static void a_forbidden_folder_is_noticed_under_another_name(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(forbidden_elsewhere);
}

/* ---- HOME ---- */

static void arbitrary_user(const struct ground *ground)
{
	AUTO_FREE char *mine = ground_path(ground, "mine");

	make_folder(ground, "mine", 0755, 1000);
	make_folder(ground, "agent/w", 0755, 1000);
	become(1000);
	{
		AUTO_LINKS struct links_report at_root = place_as(ground, "/", "~/l", "w", false);
		AUTO_LINKS struct links_report at_home = place_as(ground, mine, "~/l", "w", false);

		CHECK(at_root.links[0].code == LINK_HOME_UNUSABLE);
		CHECK(strstr(at_root.links[0].detail, "HOME is \"/\""));
		CHECK(strstr(at_root.links[0].detail, "\"home\" in [agent]"));
		CHECK(at_home.links[0].code == LINK_CREATED);
	}
}

static void an_arbitrary_user_with_home_at_the_root_needs_home_to_be_set(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(arbitrary_user);
}

static void strangers_home(const struct ground *ground)
{
	AUTO_FREE char *path = ground_path(ground, "theirs");
	AUTO_LINKS struct links_report report = {};

	make_folder(ground, "theirs", 0755, STRANGER);
	report = place_as(ground, path, "~/l", "w", false);
	CHECK(report.links[0].code == LINK_HOME_UNUSABLE);
	CHECK(strstr(report.links[0].detail, "belongs to uid 12345"));
}

static void a_strangers_home_is_not_used(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(strangers_home);
}

/* ---- read-only ---- */

static void read_only(const struct ground *ground)
{
	AUTO_FREE char *home = ground_path(ground, "home");

	own_mounts();
	CHECK(place(ground, "~/there", "w") == LINK_CREATED);
	CHECK(place(ground, "~/old", "w") == LINK_CREATED);
	CHECK(mount(home, home, NULL, MS_BIND, NULL) == 0);
	CHECK(mount(NULL, home, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0);
	for (int dry_run = 0; dry_run < 2; dry_run++) {
		AUTO_LINKS struct links_report there =
			place_as(ground, NULL, "~/there", "w", dry_run);
		AUTO_LINKS struct links_report new = place_as(ground, NULL, "~/new", "w", dry_run);
		AUTO_LINKS struct links_report old =
			place_as(ground, NULL, "~/old", "other", dry_run);
		AUTO_LINKS struct links_report deep = place_as(ground, NULL, "~/a/b", "w", dry_run);

		CHECK(there.links[0].code == LINK_UNCHANGED);
		CHECK(new.links[0].code == LINK_ERROR);
		CHECK(old.links[0].code == LINK_ERROR);
		CHECK(deep.links[0].code == LINK_ERROR);
		CHECK(strstr(new.links[0].detail, "Read-only file system"));
		CHECK(strstr(old.links[0].detail, "Read-only file system"));
		CHECK(strstr(deep.links[0].detail, "Read-only file system"));
	}
}

static void on_a_read_only_root_right_links_are_unchanged_and_others_fail_cleanly(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(read_only);
}

static void read_only_agent(const struct ground *ground)
{
	AUTO_FREE char *agent = ground_path(ground, "agent");

	own_mounts();
	make_folder(ground, "agent/there", 0755, 0);
	CHECK(mount(agent, agent, NULL, MS_BIND, NULL) == 0);
	CHECK(mount(NULL, agent, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0);
	for (int dry_run = 1; dry_run >= 0; dry_run--) {
		AUTO_LINKS struct links_report there =
			place_as(ground, NULL, "~/a", "there", dry_run);
		AUTO_LINKS struct links_report new = place_as(ground, NULL, "~/b", "new", dry_run);

		CHECK(there.links[0].code == LINK_CREATED);
		CHECK(new.links[0].code == LINK_ERROR);
		CHECK(strstr(new.links[0].detail, "Read-only file system"));
	}
}

static void a_read_only_agent_folder_takes_links_to_what_is_there(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(read_only_agent);
}

/* ---- layers ---- */

static void lower_layer(const struct ground *ground)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *link = ground_path(ground, "home/l");
	AUTO_FREE char *file = ground_path(ground, "home/f");
	AUTO_FREE char *old = ground_path(ground, "agent/old");
	AUTO_FREE char *new = ground_path(ground, "agent/w");
	AUTO_TEXT struct text options = {};
	char says[4096] = "";

	own_mounts();
	/* An upper layer cannot lie on an overlay, which /tmp is in a container. */
	CHECK(mount("tmpfs", home, "tmpfs", 0, "mode=755") == 0);
	make_folder(ground, "home/lower", 0755, 0);
	make_folder(ground, "home/upper", 0755, 0);
	make_folder(ground, "home/work", 0755, 0);
	{
		AUTO_FREE char *lower_link = ground_path(ground, "home/lower/l");
		AUTO_FREE char *lower_file = ground_path(ground, "home/lower/f");

		CHECK(symlink(old, lower_link) == 0);
		CHECK(symlink(new, lower_file) == 0);
	}
	text_add(&options, "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", home, home, home);
	if (mount("overlay", home, "overlay", 0, options.data) < 0)
		_exit(77);
	CHECK(place(ground, "~/l", "w") == LINK_REPLACED);
	CHECK(readlink(link, says, sizeof(says) - 1) > 0 && strcmp(says, new) == 0);
	CHECK(place(ground, "~/l", "w") == LINK_UNCHANGED);
	CHECK(place(ground, "~/f", "w") == LINK_UNCHANGED);
	CHECK(unlink(file) == 0);
	CHECK(place(ground, "~/f", "w") == LINK_CREATED);
}

static void a_link_of_a_lower_layer_is_replaced(void **state)
{
	(void)state;
	skip_unless_root();
	in_a_child(lower_layer);
}

/* ---- both sources ---- */

/* [{"from":"~/.a","to":"env"},{"from":"~/.c","to":"env"}] */
static const char two_of_the_environment[] =
	"W3siZnJvbSI6In4vLmEiLCJ0byI6ImVudiJ9LHsiZnJvbSI6In4vLmMiLCJ0byI6ImVudiJ9XQ==";

static void both_sources(const struct ground *ground)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	AUTO_FREE char *target = ground_path(ground, "agent/env");
	static const struct link_entry configured[] = { { "~/.a", "ini-a" },
							{ "~/.b", "ini-b1" },
							{ "~/./.a", "ini-a2" },
							{ "~/.b", "ini-b2" } };
	struct links_request request = { .value = two_of_the_environment,
					 .configured = configured,
					 .n_configured = 4,
					 .agent_dir = agent,
					 .home = home };
	AUTO_LINKS struct links_report report = {};

	CHECK(links_place(&request, &report, NULL) == 0);
	CHECK(report.n_links == 4 && report.created == 3 && report.refused == 1);
	CHECK(strcmp(report.links[0].to, "ini-b1") == 0);
	CHECK(report.links[0].code == LINK_DUPLICATE_FROM);
	CHECK(strcmp(report.links[1].to, "ini-b2") == 0);
	CHECK(strcmp(report.links[2].from, "~/.a") == 0);
	CHECK(strcmp(report.links[2].target, target) == 0);
}

static void an_entry_of_the_environment_replaces_the_inis_silently(void **state)
{
	(void)state;
	in_a_child(both_sources);
}

static void unreadable_environment(const struct ground *ground)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	static const struct link_entry configured = { "~/.a", "w" };
	struct links_request request = { .value = "!",
					 .configured = &configured,
					 .n_configured = 1,
					 .agent_dir = agent,
					 .home = home };
	AUTO_LINKS struct links_report report = {};

	CHECK(links_place(&request, &report, NULL) == 0);
	CHECK(report.code == LINK_ENV_BAD_BASE64 && report.created == 1);
}

static void an_unreadable_environment_leaves_the_inis_links(void **state)
{
	(void)state;
	in_a_child(unreadable_environment);
}

static void own_binary(const struct ground *ground)
{
	AUTO_FREE char *home = ground_path(ground, "home");
	AUTO_FREE char *agent = ground_path(ground, "agent");
	AUTO_FREE char *self = ground_path(ground, "home/opt/bin/typeclaw-init");
	static const struct link_entry configured[] = {
		{ "~/opt", "w" }, { "~/opt/bin", "w" }, { "~/opt/bin/x", "w" }, { "~/op", "w" }
	};
	struct links_request request = { .configured = configured,
					 .n_configured = 4,
					 .agent_dir = agent,
					 .home = home,
					 .self = self };
	AUTO_LINKS struct links_report report = {};

	CHECK(links_place(&request, &report, NULL) == 0);
	CHECK(report.links[0].code == LINK_FROM_SYSTEM_ROOT);
	CHECK(report.links[1].code == LINK_FROM_SYSTEM_ROOT);
	CHECK(report.links[2].code == LINK_CREATED && report.links[3].code == LINK_CREATED);
}

static void nothing_above_this_binary_becomes_a_link(void **state)
{
	(void)state;
	in_a_child(own_binary);
}

/* jansson would open /dev/urandom for its hash, without CLOEXEC. */
static void without_files(const struct ground *ground)
{
	static const struct link_entry nothing;
	struct call_rules rules = {};
	struct links_request request = { .value = two_of_the_environment,
					 .configured = &nothing,
					 .agent_dir = "relative",
					 .home = ground->root };
	AUTO_LINKS struct links_report report = {};

	CHECK(calls_parse("openat=EMFILE", &rules));
	CHECK(calls_install(&rules, false, -1) == 0);
	CHECK(links_place(&request, &report, NULL) == 0);
	CHECK(report.code == LINK_NONE && report.n_links == 2);
}

static void reading_the_value_opens_no_file(void **state)
{
	(void)state;
	in_a_child(without_files);
}

static void every_code_has_a_word_of_its_own(void **state)
{
	(void)state;
	for (int i = LINK_NONE; i <= LINK_ENV_TOO_LONG; i++) {
		assert_true(strlen(link_code_name(i)) > 2);
		for (int j = LINK_NONE; j < i; j++)
			assert_string_not_equal(link_code_name(i), link_code_name(j));
	}
	assert_string_equal(link_code_name(LINK_ENV_TOO_LONG + 1), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_folders_are_0700_under_home_and_0755_elsewhere),
		cmocka_unit_test(below_the_agent_folder_made_folders_belong_to_their_parents_owner),
		cmocka_unit_test(a_parents_group_is_taken_too),
		cmocka_unit_test(making_a_folder_as_its_owner_leaves_this_process_as_it_was),
		cmocka_unit_test(who_cannot_be_the_owner_makes_folders_as_himself),
		cmocka_unit_test(a_folder_that_is_there_keeps_its_owner),
		cmocka_unit_test(root_makes_nothing_where_the_owner_could_not),
		cmocka_unit_test(a_parent_of_from_that_belongs_to_a_stranger_is_refused),
		cmocka_unit_test(a_strangers_link_in_a_sticky_folder_is_the_strangers),
		cmocka_unit_test(from_in_the_agent_folder_is_noticed_under_another_path),
		cmocka_unit_test(a_forbidden_folder_is_noticed_under_another_name),
		cmocka_unit_test(an_arbitrary_user_with_home_at_the_root_needs_home_to_be_set),
		cmocka_unit_test(a_strangers_home_is_not_used),
		cmocka_unit_test(
			on_a_read_only_root_right_links_are_unchanged_and_others_fail_cleanly),
		cmocka_unit_test(a_read_only_agent_folder_takes_links_to_what_is_there),
		cmocka_unit_test(a_link_of_a_lower_layer_is_replaced),
		cmocka_unit_test(an_entry_of_the_environment_replaces_the_inis_silently),
		cmocka_unit_test(an_unreadable_environment_leaves_the_inis_links),
		cmocka_unit_test(nothing_above_this_binary_becomes_a_link),
		cmocka_unit_test(reading_the_value_opens_no_file),
		cmocka_unit_test(every_code_has_a_word_of_its_own),
	};

	return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
