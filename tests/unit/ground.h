/*
 * ground: a fresh folder that the cases of a vector file are set up in, `agent` in it, and the
 * file itself as JSON.  For unit tests only; include it after cmocka.h.
 */
#pragma once

#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/own.h"
#include "init/text.h"

struct ground {
	char root[64];
	char agent[80];
};

static inline json_t *vectors_load(const char *path)
{
	json_error_t error;
	json_t *vectors = json_load_file(path, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

	if (!vectors)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	assert_true(json_array_size(json_object_get(vectors, "cases")) > 0);
	return vectors;
}

/* Runs `check` on every case of the file. */
static inline void vectors_run(const char *path, void (*check)(const json_t *vector))
{
	json_t *vectors = vectors_load(path);
	const json_t *vector;
	size_t i;

	json_array_foreach(json_object_get(vectors, "cases"), i, vector) check(vector);
	json_decref(vectors);
}

static inline const char *string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* `$ROOT` is the ground's path; the caller frees the result. */
static inline char *ground_expand(const struct ground *ground, const char *string)
{
	struct text t = {};

	text_add(&t, "%s", "");
	while (*string) {
		if (strncmp(string, "$ROOT", 5) == 0) {
			text_add(&t, "%s", ground->root);
			string += 5;
		} else {
			text_add_bytes(&t, string++, 1);
		}
	}
	return text_take(&t);
}

static inline void ground_begin(struct ground *ground)
{
	(void)snprintf(ground->root, sizeof(ground->root), "/tmp/typeclaw-ground.XXXXXX");
	assert_non_null(mkdtemp(ground->root));
	(void)snprintf(ground->agent, sizeof(ground->agent), "%s/agent", ground->root);
	assert_int_equal(mkdir(ground->agent, 0755), 0);
}

static inline int ground_remove_one(const char *path, const struct stat *status, int kind,
				    struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

static inline void ground_end(const struct ground *ground)
{
	assert_int_equal(nftw(ground->root, ground_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void ground_make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

static inline void ground_write(const char *path, const char *content)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static inline void ground_make_one(const struct ground *ground, const json_t *step)
{
	const char *op = string_of(step, "op");
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", ground->root, string_of(step, "path"));
	ground_make_parents(path);
	if (strcmp(op, "dir") == 0) {
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
	} else if (strcmp(op, "file") == 0) {
		ground_write(path, string_of(step, "content"));
	} else if (strcmp(op, "symlink") == 0) {
		AUTO_FREE char *target = ground_expand(ground, string_of(step, "target"));

		assert_int_equal(symlink(target, path), 0);
	} else if (strcmp(op, "fifo") == 0) {
		assert_int_equal(mkfifo(path, 0600), 0);
	} else if (strcmp(op, "files") == 0) { /* as many as `count` says, in a folder */
		for (json_int_t i = 0; i < json_integer_value(json_object_get(step, "count"));
		     i++) {
			char name[600];

			(void)snprintf(name, sizeof(name), "%s%d", path, (int)i);
			ground_write(name, "");
		}
	} else {
		fail_msg("unknown op %s", op);
	}
}

static inline void ground_make(const struct ground *ground, const json_t *steps)
{
	const json_t *step;
	size_t i;

	json_array_foreach(steps, i, step) ground_make_one(ground, step);
}
