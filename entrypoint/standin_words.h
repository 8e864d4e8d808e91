/*
 * standin_words: the command lines and the texts of the programs that we stand in for, as they
 * document them.  Tables only; standin.c reads and acts.
 */
#pragma once

#include <stddef.h>

enum standin_program {
	STANDIN_TINI = 1 << 0,
	STANDIN_DUMB_INIT = 1 << 1,
	STANDIN_CATATONIT = 1 << 2,
};

enum standin_meaning {
	MEANS_HELP,
	MEANS_VERSION,
	MEANS_LICENSE,
	MEANS_SUBREAPER,
	MEANS_PARENT_DEATH, /* takes a signal */
	MEANS_VERBOSE,
	MEANS_WARN_ON_REAP,
	MEANS_GROUP,
	MEANS_SINGLE_CHILD,
	MEANS_EXIT_OK, /* takes a status */
	MEANS_REWRITE, /* takes FROM:TO */
	MEANS_PAUSE,
};

struct standin_option {
	unsigned int programs; /* bits of enum standin_program */
	char letter;           /* 0: none */
	const char *name;      /* without the dashes; NULL: none */
	int takes_value;
	enum standin_meaning meaning;
};

extern const struct standin_option standin_options[];
extern const size_t standin_option_count;

struct standin {
	const char *name; /* the name of ours that calls for it */
	enum standin_program program;
	const char *version;
	int version_fd;
	const char *help;
	int help_fd;
	const char *usage;     /* said after a command line that makes no sense; may be "" */
	const char *missing;   /* said when there is no program to run */
	int not_found_status;  /* of a program that is not there */
	int not_usable_status; /* of one that cannot be executed */
};

extern const struct standin standin_table[];
extern const size_t standin_count;
