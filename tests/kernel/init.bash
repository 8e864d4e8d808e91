# shellcheck shell=bash disable=SC2034 # bats reads what is set here
# What the tests of init/ share: they run a program as real PID 1 and talk to it by events.
#
# A file is run for the program, and again, through a link whose name begins with asan_, for
# init/ alone under AddressSanitizer (bare_init).

BUILD=${BUILD:-$BATS_TEST_DIRNAME/../../build}
helpers=$BUILD/test/helpers

case ${BATS_TEST_FILENAME##*/} in
asan_*)
	init=$BUILD/asan/bare_init
	export ASAN_OPTIONS=detect_leaks=0:disable_coredump=0
	;;
*)
	init=${TYPECLAW_INIT:-$BUILD/typeclaw-init}
	[ -x "$init" ] || init=$BUILD/release/bare_init
	;;
esac

# `run` without a probe's delay: these tests are about PID 1.
quick=(--set probes.budget_ms=0 --set probes.retry_backoff_ms=0)

setup() {
	PATH=$helpers:$PATH
	cd "$BATS_TEST_TMPDIR" || return
	mkfifo out in
	exec 8<>out 9<>in
}

teardown() {
	[ -z "${job-}" ] || kill -KILL "$job" 2>/dev/null || :
	exec 8>&- 9>&-
}

# keep COMMAND...: as bats' run, which warns of a 127; to its end, with a deadline, and with what
# it said on stderr in $said.
keep() {
	status=0
	output=$(timeout -s KILL 30 "$@" 2>said 8>&- 9>&-) || status=$?
	said=$(<said)
	mapfile -t lines <<<"$output"
}

# once PID1_OPTION... -- RUN_OPTION... -- CMD...: keeps what it said and how it ended.
once() {
	local options=() more=()

	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	while [ "$1" != -- ]; do more+=("$1"); shift; done
	shift
	keep pid1 "${options[@]}" "$init" run "${quick[@]}" "${more[@]}" "$@"
}

# without PID1_OPTION... COMMAND...: what the command says with no init between.
without() {
	timeout -s KILL 30 pid1 "$@" 2>&1 8>&- 9>&-
}

# begin, likewise, in the background: $pid is PID 1's number out here; its stdout is read with
# expect, its stdin written with tell, its stderr is the file `err`.
begin() {
	local options=() more=()

	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	while [ "$1" != -- ]; do more+=("$1"); shift; done
	shift
	mkfifo pid
	exec 7<>pid
	timeout -s KILL 60 pid1 -p pid "${options[@]}" "$init" run "${quick[@]}" "${more[@]}" "$@" \
		<in >out 2>"${err:-err}" 3>&- 7>&- 8>&- 9>&- &
	job=$!
	read -r -t 10 -u 7 pid
	exec 7>&-
	rm pid
}

# expect GLOB: the next line of the child is it, within ten seconds.
expect() {
	local line

	read -r -t 10 -u 8 line || { echo "nothing came; expected: $1"; cat err; return 1; }
	# shellcheck disable=SC2053
	[[ $line == $1 ]] || { echo "came: $line; expected: $1"; return 1; }
}

tell() { echo "$*" >&9; }
signal() { sigsend "$pid" "$@"; }

# ends STATUS: PID 1 ends by itself, with it.
ends() {
	local status=0

	wait "$job" || status=$?
	job=
	[ "$status" -eq "$1" ] || { echo "status $status, expected $1"; cat err; return 1; }
}

# until_true SCRIPT: asks again until it holds, for at most ten seconds.
until_true() {
	local end=$((SECONDS + 10))

	until eval "$*"; do
		[ "$SECONDS" -lt "$end" ] || { echo "never came true: $*"; return 1; }
		read -r -t 0.01 <> <(:) || :
	done
}

status_field() { # PID FIELD
	awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status" 2>/dev/null
}

children() { # PID: numbers
	local numbers

	read -r -a numbers <"/proc/$1/task/$1/children" || :
	echo "${numbers[@]}"
}

# in_state PID LETTER: until the process is in it.
in_state() { until_true "[ \"\$(status_field $1 State)\" = $2 ]"; }

# took_all: until PID 1 has taken every signal that was sent to it.
took_all() { until_true '[ "$(status_field "$pid" ShdPnd)" = 0000000000000000 ]'; }

# traced PID: strace writes `trace` from here on.
traced() {
	strace -qq -o trace -p "$1" 2>strace.err 3>&- 8>&- 9>&- &
	until_true "[ \"\$(status_field $1 TracerPid)\" != 0 ]"
}
