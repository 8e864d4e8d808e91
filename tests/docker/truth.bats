# The truth table of the probes under `docker run` flags: what works is a fact of the host, and
# the probes must say exactly that.  The rows without an engine are in tests/kernel/truth.txt.

bats_require_minimum_version 1.5.0
load harness

# FLAGS | proc-bind: VERDICT CAUSE | real-proc: the same | USABLE CAUSE
probe_row() {
	local flags want have out

	IFS='|' read -r flags want <<<"$1"
	# shellcheck disable=SC2086 # flags are words
	out=$(box $flags --entrypoint "$HELPERS/probe_here" -- --real --tmpfs --no-retry \
		--timeout 10000 </dev/null 2>&1)
	have=$(awk '/^proc-bind / { bind = $2 " " $3 }
		/^real-proc / { real = $2 " " $3 }
		/^strategy / { usable = $5 " " $6 }
		END { print bind "|" real "|" usable }' <<<"$out")
	[ "$have" != "$want" ] || return 0
	printf '%s\n  want %s\n  have %s\n%s\n' "$flags" "$want" "$have" "$out"
	return 1
}

probe_rows() {
	local row failed=0

	while IFS= read -r row; do
		probe_row "$row" || failed=$((failed + 1))
	done
	[ "$failed" -eq 0 ]
}

@test "seccomp=unconfined and every flag beside it: proc-bind is safe" {
	probe_rows <<-'ROWS'
		--security-opt=seccomp=unconfined|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --security-opt=no-new-privileges|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --read-only|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --pid=host|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --cap-add=SYS_PTRACE|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --user=1000:1000|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --user=1000:1000 --cap-drop=ALL|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --user=1000:1000 --cap-drop=ALL --security-opt=no-new-privileges --read-only|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --cap-drop=ALL --cap-add=SETFCAP|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --security-opt=systempaths=unconfined|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=unconfined --init|safe none|unavailable no-sys-admin|yes none
	ROWS
}

@test "SYS_ADMIN makes real-proc available where no filter is in the way" {
	probe_rows <<-'ROWS'
		--security-opt=seccomp=unconfined --cap-add=SYS_ADMIN|safe none|available none|yes none
		--security-opt=seccomp=unconfined --cap-add=SYS_ADMIN --read-only|safe none|available none|yes none
		--security-opt=seccomp=unconfined --cap-add=SYS_ADMIN --security-opt=no-new-privileges|safe none|available none|yes none
		--security-opt=seccomp=unconfined --cap-add=SYS_ADMIN --user=1000:1000|safe none|unavailable no-sys-admin|yes none
		--cap-add=SYS_ADMIN|inconclusive pivot-root-blocked|unavailable pivot-root-blocked|no pivot-root-blocked
	ROWS
}

@test "the default filter, or no capability for root: final, with the call that is refused" {
	probe_rows <<-'ROWS'
		|inconclusive userns-blocked|unavailable no-sys-admin|no userns-blocked
		--user=1000:1000|inconclusive userns-blocked|unavailable no-sys-admin|no userns-blocked
		--pid=host|inconclusive userns-blocked|unavailable no-sys-admin|no userns-blocked
		--security-opt=seccomp=unconfined --cap-drop=ALL|inconclusive uid-map-blocked|unavailable no-sys-admin|no uid-map-blocked
	ROWS
}

@test "the scoped filter is enough, for root with nothing but SETFCAP and for a bare user" {
	profile=$(box_dir)/scoped.json
	"$TYPECLAW_INIT" plan --seccomp scoped --seccomp-file "$profile" >/dev/null
	probe_rows <<-ROWS
		--security-opt=seccomp=$profile|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=$profile --cap-drop=ALL --cap-add=SETFCAP|safe none|unavailable no-sys-admin|yes none
		--security-opt=seccomp=$profile --user=1000:1000 --cap-drop=ALL --security-opt=no-new-privileges --read-only|safe none|unavailable no-sys-admin|yes none
	ROWS
}

@test "what the engine masked stays masked in real-proc" {
	run box "$UNCONFINED" --cap-add=SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1 -- \
		typeclaw-init sandbox -- sh -c 'cat /proc/keys /proc/timer_list 2>/dev/null | wc -c
		true >/proc/sys/kernel/hostname || echo refused; cat /proc/1/comm >/dev/null && echo shown'
	echo "$output"
	[ "$status" -eq 0 ]
	says '^0$'
	says '^refused$'
	says '^shown$'
}
