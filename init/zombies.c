/* zombies: see zombies.h. */
#include "init/zombies.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "init/file.h"
#include "init/own.h"
#include "init/text.h"

#define STAT_MAX 4096

/* The name stands in parentheses and may hold any byte, parentheses too: the last one ends it. */
struct process_stat {
	char *name;
	size_t name_length;
	char state;
	pid_t parent;
	long threads;
};

static void own_closedir(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory);
}

/* The number that is word `n` of `text`, counted from 0; -1 when there is none. */
static long stat_number(const char *text, int n)
{
	char digits[20];
	uint64_t number;
	size_t length;

	text += strspn(text, " ");
	while (n-- > 0) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	length = strcspn(text, " \n");
	if (length >= sizeof(digits))
		return -1;
	memcpy(digits, text, length);
	digits[length] = '\0';
	return number_parse(digits, 0, INT32_MAX, &number) < 0 ? -1 : (long)number;
}

/* Fields 3 (state), 4 (parent) and 20 (threads) of proc_pid_stat(5). */
static bool stat_parse(char *text, struct process_stat *ret)
{
	char *opening = strchr(text, '(');
	char *closing = strrchr(text, ')');

	if (!opening || !closing || closing < opening || closing[1] != ' ')
		return false;
	ret->name = opening + 1;
	ret->name_length = (size_t)(closing - opening - 1);
	ret->state = closing[2];
	ret->parent = (pid_t)stat_number(closing + 1, 1);
	ret->threads = stat_number(closing + 1, 17);
	return ret->parent >= 0 && ret->threads >= 0;
}

static bool stat_read(int proc, const char *pid, char **ret_text, struct process_stat *ret)
{
	char path[32];

	if (snprintf(path, sizeof(path), "%s/stat", pid) >= (int)sizeof(path) ||
	    file_slurp(proc, path, STAT_MAX, ret_text, NULL) < 0)
		return false;
	return stat_parse(*ret_text, ret);
}

/* A text of which nothing is cut within an escape: what does not fit whole is shown as "?". */
static void zombies_name_parent(int proc, struct zombie_parent *parent)
{
	AUTO_FREE char *text = NULL;
	AUTO_TEXT struct text name = { .limit = sizeof(parent->name) - 1 };
	struct process_stat stat;
	char pid[16];

	parent->name[0] = '?';
	(void)snprintf(pid, sizeof(pid), "%d", parent->pid);
	if (!stat_read(proc, pid, &text, &stat))
		return;
	text_escape(&name, stat.name, stat.name_length);
	if (text_error(&name) == 0)
		memcpy(parent->name, name.data, name.length + 1);
}

static void zombies_count(int proc, struct zombies *zombies, pid_t pid)
{
	struct zombie_parent *parent = zombies->parents;
	struct zombie_parent *end = parent + zombies->n_parents;

	zombies->total++;
	while (parent < end && parent->pid != pid)
		parent++;
	if (parent == end) {
		if (zombies->n_parents == ZOMBIE_PARENTS_MAX)
			return;
		zombies->n_parents++;
		*parent = (struct zombie_parent){ .pid = pid };
		zombies_name_parent(proc, parent);
	}
	parent->zombies++;
}

int zombies_find(int root, pid_t except, struct zombies *ret, struct fault *f)
{
	AUTO_CLOSE int fd = openat(root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory __attribute__((cleanup(own_closedir))) = NULL;
	struct zombies zombies = {};
	struct dirent *entry;
	int proc = fd;

	if (fd >= 0)
		directory = fdopendir(fd);
	if (!directory)
		return fault_set(f, -errno, "list the processes of /proc");
	(void)fd_take(&fd);
	while ((entry = readdir(directory))) {
		AUTO_FREE char *text = NULL;
		struct process_stat stat;
		uint64_t pid;

		if (number_parse(entry->d_name, 1, INT32_MAX, &pid) < 0 ||
		    !stat_read(proc, entry->d_name, &text, &stat))
			continue;
		if (stat.state == 'Z' && stat.threads <= 1 && stat.parent > 0 &&
		    stat.parent != except)
			zombies_count(proc, &zombies, stat.parent);
	}
	*ret = zombies;
	return 0;
}
