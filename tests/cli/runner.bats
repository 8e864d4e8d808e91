# The tier runner itself: what it must never count as a success.

setup() {
	export BUILD=$BATS_TEST_TMPDIR/build
	mkdir -p "$BUILD/test/unit"
	unset MUST_WORK ONLY
}

# A test program that is the shell text on stdin.
fake() {
	{ echo '#!/bin/sh'; cat; } >"$BUILD/test/unit/test_$1"
	chmod +x "$BUILD/test/unit/test_$1"
}

last_line_is() {
	[ "${lines[-1]}" = "$1" ] || { printf '%s\n' "$output"; return 1; }
}

@test "results of several programs are added up" {
	fake one <<<'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b"'
	fake two <<<'echo 1..1; echo "ok 1 - c"'
	run tests/run unit
	[ "$status" -eq 0 ]
	last_line_is "3 passed, 0 failed, 0 skipped"
}

@test "a failing test fails the run and its own lines are shown" {
	fake one <<<'echo 1..2; echo "ok 1 - a"; echo "not ok 2 - b"; echo "# 1 != 2"; exit 1'
	run tests/run unit
	[ "$status" -ne 0 ]
	[[ $output = *"FAIL test/unit/test_one: b"*"# 1 != 2"* ]]
	last_line_is "1 passed, 1 failed, 0 skipped"
}

@test "a crash after good results fails" {
	fake one <<<'echo 1..2; echo "ok 1 - a"; echo ==ERROR: AddressSanitizer; kill -SEGV $$'
	run tests/run unit
	[ "$status" -ne 0 ]
	[[ $output = *"ended after 1 of 2 tests, status 139"*AddressSanitizer* ]]
}

@test "good results and a bad status fail, as a leak found at the end does" {
	fake one <<<'echo 1..1; echo "ok 1 - a"; echo LeakSanitizer; exit 23'
	run tests/run unit
	[ "$status" -ne 0 ]
	[[ $output = *"its status is 23"*LeakSanitizer* ]]
}

@test "a program without a plan fails" {
	fake one <<<'echo "I am fine"'
	run tests/run unit
	[ "$status" -ne 0 ]
	[[ $output = *"planned no test, status 0"*"I am fine"* ]]
}

@test "a tier without tests fails" {
	run tests/run unit
	[ "$status" -ne 0 ]
	last_line_is "0 passed, 1 failed, 0 skipped"
}

@test "a hanging program is killed, fails, and the next one still runs" {
	fake a <<<'trap "" TERM INT; echo 1..1; while :; do sleep 1000; done'
	fake b <<<'echo 1..1; echo "ok 1 - b"'
	UNIT_SECONDS=1 run tests/run unit
	[ "$status" -ne 0 ]
	[[ $output = *"test_a: killed after its time"* ]]
	last_line_is "1 passed, 1 failed, 0 skipped"
}

@test "a background process that keeps the output open does not hold the run up" {
	fake one <<<'setsid sleep 20 & echo $! >$BUILD/pid; echo 1..1; echo "ok 1 - a"'
	SECONDS=0
	run tests/run unit
	kill "$(cat "$BUILD/pid")"
	[ "$status" -eq 0 ]
	[ "$SECONDS" -lt 15 ]
}

@test "what was ignored where make was called is not ignored in a test" {
	fake one <<<'echo 1..1; grep SigIgn /proc/self/status; echo "not ok 1 a"'
	run bash -c 'trap "" INT QUIT HUP PIPE; exec tests/run unit'
	# glibc's posix_spawn, by which make starts us, leaves its own 32 and 33 ignored, and no
	# program that uses glibc can take that back.
	[[ $output =~ SigIgn:.0000000[01][08]0000000 ]]
}

@test "a skip is counted with its reason, and fails when everything must work" {
	fake one <<<'echo 1..1; echo "ok 1 a # skip no such thing here"'
	run tests/run unit
	[ "$status" -eq 0 ]
	[[ $output = *"(no such thing here)"* ]]
	last_line_is "0 passed, 0 failed, 1 skipped"
	MUST_WORK=1 run tests/run unit
	[ "$status" -ne 0 ]
	last_line_is "0 passed, 1 failed, 0 skipped"
}

@test "a skip without a reason fails" {
	fake one <<<'echo 1..1; echo "ok 1 a # skip"'
	run tests/run unit
	[ "$status" -ne 0 ]
}

@test "an unknown tier fails" {
	run tests/run nonsense
	[ "$status" -ne 0 ]
}
