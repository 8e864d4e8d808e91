# The harness of the Docker tests: `load harness` at the top of a .bats file.
#
#	box [DOCKER-OPTION...] -- CMD...	runs a container to its end; its output and status
#	box_start [DOCKER-OPTION...] -- CMD...	starts one in the background and prints its name
#	box_line NAME REGEX			waits (15 s) for a line of its output, prints it
#	box_wait NAME				waits (20 s) for its end and prints its exit status
#	box_logs NAME, box_exec NAME CMD...	its output so far; a command in it
#	box_dir				a fresh host directory, gone after the test
#	value TEXT FILTER			jq -er on TEXT, with the text shown when that fails
#	links_value JSON			the base64 of TYPECLAW_SANDBOX_SYMLINKS
#
# Every container runs with --network none, has a name and a label, and is removed after its
# test; every client call is under `timeout -s KILL`.  Nothing here sleeps to time something.
#
# The image ($IMAGE) is a merged-/usr root with dash, busybox, bwrap and their libraries, our
# binary as /usr/local/bin/{typeclaw-init,typeclaw-entrypoint} with the latter as ENTRYPOINT,
# the static test helpers in /usr/local/lib/typeclaw-tests, root and uid 1000 (user, /home/user)
# and an empty /agent.  The schedule is short there (TYPECLAW_PROBES_BUDGET_MS=1500).

# shellcheck source=tests/helpers/common.bash
source "${BASH_SOURCE[0]%/*}/../helpers/common.bash"

export IMAGE=typeclaw-test
export HELPERS=/usr/local/lib/typeclaw-tests
export UNCONFINED="--security-opt=seccomp=unconfined"

# What the containers of this test, and no other, are labelled with.
harness_label() {
	echo "typeclaw-test=${BATS_TEST_FILENAME##*/}-${BATS_TEST_NUMBER:-0}"
}

harness_client() {
	export DOCKER_HOST=unix://$TYPECLAW_DOCKER_DIR/sock
	export DOCKER_CONFIG=$TYPECLAW_DOCKER_DIR/config
	unset DOCKER_CONTEXT DOCKER_TLS_VERIFY DOCKER_CERT_PATH
}

# A program with the libraries that it needs, at the same places below the root.
harness_copy() { # ROOT PROGRAM
	local file

	for file in "$2" $(ldd "$2" 2>/dev/null | grep -o '/[^ ]*'); do
		# /lib and /lib64 are links into /usr in the image, as on today's Debian.
		[[ $file = /usr/* ]] || file=/usr$file
		mkdir -p "$1${file%/*}"
		[ -e "$1$file" ] || cp -L "$file" "$1$file"
	done
}

harness_root() { # ROOT: fills it
	local root=$1 applet

	mkdir -p "$root"/usr/{bin,sbin,lib,lib64,local/bin,local/sbin,local/lib/typeclaw-tests}
	mkdir -p "$root"/{etc,root,home/user,tmp,run,var,proc,sys,dev,agent}
	ln -s usr/bin "$root/bin" && ln -s usr/sbin "$root/sbin"
	ln -s usr/lib "$root/lib" && ln -s usr/lib64 "$root/lib64"
	chmod 1777 "$root/tmp" && chmod 0700 "$root/root" && chown 1000:1000 "$root/home/user"
	printf 'root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n' >"$root/etc/passwd"
	printf 'root:x:0:\nuser:x:1000:\n' >"$root/etc/group"
	harness_copy "$root" "$(command -v dash)"
	harness_copy "$root" "$(command -v bwrap)"
	harness_copy "$root" "$(command -v busybox)"
	ln -s dash "$root/usr/bin/sh"
	for applet in $(busybox --list); do
		[ -e "$root/usr/bin/$applet" ] || ln -s busybox "$root/usr/bin/$applet"
	done
	cp "$TYPECLAW_INIT" "$root/usr/local/bin/typeclaw-init"
	ln "$root/usr/local/bin/typeclaw-init" "$root/usr/local/bin/typeclaw-entrypoint"
	cp -a "$BUILD/static-helpers/." "$root/usr/local/lib/typeclaw-tests"
}

# Imports the image, once for a daemon and a binary.
harness_image() {
	local root=$BATS_SUITE_TMPDIR/root version

	version=$(cat "$TYPECLAW_INIT" "$BUILD"/static-helpers/* 2>/dev/null | sha256sum | cut -c1-16)
	[ "$(docker image inspect -f '{{.Comment}}' "$IMAGE" 2>/dev/null)" != "$version" ] || return 0
	harness_root "$root" || return 1
	tar -C "$root" -c . | timeout -s KILL 60 docker import -m "$version" \
		--change 'ENTRYPOINT ["/usr/local/bin/typeclaw-entrypoint"]' \
		--change 'ENV PATH=/usr/local/bin:/usr/bin:/bin HOME=/root TYPECLAW_PROBES_BUDGET_MS=1500' \
		- "$IMAGE"
}

# The setup and teardown of every test; a file with its own calls these.
harness_setup() {
	[ -z "$TYPECLAW_NO_DOCKER" ] || skip "$TYPECLAW_NO_DOCKER"
	harness_client
}

harness_teardown() {
	local ids

	[ -z "$TYPECLAW_NO_DOCKER" ] || return 0
	ids=$(docker ps -aq --filter "label=$(harness_label)")
	# shellcheck disable=SC2086 # ids have no spaces
	[ -z "$ids" ] || timeout -s KILL 30 docker rm -fv $ids >/dev/null
}

setup() { harness_setup; }
teardown() { harness_teardown; }

# harness_run SECONDS OPTION... -- CMD...: docker run with what every container has.
harness_run() {
	local seconds=$1 options=()

	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	timeout -s KILL "$seconds" docker run --network none --label "$(harness_label)" "${options[@]}" \
		"$IMAGE" "$@"
}

harness_name() {
	echo "typeclaw-${BATS_TEST_NUMBER:-0}-$$-$RANDOM$RANDOM"
}

box() {
	harness_run 60 --name "$(harness_name)" "$@"
}

box_start() {
	local name

	name=$(harness_name)
	harness_run 30 --name "$name" -d "$@" >/dev/null && echo "$name"
}

box_line() {
	local line

	# Followed until the line is there or the container has ended; what still follows then is
	# not waited for, and ends with the container.
	line=$(grep -Em1 -- "$2" < <(timeout -s KILL 15 docker logs -f "$1" 2>&1 3>&-))
	[ -n "$line" ] || { echo "no line like $2 of $1 in:" >&2; box_logs "$1" >&2; return 1; }
	printf '%s\n' "$line"
}

box_wait() {
	timeout -s KILL 20 docker wait "$1"
}

box_logs() {
	timeout -s KILL 20 docker logs "$1" 2>&1
}

box_exec() {
	local name=$1

	shift
	timeout -s KILL 30 docker exec "$name" "$@"
}

box_dir() {
	mktemp -d "$BATS_TEST_TMPDIR/box.XXXXXX"
}
