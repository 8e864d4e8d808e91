# doctor in real containers: under every row of flags the right headline and cause, and each fix
# that it prints, applied as it is written, makes the failed check pass.
# shellcheck disable=SC2030,SC2031 # $report is each test's own
bats_require_minimum_version 1.5.0
load harness

# The profile that the fixes name, as the cost line says to make it: `seccomp.json` where docker runs.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	init plan --seccomp scoped --seccomp-file seccomp.json >/dev/null 2>&1 ||
		{ mkdir agent && echo '{}' >agent/typeclaw.json &&
			init plan --agent-dir agent --seccomp scoped --seccomp-file seccomp.json >/dev/null 2>&1; }
}

setup() {
	harness_setup
	cd "$BATS_FILE_TMPDIR" || return 1
}

# PID 1 closes its environ a moment after its child was exec'ed.
EXAMINE='while tr -d "\000" </proc/1/environ 2>/dev/null | grep -q .; do sleep 0.01; done
	exec typeclaw-init doctor'

# examine DOCKER-OPTION...: boots such a container and keeps its report in $report.
examine() {
	echo "# docker run $*"
	run --separate-stderr box "$@" -- sh -c "$EXAMINE --json"
	# shellcheck disable=SC2154 # bats sets it
	[ -n "$output" ] || { echo "$stderr"; return 1; }
	report=$output
	[ "$status" -eq "$(value "$report" .exit)" ]
}

check() { # ID FIELD
	value "$report" ".checks[] | select(.id == \"$1\") | .$2"
}

# expect OVERALL CHECK CAUSE; with `-` for the last two where nothing is wrong.
expect() {
	local word

	case $1 in
	ready) word='READY: ' ;;
	warnings) word='READY WITH WARNINGS: ' ;;
	not-ready) word='NOT READY: ' ;;
	esac
	value "$report" .headline
	[ "$(value "$report" .overall)" = "$1" ]
	[[ $(value "$report" .headline) = "$word"* ]]
	[ "$2" = - ] || [ "$(check "$2" cause)" = "$3" ]
}

# fixes CHECK [DOCKER-OPTION...]: boots again with each fix for docker (and for the configuration)
# of that check, one at a time, and wants it to pass.
fixes() {
	local id=$1 changes change kind option kept left count=0

	shift
	mapfile -t changes < <(check "$id" 'fix[] | select(.for == "docker" or .for == "config")
		| .for + " " + .change')
	for change in "${changes[@]}"; do
		kind=${change%% *} change=${change#* } kept=("$@")
		if [ "$kind" = config ]; then
			# SECTION.KEY = VALUE, by its twin in the environment.
			option=${change%% *}
			option=${option//./_}
			kept+=(-e "TYPECLAW_${option^^}=${change##* = }")
		elif [[ $change = "leave out "* ]]; then
			kept=()
			left=" ${change#leave out } "
			for option in "$@"; do
				[[ $left = *" ${option/=/ } "* || $left = *" $option "* ]] || kept+=("$option")
			done
			[ ${#kept[@]} -lt $# ]
		else
			# shellcheck disable=SC2206 # flags as they are typed
			kept+=($change)
		fi
		examine "${kept[@]}"
		[[ $(check "$id" status) = ok || $kind = config && $(check "$id" status) = skip ]]
		count=$((count + 1))
	done
	[ "$count" -gt 0 ]
}

@test "default flags: the profile refuses clone; the scoped profile or none at all mends it" {
	examine
	expect not-ready sandbox.usable E01-SECCOMP-CLONE
	[ "$(check sandbox.seccomp status)" = fail ]
	[ "$(check sandbox.record status)" = ok ]
	[ "$(check sandbox.usable 'fix[0].change')" = "--security-opt seccomp=seccomp.json" ]
	fixes sandbox.usable
}

@test "seccomp=unconfined, and what may stand beside it: ready by proc-bind" {
	while read -r options; do
		# shellcheck disable=SC2086 # options as they are typed
		examine "$UNCONFINED" $options
		expect ready - -
		[ "$(value "$report" .self.strategy)" = proc-bind ]
		[ "$(value "$report" .self.seccomp.decision)" = unconfined ]
	done <<-END

		--security-opt=no-new-privileges --cap-add SYS_PTRACE --read-only
		--pid=host
		--user 1000:1000 --cap-drop ALL
		--user 1000:1000
	END
}

@test "SYS_ADMIN under the default profile: pivot_root is what is missing" {
	examine --cap-add=SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1
	expect not-ready sandbox.usable E03-SECCOMP-PIVOT
	[ "$(check sandbox.real-proc status)" = warn ]
	fixes sandbox.usable --cap-add=SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1
}

@test "SYS_ADMIN: real-proc where it was asked for, a warning where nobody did" {
	examine "$UNCONFINED" --cap-add=SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1
	expect ready - -
	[ "$(value "$report" .self.strategy)" = real-proc ]
	examine "$UNCONFINED" --cap-add=SYS_ADMIN
	expect warnings sandbox.sys-admin unneeded-sys-admin
	fixes sandbox.sys-admin "$UNCONFINED" --cap-add=SYS_ADMIN
}

@test "real-proc asked for without SYS_ADMIN: proc-bind, and the two ways out" {
	examine "$UNCONFINED" -e TYPECLAW_SANDBOX_REAL_PROC=1
	expect warnings sandbox.real-proc E13-REALPROC-NOCAP
	[ "$(value "$report" .self.strategy)" = proc-bind ]
	fixes sandbox.real-proc "$UNCONFINED" -e TYPECLAW_SANDBOX_REAL_PROC=1
}

@test "systempaths=unconfined: works, but /proc/sys can be written" {
	examine "$UNCONFINED" --security-opt=systempaths=unconfined
	expect warnings sandbox.proc proc-writable
	fixes sandbox.proc "$UNCONFINED" --security-opt=systempaths=unconfined
}

@test "root without any capability cannot map itself: another user, or SETFCAP" {
	examine "$UNCONFINED" --cap-drop ALL
	expect not-ready sandbox.usable E11-CAPDROP-SETFCAP
	fixes sandbox.usable "$UNCONFINED" --cap-drop ALL
}

@test "the scoped profile with the least rights, and podman's own: sufficient" {
	examine --security-opt seccomp=seccomp.json --cap-drop ALL --cap-add SETFCAP
	expect ready - -
	[ "$(value "$report" .self.seccomp.decision)" = sufficient ]
	examine --security-opt seccomp=seccomp.json --cap-drop ALL --user 1000:1000 --read-only \
		--security-opt no-new-privileges
	expect ready - -
	[ "$(value "$report" .self.seccomp.decision)" = sufficient ]
	examine --security-opt "seccomp=$TOP/tests/fixtures/seccomp/podman-0.50.1.json"
	expect ready - -
	[ "$(value "$report" .self.seccomp.decision)" = sufficient ]
}

@test "by docker exec: the boot's real-proc wish is known, a health check is quick, a link is watched" {
	name=$(box_start "$UNCONFINED" -e TYPECLAW_SANDBOX_SYMLINKS="$(links_value '[{"from":"~/.foo","to":"w/foo"}]')" \
		-- --set sandbox.network=inherit -- sh -c 'echo up; while [ ! -e /go ]; do sleep 0.05; done')
	box_line "$name" '^up$'
	run --separate-stderr box_exec "$name" sh -c "$EXAMINE --json"
	report=$output
	expect ready - -
	[ "$(check workspace.links summary)" = "1 of 1 in place" ]
	run box_exec "$name" typeclaw-init doctor --quick --quiet
	[ "$status" -eq 0 ] && [ -z "$output" ]
	box_exec "$name" sh -c 'rmdir /agent/w/foo && ln -s /etc /agent/w/foo'
	run box_exec "$name" typeclaw-init doctor --quick --quiet
	[ "$status" -eq 1 ] && [ -z "$output" ]
	run box_exec "$name" typeclaw-init doctor
	[ "$status" -eq 1 ]
	says '^NOT READY: '
	says 'target-is-link'
	box_exec "$name" touch /go
}

@test "a container that another init started: its environ is open, and nobody wrote a record" {
	run --separate-stderr box "$UNCONFINED" --entrypoint sh -- -c 'typeclaw-init doctor --json; :'
	report=$output
	expect warnings supervision.environ environ-open
	[ "$(check sandbox.record status)" = skip ]
	value "$report" '.host.init.name == "sh"'
}

@test "a bwrap that is not there, that sandboxes nothing, and one that nobody knows what to make of" {
	examine "$UNCONFINED" -e TYPECLAW_SANDBOX_BWRAP=/nowhere/bwrap
	expect not-ready sandbox.usable bwrap-missing
	[ "$(check sandbox.bwrap cause)" = bwrap-missing ]
	examine "$UNCONFINED" -e TYPECLAW_SANDBOX_BWRAP="$HELPERS/bwrap-unsandboxed"
	expect not-ready sandbox.usable bwrap-unsound
	examine "$UNCONFINED" -e TYPECLAW_SANDBOX_BWRAP="$HELPERS/bwrap-exit0" -e TYPECLAW_PROBES_BUDGET_MS=200
	expect not-ready sandbox.usable setup-failed
	value "$report" '.checks[] | select(.id == "sandbox.usable") | .fix == [] and (.evidence | length) > 0'
}

@test "few processes left, a bad file at the default place, a record that has no place" {
	printf '[nothing]\nx = y\n' >"$BATS_TEST_TMPDIR/init.ini"
	chmod 0644 "$BATS_TEST_TMPDIR/init.ini"
	examine "$UNCONFINED" --pids-limit 16 -v "$BATS_TEST_TMPDIR/init.ini:/etc/typeclaw/init.ini:ro"
	expect warnings container.pids pids-limit
	[ "$(check workspace.config cause)" = config-bad ]
	fixes container.pids "$UNCONFINED" --pids-limit 16
	for place in "" --tmpfs=/run/typeclaw:mode=0755,uid=1000; do
		run --separate-stderr box "$UNCONFINED" --read-only --user 1000:1000 ${place:+"$place"} -- \
			sh -c 'unset TYPECLAW_STRATEGY_FD; exec typeclaw-init doctor --quick --json'
		report=$output
		[ "$(check sandbox.usable status)" = "$([ -n "$place" ] && echo ok || echo warn)" ]
	done
}
