# Nothing of a probe outlives it, however it ends.  `make strays` and `make probe-load` are the long
# runs of the same.
bats_require_minimum_version 1.5.0
load ../helpers/common

killmid() { # SIGNAL COUNT SPAN_US OPTION...
	"$BUILD/static-helpers/killmid" "$1" "$2" "$3" -- \
		"$BUILD/static-helpers/probe_here" --no-retry "${@:4}" </dev/null
}

setup() {
	need_userns
}

@test "killed in the middle of its probes, nothing of them is left" {
	killmid 9 "${STRAYS:-60}" 25000 --real --tmpfs
}

@test "stopped in the middle of its probes, nothing of them is left" {
	killmid 15 "${STRAYS:-60}" 25000 --real --tmpfs
}

@test "killed while a bwrap hangs, ignores TERM or left a child behind, nothing is left" {
	for kind in hangterm background holds; do
		killmid 9 8 60000 --bwrap "$(fake_bwrap "$kind")"
		killmid 15 8 60000 --bwrap "$(fake_bwrap "$kind")"
	done
}

@test "a probe that ends by itself leaves nothing behind, whatever bwrap does" {
	for kind in hangterm background holds killsentinel; do
		# SIGURG (23) changes nothing.
		"$BUILD/static-helpers/killmid" 23 1 1000 -- "$BUILD/static-helpers/probe_here" \
			--no-retry --timeout 300 --bwrap "$(fake_bwrap "$kind")" </dev/null
	done
}

@test "under load every boot is safe within the budget" {
	tests/helpers/load "${LOAD_LOOPS:-8}" "${LOAD_BOOTS:-5}" "$TYPECLAW_INIT"
}

@test "in real-proc what the engine had masked is masked again, and only there" {
	need_root "an engine's masks are mounts"
	agent_make
	export TYPECLAW_SANDBOX_REAL_PROC=1
	run tests/helpers/host masked "$TYPECLAW_INIT" sandbox -- sh -c '
		cat /proc/keys /proc/timer_list 2>/dev/null | wc -c; ls /proc/acpi | wc -l
		true >/proc/sys/kernel/hostname; ls -d /proc/[0-9]* | wc -l; cat /proc/uptime | wc -l'
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 0 ]
	[ "${lines[1]}" = 0 ]
	says 'Read-only file system'
	[ "${lines[-1]}" = 1 ]
	[ "${lines[-2]}" -le 6 ]
}
