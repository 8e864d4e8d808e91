/*
 * host: further facts of this container and of the host below it, for the boot diagnostics: who
 * runs it, which policies are on, what of /proc is covered, where the agent folder comes from.
 *
 * Read below a prefix directory, so that a snapshot of another host can be replayed.  What could
 * not be read stays zero ("unknown").  No value of anybody's environment is kept, nor an argv.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "init/fault.h"

#define HOST_WORD_MAX 128

enum host_engine {
	ENGINE_UNKNOWN,
	ENGINE_NONE, /* no container at all */
	ENGINE_DOCKER,
	ENGINE_PODMAN,
	ENGINE_CONTAINERD,
	ENGINE_CRIO,
};

/* Numbers of /proc/sys, of the cgroup and of the kernel. */
enum host_number {
	HOST_APPARMOR_USERNS, /* kernel.apparmor_restrict_unprivileged_userns, Ubuntu 23.10 */
	HOST_USERNS_CLONE,    /* kernel.unprivileged_userns_clone, Debian and Arch */
	HOST_YAMA,            /* kernel.yama.ptrace_scope */
	HOST_PIDS_MAX,        /* unknown when there is no limit */
	HOST_PIDS_CURRENT,
	HOST_LANDLOCK, /* ABI version; 0: switched off */
	HOST_NUMBERS,
};

struct host_value {
	bool known;
	uint64_t value;
};

/* One of uid_map and gid_map, user_namespaces(7): its first row, and how many there are. */
struct host_id_map {
	uint64_t inside, outside, count;
	unsigned int rows; /* 0: unknown */
};

/* Which module spoke in /proc/self/attr/current; the text is escaped. */
enum host_lsm { LSM_UNKNOWN, LSM_NONE, LSM_APPARMOR, LSM_SELINUX };

/* What is mounted over /proc. */
struct host_proc {
	bool known;
	bool read_only;         /* /proc itself */
	unsigned int masked;    /* entries covered by something else */
	unsigned int protected; /* entries mounted read-only on themselves */
	bool sys_writable;      /* /proc/sys is not read-only */
	unsigned int hidepid;   /* 0, 1, 2, 4: proc(5) */
};

struct host_agent {
	bool looked; /* false: could not tell */
	bool directory;
	bool mount_point;
	bool read_only;
	uid_t uid;
	gid_t gid;
	mode_t mode;
	char type[32]; /* of its file system, escaped */
};

/* /proc/1/environ, as we may read it. */
enum host_environ { ENVIRON_UNKNOWN, ENVIRON_CLOSED, ENVIRON_EMPTY, ENVIRON_OPEN };

struct host_facts {
	enum host_engine engine;
	bool kubernetes;
	bool gvisor;
	bool orbstack;
	bool sysbox; /* Docker Desktop's Enhanced Container Isolation is built on it */
	char kernel[HOST_WORD_MAX];
	struct host_value numbers[HOST_NUMBERS];
	struct host_id_map uid_map, gid_map;
	enum host_lsm lsm;
	char lsm_label[HOST_WORD_MAX];
	struct host_proc proc;
	bool host_pids;     /* the host's own PID namespace: its kernel threads are seen */
	char root_type[32]; /* file system of /, escaped; "" unknown */
	bool root_read_only;
	unsigned int cgroup_version; /* 1, 2; 0 unknown */
	char init_name[64];          /* comm of PID 1, escaped; "" unknown */
	bool init_has_tty;           /* it has a controlling terminal */
	enum host_environ init_environ;
	struct host_agent agent;
};

/*
 * `root`: a directory descriptor, of "/" for this host.  `live`: it is this host, so that the
 * kernel may be asked what no file says (a snapshot keeps that in snapshot/).  0; -errno only
 * for out of memory.
 */
int host_read(int root, bool live, const char *agent_dir, struct host_facts *ret, struct fault *f);

const char *host_engine_name(enum host_engine engine); /* docker, ..., none, unknown */
const char *host_lsm_name(enum host_lsm lsm);

/* AppArmor confines us: a label, and another than "unconfined". */
bool host_apparmor_confined(const struct host_facts *host);

/* SELinux runs us in a container's domain, not in spc_t or unconfined_t. */
bool host_selinux_confined(const struct host_facts *host);

/* The pure parsers, each of a whole file's text, which mountinfo's takes apart. */
int host_parse_mountinfo(char *text, const char *agent_dir, struct host_facts *ret);
int host_parse_id_map(const char *text, struct host_id_map *ret);
void host_parse_label(const char *text, struct host_facts *ret);
