# What tests of every folder share: `load ../helpers/common` (the Docker harness does it itself).
#
#	init ARG...			the binary under test
#	as_pid1 [VAR=VALUE...] WORD...	WORD... as PID 1 of fresh PID and mount namespaces, /proc
#					and /run fresh; stdin is /dev/null, 30 s at most
#	with_own_run WORD...		WORD... with a /run of its own, as root; the same process
#	agent_make			makes $AGENT and $HOME_DIR, an agent folder and a home
#	says REGEX			the output of the last `run` has such a line
#	says_not REGEX
#	value TEXT FILTER		jq -er on TEXT, with the text shown when that fails
#	links_value JSON		the base64 of TYPECLAW_SANDBOX_SYMLINKS
#	wait_until SECONDS COMMAND...	until it succeeds; fails after the seconds
#	need_root WHY, need_userns	skips with a reason
#	fake_bwrap KIND			the path of a bwrap that is not what it seems (fake_bwrap.c)
#	root_dir			a fresh directory that only we can write, above it as well

TOP=$(realpath "${BASH_SOURCE[0]%/*}/../..")
export BUILD=${BUILD:-$TOP/build}
export TYPECLAW_INIT=${TYPECLAW_INIT:-$BUILD/typeclaw-init}
HOME_BEFORE=${HOME-/root}

init() {
	timeout -s KILL 60 "$TYPECLAW_INIT" "$@" </dev/null
}

# A boot of somebody else's on this machine may have left a record there.  As a list of words it
# can be put into the background: $! is then the command itself.
# shellcheck disable=SC2016 # expanded in there
OWN_RUN=(unshare --mount -- sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && exec "$@"' -)

with_own_run() {
	"${OWN_RUN[@]}" "$@"
}

as_pid1() {
	local options=(--pid --fork --mount --kill-child=KILL) variables=()

	while [[ $1 = [A-Za-z_]*=* ]]; do
		variables+=("$1")
		shift
	done
	[ "$(id -u)" -eq 0 ] || options+=(--user --map-root-user)
	# shellcheck disable=SC2016 # expanded in there
	timeout -s KILL 30 unshare "${options[@]}" -- sh -c '
		mount -t proc proc /proc && mount -t tmpfs -o mode=755 tmpfs /run && exec env "$@"' \
		- "${variables[@]}" "$@" </dev/null
}

agent_make() {
	AGENT=$BATS_TEST_TMPDIR/agent HOME_DIR=$BATS_TEST_TMPDIR/home
	mkdir -p "$AGENT/workspace" "$HOME_DIR"
	export AGENT HOME_DIR TYPECLAW_AGENT_DIR=$AGENT HOME=$HOME_DIR
}

says() {
	# shellcheck disable=SC2154 # bats sets it
	grep -Eq -- "$1" <<<"$output" || { printf 'no line like: %s\nin:\n%s\n' "$1" "$output"; return 1; }
}

says_not() {
	! grep -E -- "$1" <<<"$output" || return 1
}

value() {
	jq -er "$2" <<<"$1" || { printf 'no %s in: %s\n' "$2" "$1" >&2; return 1; }
}

links_value() {
	printf '%s' "$1" | base64 -w0
}

wait_until() {
	local deadline=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$deadline" ] || { echo "never came true: $*"; "$@"; return 1; }
		sleep 0.02
	done
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root: $1"
}

need_userns() {
	unshare --user --map-root-user true 2>/dev/null || skip "no user namespaces to be had here"
}

fake_bwrap() {
	local dir

	dir=$(trusted_dir)
	[ -x "$dir/bwrap-$1" ] || cp "$BUILD/static-helpers/fake_bwrap" "$dir/bwrap-$1"
	echo "$dir/bwrap-$1"
}

root_dir() {
	mktemp -d "$(trusted_dir)/XXXXXX"
}

# A directory that neither group nor others may write, nor any above it: what lies below one
# that they may is refused as a bwrap.  The checkout need not be such a place, /tmp never is.
# tests/run makes and removes one; a bats call by hand keeps it.
trusted_dir() {
	local dir=${TYPECLAW_TEST_TRUSTED:-$(trusted_base)/typeclaw-trusted}

	[ -d "$dir" ] || mkdir -m 755 "$dir"
	echo "$dir"
}

trusted_base() {
	local base

	for base in "$BUILD" /var/lib "$HOME_BEFORE"; do
		trusted "$base" && break
	done
	echo "$base"
}

trusted() {
	local path

	path=$(realpath -e "$1") && [ -w "$path" ] || return 1
	while :; do
		[ $((0$(stat -c %a "$path") & 022)) -eq 0 ] || return 1
		[ "$path" != / ] || return 0
		path=${path%/*}
		path=${path:-/}
	done
}
