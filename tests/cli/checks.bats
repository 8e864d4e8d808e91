# The documentation of the probes' checks names exactly the ones that there are.
bats_require_minimum_version 1.5.0
load ../helpers/common

@test "probes/CHECKS.md lists every check of the code, in its order, with its cause" {
	run diff <("$BUILD/static-helpers/probe_here" --list) \
		<(sed -n 's/^| `\([a-z-]*\)` | \(all\|proc-bind\|real-proc\|tmpfs\).*| \(unsafe, \)\?`\([a-z-]*\)`.*/\1 \3\4/p' probes/CHECKS.md)
	echo "$output"
	[ "$status" -eq 0 ]
}
