# The dockerd of our own: it holds nothing of ours open and leaves nothing behind.
load harness

# The engine's processes whose command line names the directory.
processes_of() {
	local path

	for path in $(grep -lsF -- "$1/" /proc/[0-9]*/cmdline); do
		grep -sE 'docker|containerd|runc' "${path%cmdline}comm" || true
	done
}

@test "the daemon starts twice without harm, holds no pipe of its caller open, and ends without a trace" {
	dir=$BATS_TEST_TMPDIR/own
	# A pipe that stayed open in the daemon would keep cat, and so timeout, waiting.
	timeout -s KILL 40 bash -c "tests/docker/daemon start '$dir' 9>&1 | cat"
	[ -S "$dir/sock" ]
	pid=$(cat "$dir/started")
	run tests/docker/daemon start "$dir"
	[ "$status" -eq 0 ]
	[ "$output" = "already running" ]
	[ "$(cat "$dir/started")" = "$pid" ]
	for fd in /proc/"$pid"/fd/*; do
		[[ $(readlink "$fd") != pipe:* || $(readlink "$fd") != "$(readlink /proc/$$/fd/1)" ]]
	done
	tests/docker/daemon stop "$dir"
	[ ! -e "$dir" ]
	[ ! -e "/proc/$pid" ]
	[ -z "$(processes_of "$dir")" ]
	run grep -F "$dir" /proc/self/mountinfo
	[ "$status" -eq 1 ]
}

@test "a daemon that cannot start says so and fails" {
	dir=$BATS_TEST_TMPDIR/own
	mkdir -p "$dir"
	echo not a directory >"$dir/data"
	run tests/docker/daemon start "$dir"
	[ "$status" -ne 0 ]
	[[ $output = *dockerd\ ended* ]]
}

@test "stop without a daemon succeeds" {
	tests/docker/daemon stop "$BATS_TEST_TMPDIR/never"
}
