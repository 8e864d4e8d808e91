# The start: what is found and run, with which status when not, and what the child is given.

load init

# fails STATUS TEXT COMMAND...: as PID 1, with one line on stderr that says why.
fails() {
	local want=$1 text=$2

	shift 2
	once -- -- "$@"
	[ "$status" -eq "$want" ] || { echo "status $status: $said"; return 1; }
	grep -qF -- "$text" <<<"$said" || { echo "said: $said"; return 1; }
}

@test "a command that is not there: 127, with and without a slash" {
	fails 127 'nosuchcommand' nosuchcommand
	fails 127 '/nosuch/command' /nosuch/command
	fails 127 '"": No such file' ""
}

@test "a directory, a file without x bit, a device: 126" {
	echo 'echo hello' >plain
	fails 126 'Is a directory' /etc
	fails 126 'Permission denied' ./plain
	fails 126 'Permission denied' /dev/null
}

@test "a file on a noexec mount: 126" {
	[ "$(id -u)" -eq 0 ] || skip "mounting needs root"
	mkdir mnt
	cp "$helpers/probe_child" .
	keep unshare -m sh -c 'mount -t tmpfs -o noexec none mnt && cp probe_child mnt &&
		exec pid1 "$0" run --set probes.budget_ms=0 mnt/probe_child state' "$init"
	[ "$status" -eq 126 ]
	[[ $said = *noexec* ]]
}

@test "an unreadable directory in PATH does not turn 127 into 126" {
	[ "$(id -u)" -eq 0 ] || skip "another uid needs root"
	mkdir secret
	chmod 700 secret
	chmod 755 .
	PATH=$PWD/secret:$PATH
	once -u 12345 -- -- nosuchcommand
	[ "$status" -eq 127 ]
}

@test "a file without x bit in PATH is passed over for one further on, and else is 126" {
	mkdir first second
	echo '#!/bin/sh' >first/both
	echo '#!/bin/sh' >first/only
	printf '#!/bin/sh\nexit 3\n' >second/both
	chmod +x second/both
	PATH=$PWD/first:$PWD/second:$PATH
	once -- -- both
	[ "$status" -eq 3 ]
	once -- -- only
	[ "$status" -eq 126 ]
}

@test "a script without #! is run by sh, with its arguments; an empty one too" {
	printf 'exit $(($# + $1))\n' >script
	: >empty
	chmod +x script empty
	once -- -- ./script 40 x
	[ "$status" -eq 42 ]
	once -- -- ./empty
	[ "$status" -eq 0 ]
}

@test "garbage is not given to sh: 126" {
	printf '\177ELF garbage' >elf
	printf 'MZ\0\0garbage\n' >pe
	chmod +x elf pe
	fails 126 'Exec format error' ./elf
	fails 126 'Exec format error' ./pe
}

@test "a missing interpreter is named: 127" {
	printf '#!/no/such/interpreter -x\n' >script
	chmod +x script
	fails 127 'its interpreter "/no/such/interpreter" is missing' ./script
	cp "$helpers/probe_child" linked
	loader=$(readelf -lW linked | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	LC_ALL=C sed -i "s,$loader,${loader/lib/lob}," linked
	fails 127 "its interpreter \"${loader/lib/lob}\" is missing" ./linked
}

@test "ENOTDIR is 127; a loop of links, too long arguments and a busy text are 126" {
	ln -s loop loop
	cp "$helpers/probe_child" busy
	exec 6>>busy
	fails 127 'Not a directory' /etc/passwd/x
	fails 126 'Too many levels' ./loop
	fails 126 'Text file busy' ./busy
	exec 6>&-
	# one string of 131072 bytes and more cannot be passed on, execve(2); stdin can carry it
	keep pid1 "$init" run "${quick[@]}" sh -c 'exec "$0" "$(head -c 200000 /dev/zero | tr "\0" x)"' true
	[ "$status" -eq 126 ] || [ "$status" -eq 2 ]
}

@test "foreign bytes of a command are escaped before they are shown" {
	fails 127 '\x1b[31mred\n' $'\e[31mred\n'
}

@test "without PATH the usual places are searched" {
	once -- -- env -u PATH "$init" run "${quick[@]}" true
	[ "$status" -eq 0 ]
}

@test "without any word there is a usage error: 125" {
	keep pid1 -0 "$init"
	[ "$status" -ne 0 ] && [ "$status" -lt 128 ]
	once -- --
	[ "$status" -eq 125 ]
}

@test "a process limit is told by its errno: 125" {
	[ "$(id -u)" -eq 0 ] || skip "another uid needs root"
	once -u 54321 -l nproc=1 -- -- true
	[ "$status" -eq 125 ]
	[[ $said = *"Resource temporarily unavailable"* ]]
}

@test "the mask that was inherited is the child's, exactly" {
	for list in USR1,RTMIN+3 32,33,64 HUP,TERM; do
		wanted=$(without -b "$list" probe_child state | grep ^mask)
		once -b "$list" -- -- probe_child state
		[ "${lines[0]}" = "$wanted" ]
		[ "$wanted" != "mask 0000000000000000" ]
	done
}

@test "an empty mask stays empty, and nothing is pending" {
	once -- -- probe_child state
	[ "${lines[0]}" = "mask 0000000000000000" ]
	[ "${lines[2]}" = "pending 0000000000000000" ]
}

@test "ignored signals stay ignored, as under nohup" {
	once -i HUP,PIPE,RTMIN -- -- probe_child state
	[ "${lines[1]}" = "ignored 0000000200001001" ]
}

@test "an ignored SIGCHLD makes nothing hang, and the child gets the default" {
	once -i CHLD -- -- probe_child state
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "ignored 0000000000000000" ]
}

@test "closed standard descriptors: it starts, none is reused, the child finds them closed" {
	base=$(without probe_child state | sed -n 's/^fds//p')
	for closed in 0 2 "0 2"; do
		options=()
		for fd in $closed; do options+=(-c "$fd"); done
		once "${options[@]}" -k 5 -- -- probe_child state
		[ "$status" -eq 0 ]
		wanted=$(without "${options[@]}" -k 5 probe_child state | sed -n 's/^fds//p')
		[ "$(sed -n 's/^fds//p' <<<"$output")" = "$wanted" ]
		[ "$wanted" != "$base" ]
	done
	once -c 0 -c 1 -c 2 -- -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
}

@test "stdin may be a socket, a directory or a foreign terminal" {
	once -S -- -- sh -c 'exit 3'
	[ "$status" -eq 3 ]
	keep pid1 "$init" run "${quick[@]}" sh -c 'exit 3' </
	[ "$status" -eq 3 ]
	keep pty_script pid1 "$init" run "${quick[@]}" sh -c 'exit 3' </dev/null
	[ "$status" -eq 3 ]
}

@test "inherited descriptors reach the child, those with CLOEXEC do not" {
	wanted=$(without -k 5 -k 200 -x 6 probe_child state | grep ^fds)
	once -k 5 -k 200 -x 6 -- --  probe_child state
	grep -qxF "$wanted" <<<"$output"
	[[ $wanted = *" 5 "* && $wanted = *" 200"* && $wanted != *" 6"* ]]
}

@test "without /proc descriptors are found all the same" {
	[[ $init != *asan* ]] || skip "AddressSanitizer itself needs /proc"
	wanted=$(without -k 5 -k 900 -x 6 probe_child state | grep ^fds)
	once -P -k 5 -k 900 -x 6 -- -- probe_child state
	[ "$status" -eq 0 ]
	grep -qxF "$wanted" <<<"$output"
}

@test "a fake /proc that hides descriptors is not believed" {
	[[ $init != *asan* ]] || skip "AddressSanitizer itself needs /proc"
	[ "$(id -u)" -eq 0 ] || skip "mounting needs root"
	keep pid1 sh -c 'mount -t tmpfs none /proc && mkdir -p /proc/self/fd && exec 5</dev/null 6</dev/null &&
		exec "$0" run --set probes.budget_ms=0 probe_child state' "$init"
	[ "$status" -eq 0 ]
	[[ $(grep ^fds <<<"$output") = *" 5 6"* ]]
}

@test "core limit, umask, working directory, nice and oom_score_adj are the child's as before" {
	mkdir here
	cd here
	once -l core=4096 -- -- sh -c 'ulimit -c; umask; pwd; nice; cat /proc/self/oom_score_adj'
	bare=$(without -l core=4096 sh -c 'ulimit -c; umask; pwd; nice; cat /proc/self/oom_score_adj')
	[ "$output" = "$bare" ]
	umask 077
	once -- -- sh -c umask
	[ "$output" = 0077 ]
}

@test "LISTEN_PID names the child when it named us, and is left alone when not" {
	# sh is PID 1 first, so that the variable names what it becomes
	keep pid1 sh -c 'export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_PIDFDID=5 &&
		exec "$0" run --set probes.budget_ms=0 sh -c "[ \$LISTEN_PID = \$\$ ] && env"' "$init"
	[ "$status" -eq 0 ]
	[[ $output = *"LISTEN_FDS=1"* && $output != *LISTEN_PIDFDID* ]]
	keep pid1 env LISTEN_PID=77 LISTEN_FDS=1 LISTEN_PIDFDID=5 "$init" run "${quick[@]}" env
	[[ $output = *LISTEN_PID=77* && $output = *LISTEN_PIDFDID=5* ]]
}

@test "an empty environment is no obstacle" {
	keep pid1 -E "$init" run "${quick[@]}" true
	[ "$status" -eq 0 ]
}

@test "old kernels and filters: without close_range, faccessat2, pidfd_open, signalfd, clone3" {
	once -e close_range=38 -e faccessat2=38 -e pidfd_open=38 -e signalfd4=38 -e clone3=38 \
		-- -- sh -c 'sleep 1000 & exit 6'
	[ "$status" -eq 6 ]
	once -e getdents64=38 -k 5 -- -- probe_child state
	[ "$status" -eq 0 ]
	[[ $(grep ^fds <<<"$output") = *" 5"* ]]
}

@test "prctl, setpgid or a queue that is refused cost a comfort and not the start" {
	once -e setpgid=1 -- -- sh -c 'exit 4'
	[ "$status" -eq 4 ]
	begin -e rt_sigqueueinfo=1 -- -- probe_child signals
	expect ready
	sigsend "$pid" USR1=5
	expect "10 0 0"
	signal TERM
	expect "15 *"
	ends 0
}
