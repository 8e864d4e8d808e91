# Runs once for a bats call in this folder: a dockerd of our own (or the one whose directory
# TYPECLAW_DOCKER_DIR names), and the test image in it.  When that cannot be had, every test is
# skipped with the reason, which MUST_WORK=1 turns into failures.

setup_suite() {
	# shellcheck source=tests/docker/harness.bash
	source "$BATS_TEST_DIRNAME/harness.bash"
	export TYPECLAW_NO_DOCKER=
	if [ "$(id -u)" -ne 0 ]; then
		TYPECLAW_NO_DOCKER="a dockerd of our own needs root"
		return 0
	fi
	if [ -z "${TYPECLAW_DOCKER_DIR-}" ]; then
		export TYPECLAW_DOCKER_DIR=$BATS_SUITE_TMPDIR/docker TYPECLAW_DOCKER_OURS=1
		"$BATS_TEST_DIRNAME/daemon" start "$TYPECLAW_DOCKER_DIR" \
			>"$BATS_SUITE_TMPDIR/daemon.log" 2>&1
	fi
	harness_client
	if ! docker version >/dev/null 2>&1; then
		TYPECLAW_NO_DOCKER="no dockerd: $(tail -1 "$BATS_SUITE_TMPDIR/daemon.log" 2>/dev/null)"
	elif ! harness_image >"$BATS_SUITE_TMPDIR/image.log" 2>&1; then
		TYPECLAW_NO_DOCKER="no test image: $(tail -1 "$BATS_SUITE_TMPDIR/image.log")"
	fi
}

teardown_suite() {
	[ -z "${TYPECLAW_DOCKER_OURS-}" ] ||
		"$BATS_TEST_DIRNAME/daemon" stop "$TYPECLAW_DOCKER_DIR"
}
