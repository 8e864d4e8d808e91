# The truth table (truth.txt): on every host and with every bwrap the probes say what is so; and
# every check is needed, because without it a row of the table comes out differently.
bats_require_minimum_version 1.5.0
load ../helpers/common
load truth

setup_file() {
	truth_begin
}

teardown_file() {
	truth_end
}

setup() {
	need_root "hosts are made of namespaces, mounts and other users"
}

@test "credentials: every kind of user gets the verdict that is so" {
	truth_check credentials
}

@test "proc: masked, hidden, missing, faked, foreign and doubled /proc" {
	truth_check proc
}

@test "kernel: what refuses a call, or kills for it, is named and is final" {
	truth_check kernel
}

@test "trust: a bwrap that others could change is never run" {
	truth_check trust
}

@test "fakes: a bwrap that leaves something out is never safe" {
	truth_check fakes
}

@test "ends: a bwrap that ends, hangs, lies or kills proves nothing" {
	truth_check ends
}

@test "spoiled: each check that no bwrap can make fail is seen when it fails" {
	truth_check spoiled
}

@test "a probe that failed is tried again, and safe ends it at once" {
	run timeout -s KILL 20 "$TRUTH_DIR/probe_here" --bwrap "$(truth_place later)"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^proc-bind\ safe\ none\ 0\ -\ -\ 3\ ([0-9]+)\  ]]
	[ "${BASH_REMATCH[1]}" -ge 1250 ]
}

@test "a script that only execs what it is given is proven unsafe" {
	printf '%s\n' '#!/bin/sh' 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"' \
		>"$TRUTH_DIR/bwrap-script"
	chmod 755 "$TRUTH_DIR/bwrap-script"
	run timeout -s KILL 20 "$TRUTH_DIR/probe_here" --bwrap "$TRUTH_DIR/bwrap-script" --real --tmpfs
	echo "$output"
	says '^proc-bind unsafe same-userns'
	says '^real-proc inconclusive bwrap-refused'
	says '^strategy tmpfs definitive usable no same-userns'
}

@test "a program whose file is gone, or was replaced by another, is copied into the sandbox" {
	for replace in 'rm -f' 'cp --remove-destination /bin/true'; do
		cp "$BUILD/static-helpers/probe_here" "$TRUTH_DIR/gone"
		run sh -c 'exec 9<"$1"; '"$replace"' "$1"; exec /proc/self/fd/9 --real --checks' - "$TRUTH_DIR/gone"
		echo "$output"
		[ "$status" -eq 0 ]
		says '^proc-bind safe'
		says '^real-proc available'
		says '^tmpfs skipped'
	done
}

@test "no row is safe or available by mistake, and there are rows enough" {
	[ "$(truth_rows . | wc -l)" -ge 100 ]
	# Whatever a fake or a spoiled world leaves out, its row must not claim proof.
	! truth_rows 'fakes|ends|spoiled' | grep -E '\| safe ' |
		grep -vE '^(fakes own bindproc |ends own slow )' || false
}

@test "each check made blind is noticed by a row of the table" {
	truth_mutate
}
