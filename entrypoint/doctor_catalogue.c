/* doctor_catalogue: see doctor_catalogue.h.  Here the table; the search is doctor_match.c. */
#include "entrypoint/doctor_catalogue.h"

#include <errno.h>
#include <stddef.h>

#define COST_NONE "none"
#define COST_SCOPED                                                                            \
	"little: the default profile and the few calls that bwrap needs; `typeclaw-init plan " \
	"--seccomp scoped --seccomp-file seccomp.json` writes the file"
#define COST_UNCONFINED "no system call is filtered any more in this container"
#define COST_PROC_BIND "none: sandboxed tools see a read-only /proc"
#define COST_HOST "every program of the host is let do the same"
#define FIXES(...) ((const struct fix[]){ __VA_ARGS__, { NULL, NULL, NULL } })

static const struct fix seccomp_fixes[] = {
	{ "docker", "--security-opt seccomp=seccomp.json", COST_SCOPED },
	{ "docker", "--security-opt seccomp=unconfined", COST_UNCONFINED },
	{ "podman", "--security-opt seccomp=seccomp.json", COST_SCOPED },
	{ "podman", "--security-opt seccomp=unconfined", COST_UNCONFINED },
	{ "kubernetes", "seccompProfile: {type: Localhost, localhostProfile: seccomp.json}",
	  "little: the same file, on every node below /var/lib/kubelet/seccomp" },
	{ "kubernetes", "seccompProfile: {type: Unconfined}", COST_UNCONFINED },
	{},
};

static const struct fix apparmor_userns_fixes[] = {
	{ "host", "apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
	  "little: bwrap alone may make user namespaces (package apparmor-profiles; on some "
	  "releases the file waits in /usr/share/apparmor/extra-profiles)" },
	{ "host", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0", COST_HOST },
	{},
};

static const struct fix no_real_proc_fixes[] = {
	{ "config", "sandbox.real_proc = false", COST_PROC_BIND },
	{},
};

#define BIT(cause) (1U << (cause))
#define KERNEL_SAYS_NO                                                                          \
	(BIT(CAUSE_USERNS_BLOCKED) | BIT(CAUSE_MOUNT_BLOCKED) | BIT(CAUSE_PIVOT_ROOT_BLOCKED) | \
	 BIT(CAUSE_UMOUNT_BLOCKED) | BIT(CAUSE_UID_MAP_BLOCKED))

static const struct catalogue_row rows[CATALOGUE_COUNT] = {
	[CATALOGUE_GVISOR] = {
		.id = "E17-GVISOR",
		.tell = "the kernel of gVisor lacks a namespace operation that bwrap needs",
		.causes = KERNEL_SAYS_NO | BIT(CAUSE_MASKED_PROC),
		.needs = WHEN_GVISOR,
		.fixes = FIXES({ "docker", "--runtime runc", "gVisor's own kernel no longer stands "
							     "between the agent and the host" },
			       { "kubernetes", "runtimeClassName: kata", "none: a virtual machine "
									 "instead of gVisor" }),
		.patterns = { "cannot open /proc/sys/user/max_user_namespaces",
			      "bwrap: *Function not implemented" },
	},
	[CATALOGUE_ECI] = {
		.id = "E19-ECI",
		.tell = "Enhanced Container Isolation vets mounts and emulates parts of /proc",
		.causes = BIT(CAUSE_MOUNT_BLOCKED) | BIT(CAUSE_MASKED_PROC),
		.needs = WHEN_SYSBOX,
		.fixes = no_real_proc_fixes,
		.patterns = { "mount: *permission denied" },
	},
	[CATALOGUE_ORBSTACK] = {
		.id = "E18-ORBSTACK-USERNS",
		.tell = "this OrbStack machine refuses user namespaces",
		.causes = BIT(CAUSE_USERNS_BLOCKED),
		.needs = WHEN_ORBSTACK,
		.fixes = FIXES({ "docker", "--security-opt seccomp=unconfined", COST_UNCONFINED },
			       { "host", "update OrbStack, then make the machine anew", COST_NONE }),
		.patterns = { "unshare: unshare failed: Operation not permitted" },
	},
	[CATALOGUE_SYSCTL_CLONE] = {
		.id = "E09-SYSCTL-CLONE",
		.tell = "the host's sysctl kernel.unprivileged_userns_clone is 0",
		.causes = BIT(CAUSE_USERNS_BLOCKED),
		.needs = WHEN_NO_FILTER | WHEN_USERNS_CLONE_OFF,
		.fixes = FIXES({ "host", "sysctl -w kernel.unprivileged_userns_clone=1", COST_HOST }),
		.patterns = { "bwrap: No permissions to create" },
	},
	[CATALOGUE_MAX_USERNS] = {
		.id = "E10-MAX-USERNS",
		.tell = "the limit of user namespaces (user.max_user_namespaces) is reached",
		.causes = BIT(CAUSE_USERNS_LIMIT),
		.fixes = FIXES({ "host", "sysctl -w user.max_user_namespaces=28633", COST_HOST }),
		.patterns = { "Creating new namespace failed: nesting depth or "
			      "/proc/sys/user/max_*_namespaces exceeded",
			      "No space left on device" },
	},
	[CATALOGUE_CAPDROP_SETFCAP] = {
		.id = "E11-CAPDROP-SETFCAP",
		.tell = "root without CAP_SETFCAP may not map itself (since Linux 5.12)",
		.causes = BIT(CAUSE_UID_MAP_BLOCKED),
		.error = EPERM,
		.needs = WHEN_ROOT | WHEN_NO_SETFCAP,
		.fixes = FIXES({ "docker", "--user 1000:1000", "none, where the agent's files are "
							       "that user's" },
			       { "docker", "--cap-add SETFCAP", "root here may set file capabilities" },
			       { "podman", "--user 1000:1000", "none, where the agent's files are "
							       "that user's" },
			       { "podman", "--cap-add SETFCAP", "root here may set file capabilities" },
			       { "kubernetes", "runAsUser: 1000", "none, where the agent's files are "
								  "that user's" },
			       { "kubernetes", "capabilities: {add: [SETFCAP]}",
				 "root here may set file capabilities" }),
		.patterns = { "bwrap: setting up uid map: Operation not permitted" },
	},
	[CATALOGUE_HIDEPID] = {
		.id = "E25-HIDEPID",
		.tell = "/proc is mounted with hidepid: bwrap cannot write its child's uid map",
		.causes = BIT(CAUSE_UID_MAP_BLOCKED),
		.needs = WHEN_HIDEPID,
		.fixes = FIXES({ "host", "mount -o remount,hidepid=0 /proc",
				 "users see each other's processes again" },
			       { "host", "mount -o remount,hidepid=2,gid=GROUP /proc",
				 "little: that one group sees them" }),
		.patterns = { "setting up uid map: Operation not permitted" },
	},
	[CATALOGUE_SECCOMP_UNSHARE] = {
		.id = "E05-SECCOMP-UNSHARE",
		.tell = "the seccomp profile refuses unshare, which bwrap needs as another user "
			"than root",
		.needs = WHEN_FILTER,
		.fixes = seccomp_fixes,
		.patterns = { "bwrap: unshare user ns: Operation not permitted" },
	},
	[CATALOGUE_SECCOMP_CLONE] = {
		.id = "E01-SECCOMP-CLONE",
		.tell = "the container's seccomp profile refuses new user namespaces",
		.causes = BIT(CAUSE_USERNS_BLOCKED),
		.error = EPERM,
		.needs = WHEN_FILTER,
		.fixes = seccomp_fixes,
		.patterns = { "bwrap: No permissions to create {a ,}new namespace",
			      "bwrap: No permissions to creating new namespace" },
	},
	[CATALOGUE_SECCOMP_MOUNT] = {
		.id = "E02-SECCOMP-MOUNT",
		.tell = "the container's seccomp profile refuses mount",
		.causes = BIT(CAUSE_MOUNT_BLOCKED),
		.error = EPERM,
		.needs = WHEN_FILTER,
		.fixes = seccomp_fixes,
		.patterns = { "bwrap: Failed to make / slave: Operation not permitted" },
	},
	[CATALOGUE_SECCOMP_PIVOT] = {
		.id = "E03-SECCOMP-PIVOT",
		.tell = "the container's seccomp profile refuses pivot_root; CAP_SYS_ADMIN does not "
			"mend that",
		.causes = BIT(CAUSE_PIVOT_ROOT_BLOCKED),
		.error = EPERM,
		.needs = WHEN_FILTER,
		.fixes = seccomp_fixes,
		.patterns = { "bwrap: pivot_root: Operation not permitted" },
	},
	[CATALOGUE_SECCOMP_UMOUNT] = {
		.id = "E04-SECCOMP-UMOUNT",
		.tell = "the container's seccomp profile refuses umount2",
		.causes = BIT(CAUSE_UMOUNT_BLOCKED),
		.error = EPERM,
		.needs = WHEN_FILTER,
		.fixes = seccomp_fixes,
		.patterns = { "bwrap: unmount old root: Operation not permitted" },
	},
	[CATALOGUE_APPARMOR_USERNS] = {
		.id = "E07-APPARMOR-USERNS",
		.tell = "the host's AppArmor takes the capabilities from new user namespaces",
		.causes = KERNEL_SAYS_NO,
		.needs = WHEN_APPARMOR_USERNS,
		.fixes = apparmor_userns_fixes,
		.patterns = { "bwrap: setting up uid map: Permission denied",
			      "unshare: write failed /proc/self/uid_map: Operation not permitted" },
	},
	[CATALOGUE_APPARMOR_NET] = {
		.id = "E08-APPARMOR-NET",
		.tell = "the host's AppArmor refuses to set up the sandbox's loopback device",
		.needs = WHEN_APPARMOR_USERNS,
		.fixes = apparmor_userns_fixes,
		.patterns = { "bwrap: loopback: Failed RTM_NEW{ADDR,LINK}: Operation not permitted" },
	},
	[CATALOGUE_APPARMOR_MOUNT] = {
		.id = "E06-APPARMOR-MOUNT",
		.tell = "the container's AppArmor profile denies mount",
		.causes = BIT(CAUSE_MOUNT_BLOCKED) | BIT(CAUSE_PIVOT_ROOT_BLOCKED) |
			  BIT(CAUSE_UMOUNT_BLOCKED),
		.error = EACCES,
		.needs = WHEN_APPARMOR,
		.fixes = FIXES({ "docker", "--security-opt apparmor=unconfined",
				 "no AppArmor profile confines this container" },
			       { "podman", "--security-opt apparmor=unconfined",
				 "no AppArmor profile confines this container" },
			       { "kubernetes", "appArmorProfile: {type: Unconfined}",
				 "no AppArmor profile confines this container" }),
		.patterns = { "bwrap: Failed to make / slave: Permission denied",
			      "mount(*MS_REC|MS_PRIVATE*Permission denied" },
	},
	[CATALOGUE_SELINUX] = {
		.id = "E15-SELINUX",
		.tell = "SELinux (container_t) denies mounts in the container",
		.causes = BIT(CAUSE_MOUNT_BLOCKED) | BIT(CAUSE_PIVOT_ROOT_BLOCKED) |
			  BIT(CAUSE_UMOUNT_BLOCKED),
		.error = EACCES,
		.needs = WHEN_SELINUX,
		.fixes = FIXES({ "docker", "--security-opt label=type:container_engine_t",
				 "little: a domain for containers that make containers" },
			       { "docker", "--security-opt label=disable",
				 "SELinux no longer separates this container" },
			       { "podman", "--security-opt label=type:container_engine_t",
				 "little: a domain for containers that make containers" },
			       { "podman", "--security-opt label=disable",
				 "SELinux no longer separates this container" },
			       { "kubernetes", "seLinuxOptions: {type: container_engine_t}",
				 "little: a domain for containers that make containers" },
			       { "kubernetes", "seLinuxOptions: {type: spc_t}",
				 "SELinux no longer separates this container" }),
		.patterns = { "bwrap: Failed to mount tmpfs: Permission denied" },
	},
	[CATALOGUE_ROOTFS] = {
		.id = "E16-ROOTFS",
		.tell = "/ is a ramfs or a chroot, which pivot_root cannot leave",
		.causes = BIT(CAUSE_PIVOT_ROOT_BLOCKED),
		.error = EINVAL,
		.fixes = FIXES({ "host", "run the agent in a container with a root of its own",
				 COST_NONE }),
		.patterns = { "bwrap: pivot_root: Invalid argument" },
	},
	[CATALOGUE_REALPROC_MOUNT] = {
		.id = "E14-REALPROC-MOUNT",
		.tell = "CAP_SYS_ADMIN is held, but not over the host: a fresh /proc is refused",
		.causes = BIT(CAUSE_MASKED_PROC) | BIT(CAUSE_MOUNT_BLOCKED),
		.needs = WHEN_SYS_ADMIN | WHEN_CHILD_USERNS,
		.fixes = no_real_proc_fixes,
		.patterns = { "unshare: mount /proc failed: {Operation not permitted,Permission denied}" },
	},
	[CATALOGUE_REALPROC_NOCAP] = {
		.id = "E13-REALPROC-NOCAP",
		.tell = "real-proc was asked for, and CAP_SYS_ADMIN is not held",
		.causes = BIT(CAUSE_NO_SYS_ADMIN),
		.fixes = FIXES({ "config", "sandbox.real_proc = false", COST_PROC_BIND },
			       { "docker", "--cap-add SYS_ADMIN",
				 "Reduces security: root here can mount and reach the host's kernel" },
			       { "podman", "--cap-add SYS_ADMIN",
				 "Reduces security: root here can mount and reach the host's kernel" },
			       { "kubernetes", "capabilities: {add: [SYS_ADMIN]}",
				 "Reduces security: root here can mount and reach the host's kernel" }),
		.patterns = { "unshare: unshare failed: Operation not permitted" },
	},
	[CATALOGUE_PROC_MASKED] = {
		.id = "E12-PROC-MASKED",
		.tell = "the kernel refuses a fresh /proc where ours is masked in part",
		.causes = BIT(CAUSE_MASKED_PROC),
		.fixes = FIXES({ "config", "sandbox.real_proc = false", COST_PROC_BIND },
			       { "kubernetes", "procMount: Unmasked, and hostUsers: false in the spec",
				 "Reduces security: what the engine masks in /proc is shown" }),
		.patterns = { "bwrap: Can't mount proc on /{newroot/,}proc: Operation not permitted",
			      "VFS: Mount too revealing" },
	},
	[CATALOGUE_K8S_PROCMOUNT] = {
		.id = "E20-K8S-PROCMOUNT",
		.tell = "Kubernetes demands a user namespace for procMount: Unmasked",
		.fixes = FIXES({ "kubernetes", "hostUsers: false", "none: ids of the pod are no longer "
								   "the node's" }),
		.patterns = { "`hostUsers` must be false to use `Unmasked`" },
	},
	[CATALOGUE_LOADER] = {
		.id = "E21-LOADER",
		.tell = "the program is there, its dynamic loader is not seen in the sandbox",
		.fixes = FIXES({ "config", "bwrap --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64",
				 "none: `typeclaw-init sandbox` does so" }),
		.patterns = { "bwrap: execvp *: No such file or directory" },
	},
	[CATALOGUE_SOURCE] = {
		.id = "E22-SOURCE",
		.tell = "a folder that is bound is not in this image",
		.fixes = FIXES({ "config", "bwrap --ro-bind-try /lib64 /lib64",
				 "none: `typeclaw-init sandbox` does so" }),
		.patterns = { "bwrap: Can't find source path /lib64" },
	},
	[CATALOGUE_MASK_TARGET] = {
		.id = "E23-MASK-TARGET",
		.tell = "bwrap must make the mount point, and the folder above is read-only",
		.fixes = FIXES({ "image", "make an empty file or folder there beforehand",
				 "none; never leave the mask out" }),
		.patterns = { "bwrap: Can't create file at *: Read-only file system",
			      "bwrap: Can't mkdir *: Read-only file system",
			      "bwrap: Can't mount tmpfs on *: No such file or directory" },
	},
	[CATALOGUE_SYMLINK] = {
		.id = "E24-SYMLINK",
		.tell = "a link cannot be made in the sandbox: something is there already",
		.fixes = FIXES({ "config", "take that entry out of [symlinks]",
				 "none: the tool finds no link there" }),
		.patterns = { "bwrap: Can't make symlink at *: {File exists,Read-only file system}" },
	},
	[CATALOGUE_SETGROUPS] = {
		.id = "E26-SETGROUPS",
		.tell = "a sandbox was begun inside a sandbox",
		.fixes = FIXES({ "config", "let the tool run without a sandbox of its own",
				 "none: it is in one" }),
		.patterns = { "write /proc/self/setgroups *Permission denied" },
	},
	[CATALOGUE_ZOMBIES] = {
		.id = "E27-ZOMBIES",
		.tell = "a process does not reap its children",
		.fixes = FIXES({ "image", "ENTRYPOINT [\"/usr/local/bin/typeclaw-entrypoint\"]",
				 COST_NONE },
			       { "docker", "--init", "none; but no strategy is found out" },
			       { "config", "where PID 1 is an init: mend the parent that is named",
				 COST_NONE }),
		.patterns = { "<defunct>" },
	},
	[CATALOGUE_BWRAP_MISSING] = {
		.id = "bwrap-missing",
		.tell = "bubblewrap is not installed",
		.causes = BIT(CAUSE_BWRAP_MISSING),
		.fixes = FIXES({ "image", "apt-get install bubblewrap", COST_NONE }),
	},
	[CATALOGUE_BWRAP_REFUSED] = {
		.id = "bwrap-refused",
		.tell = "the bwrap that is there cannot be trusted with a sandbox",
		.causes = BIT(CAUSE_BWRAP_REFUSED),
		.fixes = FIXES({ "image", "chown root:root /usr/bin/bwrap && chmod 0755 /usr/bin/bwrap",
				 COST_NONE },
			       { "image", "apt-get install --reinstall bubblewrap", COST_NONE }),
	},
	[CATALOGUE_BWRAP_CAPABILITIES] = {
		.id = "bwrap-capabilities",
		.tell = "bwrap refuses to run for a user with capabilities",
		.causes = BIT(CAUSE_SETUP_FAILED),
		.needs = WHEN_USER_CAPABILITIES,
		.fixes = FIXES({ "docker", "--cap-drop ALL", "none: fewer rights" },
			       { "podman", "--cap-drop ALL", "none: fewer rights" },
			       { "kubernetes", "capabilities: {drop: [ALL]}", "none: fewer rights" }),
		.patterns = { "bwrap: Unexpected capabilities but not setuid" },
	},
	[CATALOGUE_BWRAP_UNSOUND] = {
		.id = "bwrap-unsound",
		.tell = "this bwrap was seen not to sandbox",
		.causes = BIT(CAUSE_SAME_USERNS) | BIT(CAUSE_CAPABILITY_KEPT) | BIT(CAUSE_SIGNALABLE),
		.fixes = FIXES({ "image", "apt-get install --reinstall bubblewrap", COST_NONE }),
	},
	[CATALOGUE_PROC_LEAK] = {
		.id = "proc-leak",
		.tell = "a sandboxed process could read a secret through the bound /proc",
		.causes = BIT(CAUSE_LEAK),
		.fixes = FIXES({ "config", "none is needed: tools get an empty /proc",
				 "package runners (npx, bunx) fail in the sandbox" }),
	},
	[CATALOGUE_PROC_WRITABLE] = {
		.id = "proc-writable",
		.tell = "/proc/sys can be written: the engine's protection of /proc is off",
		.causes = BIT(CAUSE_PROC_WRITABLE),
		.fixes = FIXES({ "docker", "leave out --security-opt systempaths=unconfined and "
					   "--privileged", "none: fewer rights" },
			       { "podman", "leave out --security-opt unmask=ALL and --privileged",
				 "none: fewer rights" },
			       { "kubernetes", "procMount: Default", "none: fewer rights" }),
	},
	[CATALOGUE_LOAD] = {
		.id = "load",
		.tell = "the machine was too busy, or out of processes or memory, for a verdict",
		.causes = BIT(CAUSE_TIMEOUT) | BIT(CAUSE_SENTINEL_DIED) | BIT(CAUSE_RESOURCE),
		.fixes = FIXES({ "config", "typeclaw-init strategy --refresh", COST_NONE },
			       { "config", "probes.attempt_timeout_ms = 10000", "a longer boot" }),
	},
	[CATALOGUE_NOT_PROBED] = {
		.id = "not-probed",
		.tell = "nobody probed here, and no boot left a record",
		.fixes = FIXES({ "config", "typeclaw-init doctor, without --quick", COST_NONE },
			       { "docker", "--tmpfs /run/typeclaw:mode=0755,uid=1000",
				 "none: a place for the record; uid is that of PID 1" },
			       { "podman", "--tmpfs /run/typeclaw:mode=0755,uid=1000",
				 "none: a place for the record; uid is that of PID 1" }),
	},
	[CATALOGUE_UNNEEDED_GRANT] = {
		.id = "unneeded-sys-admin",
		.tell = "CAP_SYS_ADMIN is held and nobody asked for real-proc",
		.fixes = FIXES({ "docker", "leave out --cap-add SYS_ADMIN and --privileged",
				 "none: fewer rights" },
			       { "podman", "leave out --cap-add SYS_ADMIN and --privileged",
				 "none: fewer rights" },
			       { "kubernetes", "leave SYS_ADMIN out of capabilities.add",
				 "none: fewer rights" }),
	},
	[CATALOGUE_PIDS_LIMIT] = {
		.id = "pids-limit",
		.tell = "the limit of processes is nearly reached",
		.fixes = FIXES({ "docker", "--pids-limit 512", COST_NONE },
			       { "podman", "--pids-limit 512", COST_NONE },
			       { "kubernetes", "podPidsLimit: 512 in the kubelet's configuration",
				 COST_NONE }),
	},
	[CATALOGUE_AGENT_MISSING] = {
		.id = "agent-missing",
		.tell = "the agent's folder is not there",
		.fixes = FIXES({ "docker", "-v AGENT_FOLDER:/agent", COST_NONE },
			       { "podman", "-v AGENT_FOLDER:/agent", COST_NONE },
			       { "kubernetes", "volumeMounts: [{name: agent, mountPath: /agent}]",
				 COST_NONE },
			       { "config", "agent.dir = FOLDER", COST_NONE }),
	},
	[CATALOGUE_LINK_REFUSED] = {
		.id = "link-refused",
		.tell = "a configured link is refused",
		.fixes = FIXES({ "config", "mend or take out that entry; `typeclaw-init link --dry-run` "
					   "judges all of them", COST_NONE }),
	},
	[CATALOGUE_LINK_LOST] = {
		.id = "link-lost",
		.tell = "a configured link is not what it should be",
		.fixes = FIXES({ "config", "typeclaw-init link", COST_NONE }),
	},
	[CATALOGUE_CONFIG_BAD] = {
		.id = "config-bad",
		.tell = "the configuration file is bad and was left out",
		.fixes = FIXES({ "config", "mend the line that is named; `typeclaw-init config` "
					   "reads it again", COST_NONE }),
	},
	[CATALOGUE_RECORD_DIFFERS] = {
		.id = "record-differs",
		.tell = "what the boot found does not hold any more",
		.fixes = FIXES({ "config", "typeclaw-init strategy --refresh",
				 "none; it probes again where the boot said unverified" },
			       { "docker", "docker restart CONTAINER", COST_NONE },
			       { "podman", "podman restart CONTAINER", COST_NONE }),
	},
	[CATALOGUE_RECORD_STALE] = {
		.id = "record-stale",
		.tell = "the boot record is of an init that is gone",
		.fixes = FIXES({ "docker", "docker restart CONTAINER", COST_NONE },
			       { "podman", "podman restart CONTAINER", COST_NONE }),
	},
	[CATALOGUE_ENVIRON_OPEN] = {
		.id = "environ-open",
		.tell = "/proc/1/environ can be read by processes of the same user",
		.fixes = FIXES({ "image", "ENTRYPOINT [\"/usr/local/bin/typeclaw-entrypoint\"]",
				 "none; leave --init and other wrappers out" }),
	},
};

const struct catalogue_row *catalogue_row(enum catalogue_id id)
{
	return id == CATALOGUE_NOTHING ? NULL : &rows[id];
}
