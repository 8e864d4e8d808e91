/* standin_words: see standin_words.h. */
#include "entrypoint/standin_words.h"

#include "init/own.h"

const struct standin_option standin_options[] = {
	{ STANDIN_TINI, 'h', NULL, 0, MEANS_HELP },
	{ STANDIN_TINI, 0, "version", 0, MEANS_VERSION },
	{ STANDIN_TINI, 'l', NULL, 0, MEANS_LICENSE },
	{ STANDIN_TINI, 's', NULL, 0, MEANS_SUBREAPER },
	{ STANDIN_TINI, 'p', NULL, 1, MEANS_PARENT_DEATH },
	{ STANDIN_TINI, 'v', NULL, 0, MEANS_VERBOSE },
	{ STANDIN_TINI, 'w', NULL, 0, MEANS_WARN_ON_REAP },
	{ STANDIN_TINI, 'g', NULL, 0, MEANS_GROUP },
	{ STANDIN_TINI, 'e', NULL, 1, MEANS_EXIT_OK },
	{ STANDIN_DUMB_INIT, 'h', "help", 0, MEANS_HELP },
	{ STANDIN_DUMB_INIT, 'V', "version", 0, MEANS_VERSION },
	{ STANDIN_DUMB_INIT, 'v', "verbose", 0, MEANS_VERBOSE },
	{ STANDIN_DUMB_INIT, 'c', "single-child", 0, MEANS_SINGLE_CHILD },
	{ STANDIN_DUMB_INIT, 'r', "rewrite", 1, MEANS_REWRITE },
	{ STANDIN_CATATONIT, 'h', NULL, 0, MEANS_HELP },
	{ STANDIN_CATATONIT, 'V', "version", 0, MEANS_VERSION },
	{ STANDIN_CATATONIT, 'L', NULL, 0, MEANS_LICENSE },
	{ STANDIN_CATATONIT, 'g', NULL, 0, MEANS_GROUP },
	{ STANDIN_CATATONIT, 'P', NULL, 0, MEANS_PAUSE },
};
const size_t standin_option_count = ARRAY_SIZE(standin_options);

/* tini 0.19.0, to the letter: its version line is what engines parse. */
static const char tini_version[] = "tini version 0.19.0\n";
static const char tini_help[] =
	"tini (tini version 0.19.0)\n"
	"Usage: tini [OPTIONS] PROGRAM -- [ARGS] | --version\n\n"
	"Execute a program under the supervision of a valid init process (tini)\n\n"
	"Command line options:\n\n"
	"  --version: Show version and exit.\n"
	"  -h: Show this help message and exit.\n"
	"  -s: Register as a process subreaper (requires Linux >= 3.4).\n"
	"  -p SIGNAL: Trigger SIGNAL when parent dies, e.g. \"-p SIGKILL\".\n"
	"  -v: Generate more verbose output. Repeat up to 3 times.\n"
	"  -w: Print a warning when processes are getting reaped.\n"
	"  -g: Send signals to the child's process group.\n"
	"  -e EXIT_CODE: Remap EXIT_CODE (from 0 to 255) to 0.\n"
	"  -l: Show license and exit.\n\n"
	"Environment variables:\n\n"
	"  TINI_SUBREAPER: Register as a process subreaper (requires Linux >= 3.4).\n"
	"  TINI_VERBOSITY: Set the verbosity level (default: 1).\n"
	"  TINI_KILL_PROCESS_GROUP: Send signals to the child's process group.\n\n";

/* dumb-init 1.2.5; all of it on stderr, as there. */
static const char dumb_init_version[] = "dumb-init v1.2.5\n";
static const char dumb_init_help[] =
	"dumb-init v1.2.5\n"
	"Usage: dumb-init [option] command [[arg] ...]\n\n"
	"dumb-init is a simple process supervisor that forwards signals to children.\n"
	"It is designed to run as PID1 in minimal container environments.\n\n"
	"Optional arguments:\n"
	"   -c, --single-child   Run in single-child mode.\n"
	"                        In this mode, signals are only proxied to the\n"
	"                        direct child and not any of its descendants.\n"
	"   -r, --rewrite s:r    Rewrite received signal s to new signal r before proxying.\n"
	"                        To ignore (not proxy) a signal, rewrite it to 0.\n"
	"                        This option can be specified multiple times.\n"
	"   -v, --verbose        Print debugging information to stderr.\n"
	"   -h, --help           Print this help message and exit.\n"
	"   -V, --version        Print the current version and exit.\n\n"
	"Full help is available online at https://github.com/Yelp/dumb-init\n";
static const char dumb_init_missing[] = "Usage: dumb-init [option] program [args]\n"
					"Try dumb-init --help for full usage.\n";

/* catatonit 0.1.7, which calls itself a tini to those who parse it. */
#define CATATONIT_USAGE "usage: catatonit [-ghLPV] [--] <progname> [<arguments>...]\n"
static const char catatonit_version[] = "tini version 0.1.7_catatonit\n";
static const char catatonit_help[] = CATATONIT_USAGE
	"\noptions:\n"
	"  -g              Forward signals to pid1's process group.\n"
	"  -h              Print this help page.\n"
	"  -L              Print license information.\n"
	"  -P              Run in pause mode (no program is run and quit on SIGINT).\n"
	"  -V, --version   Print version information.\n\n"
	"The source code can be found at <https://github.com/openSUSE/catatonit/>.\n"
	"For bug reporting instructions, please see: <https://bugs.opensuse.org/>.\n";

#define TINI(name)                                                                                \
	{                                                                                         \
		name, STANDIN_TINI, tini_version, 1, tini_help, 1, tini_help, tini_help, 127, 126 \
	}
#define CATATONIT(name)                                                                            \
	{                                                                                          \
		name, STANDIN_CATATONIT, catatonit_version, 1, catatonit_help, 2, CATATONIT_USAGE, \
			CATATONIT_USAGE, 1, 1                                                      \
	}

const struct standin standin_table[] = {
	TINI("tini"),
	TINI("tini-static"),
	TINI("docker-init"),
	CATATONIT("catatonit"),
	CATATONIT("podman-init"),
	{ "dumb-init", STANDIN_DUMB_INIT, dumb_init_version, 2, dumb_init_help, 2, "",
	  dumb_init_missing, 2, 2 },
};
const size_t standin_count = ARRAY_SIZE(standin_table);
