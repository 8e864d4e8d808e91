# Under the name of another init: its command line, its texts, its statuses, and the original
# beside it where it is installed.

load init

names() {
	local each

	mkdir -p bin
	for each in tini docker-init dumb-init catatonit podman-init; do
		ln -sf "$TYPECLAW_INIT" "bin/$each"
	done
}

# as NAME WORD...: keeps what we say under that name.
as() {
	names
	PATH=$BATS_TEST_TMPDIR/bin:$PATH keep "$@"
}

# same NAME WORD...: we and the original write the same and end the same; numbers of processes,
# and the line in which tini complains that it is not PID 1, aside.
same() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
	keep "$@"
	wanted="$status|$output|$(clean <<<"$said")"
	as "$@"
	[ "$status|$output|$(clean <<<"$said")" = "$wanted" ] ||
		{ printf 'wanted %s\ngot %s\n' "$wanted" "$status|$output|$(clean <<<"$said")"; return 1; }
}

clean() {
	sed -E 's/[(:][0-9]+\)/(N)/; /not running as PID 1|will not be re-parented|To fix the problem/d'
}

@test "tini: help, version, usage errors and statuses are the original's" {
	same tini -h
	same tini --version
	same tini
	same tini --
	same tini -x
	same tini -e
	same tini --foo true
	same tini -p BAD true
	same tini -e 256 true
	same tini -e x true
	same tini -- nosuch
	same tini -e 3 -- sh -c 'exit 3'
	same tini -e 3 -e 4 -- sh -c 'exit 4'
	same tini -g -w -s -p SIGKILL -- sh -c 'exit 5'
	same tini -gs -e7 -- sh -c 'exit 7'
}

@test "dumb-init: help, version, usage errors and statuses are the original's" {
	same dumb-init -h
	same dumb-init --help
	same dumb-init -V
	same dumb-init --version
	same dumb-init
	same dumb-init --
	same dumb-init -x
	same dumb-init -r derp true
	same dumb-init -r 15 true
	same dumb-init -r 15:999 true
	same dumb-init -r 15:a true
	same dumb-init nosuch
	same dumb-init -c sh -c 'exit 5'
	same dumb-init --single-child --rewrite 15:3 --rewrite=2:0 sh -c 'exit 6'
	same dumb-init sh -c 'kill -9 $$'
	same dumb-init --foo true
}

@test "catatonit: help, version, usage errors and statuses are the original's" {
	same catatonit -h
	same catatonit -V
	same catatonit --version
	same catatonit
	same catatonit -x
	same catatonit -- nosuch
	same catatonit -- sh -c 'exit 5'
	same catatonit -g -- sh -c 'exit 6'
}

@test "a word that is no option ends the options: sh -c needs no --" {
	for name in tini docker-init dumb-init catatonit podman-init; do
		as "$name" sh -c 'exit 9'
		[ "$status" -eq 9 ]
	done
}

@test "nothing is probed, said, handed on or linked under a foreign name" {
	for name in tini dumb-init catatonit; do
		TYPECLAW_SANDBOX_SYMLINKS=!!! as "$name" env
		[ "$status" -eq 0 ]
		[ -z "$said" ]
		[[ $output != *TYPECLAW_STRATEGY_FD* ]]
	done
}

@test "a hidden command of the probes is a program's name like any other" {
	as tini prober
	[ "$status" -eq 127 ]
}

@test "the init keys come by their environment twins; a bad one is refused by name" {
	TYPECLAW_INIT_EXIT_OK=143,7 as tini sh -c 'exit 7'
	[ "$status" -eq 0 ]
	TYPECLAW_INIT_WAIT=sometimes as tini true
	[ "$status" -eq 125 ]
	[[ $said = *TYPECLAW_INIT_WAIT* ]]
}

# started NAME WORD...: as PID 1, in the background, under that name.
started() {
	init=$BATS_TEST_TMPDIR/bin/$1
	names
	shift
	exec 7<&-
	mkfifo pid
	exec 7<>pid
	timeout -s KILL 60 pid1 -p pid "$init" "$@" <in >out 2>err 3>&- 7>&- 8>&- 9>&- &
	job=$!
	read -r -t 10 -u 7 pid
	exec 7>&-
	rm pid
}

@test "TERM before the child is there reaches it: a stand-in never ends by itself" {
	names
	keep pid1 -b TERM -q TERM "$BATS_TEST_TMPDIR/bin/tini" -- probe_child signals
	[ "$status" -eq 0 ]
	[ "$output" = "ready"$'\n'"15 0 0" ]
}

@test "TINI_KILL_PROCESS_GROUP and -g reach the group" {
	export TINI_KILL_PROCESS_GROUP=1
	started tini -- probe_child leave
	expect ready
	signal USR1
	expect "10 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "dumb-init: a session of its own, the whole group, rewrites by number" {
	started dumb-init -r 10:12 sh -c 'ps -o sid= -p $$ | grep -qw $$ && exec probe_child signals'
	expect ready
	signal USR1
	expect "12 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "dumb-init: TSTP stops the child by STOP, and CONT wakes it" {
	started dumb-init probe_child signals
	expect ready
	child=$(children "$pid")
	signal TSTP
	in_state "$child" T
	signal CONT
	expect "18 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "dumb-init: DUMB_INIT_SETSID=0 is -c" {
	DUMB_INIT_SETSID=0 as dumb-init sh -c 'ps -o sid= -p $$ | grep -qw $$ || exit 4'
	[ "$status" -eq 4 ]
}

@test "catatonit: the pause of a pod reaps, runs nothing and ends by INT or TERM" {
	for number in INT TERM; do
		started catatonit -P
		in_state "$pid" S
		signal "$number"
		ends 0
	done
}

@test "early TERMs under the name of tini are never lost" {
	names
	run timeout -s KILL 60 start_and_term 150 "$EPOCHSECONDS" "$BATS_TEST_TMPDIR/bin/tini" sleep 1000
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "an orphan is reaped and told under -w, in tini's words" {
	as tini -s -w -- sh -c '(sleep 0.01 &) ; sleep 0.2'
	[[ $said = *"Reaped zombie process with pid="* ]]
}
