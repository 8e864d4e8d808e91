# A kernel or a filter without one of the newer calls: the boot makes its links, hands over a
# strategy that is no better than with the call, and is a whole PID 1 all the same.
bats_require_minimum_version 1.5.0
load ../helpers/common

# boot WORD...: boots as PID 1 through WORD..., with a link and a child that leaves an orphan.
boot() {
	rm -rf "$AGENT" "$HOME_DIR"
	mkdir -p "$AGENT/workspace" "$HOME_DIR"
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr as_pid1 TYPECLAW_PROBES_BUDGET_MS=2000 "$@" "$TYPECLAW_INIT" run sh -c '
		(setsid sleep 0 &)
		stat -Lc %d:%i "/proc/self/fd/${TYPECLAW_STRATEGY_FD:-none}" 2>/dev/null
		echo "id ${TYPECLAW_STRATEGY_ID-}"
		"$TYPECLAW_INIT" strategy
		exit 7'
}

judge() { # NAME
	echo "$1: $status: $output: ${stderr-}"
	[ "$status" -eq 7 ]
	[ "$(readlink "$HOME_DIR/.x")" = "$AGENT/workspace/x" ]
	[ -d "$AGENT/workspace/x" ]
	[[ ${lines[-1]} = "$PLAIN" || ${lines[-1]} = tmpfs ]]
}

setup() {
	agent_make
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.x","to":"workspace/x"}]')
	export TYPECLAW_SANDBOX_SYMLINKS
	boot env
	PLAIN=${lines[-1]}
	judge "nothing refused"
	[ "${lines[1]}" = "id ${lines[0]}" ]
}

refused() { # CALL
	local errno

	for errno in ENOSYS EPERM; do
		boot "$BUILD/static-helpers/refuse" "$1=$errno" --
		judge "$1=$errno"
		# Where there is a descriptor it is the right one.
		[ "${#lines[@]}" -eq 2 ] || [ "${lines[1]}" = "id ${lines[0]}" ]
	done
}

@test "without openat2 a boot does all of its work" { refused openat2; }
@test "without memfd_create a boot does all of its work" { refused memfd_create; }
@test "without pidfd_open a boot does all of its work" { refused pidfd_open; }
@test "without close_range a boot does all of its work" { refused close_range; }
@test "without renameat2 a boot does all of its work" { refused renameat2; }
@test "without clone3 a boot does all of its work" { refused clone3; }
