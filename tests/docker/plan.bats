# What plan prints, given to a real engine: the container boots with the strategy that was planned
# for, and the scoped profile opens what bwrap needs and nothing else.
bats_require_minimum_version 1.5.0
load harness

# The scoped profile, made once for this file.
setup_file() {
	export PROFILE=$BATS_FILE_TMPDIR/scoped.json OCI=$BATS_FILE_TMPDIR/oci.json
	mkdir "$BATS_FILE_TMPDIR/agent" && echo '{}' >"$BATS_FILE_TMPDIR/agent/typeclaw.json"
	init plan --agent-dir "$BATS_FILE_TMPDIR/agent" --seccomp scoped --seccomp-file "$PROFILE"
	init plan --agent-dir "$BATS_FILE_TMPDIR/agent" --seccomp scoped --seccomp-file "$OCI" \
		--format kubernetes
}

# planned JSON PLAN-OPTIONS -- DOCKER-OPTIONS: boots with the line that plan prints, read by a
# shell; the document, what a sandboxed command could do, and what doctor says (last, because
# PID 1 closes its environ after its child has started).
planned() {
	local json=$1 options=() line

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mkdir -p "$BATS_TEST_TMPDIR/agent"
	printf '%s' "$json" >"$BATS_TEST_TMPDIR/agent/typeclaw.json"
	line=$(init plan --agent-dir "$BATS_TEST_TMPDIR/agent" "${options[@]}" 2>/dev/null)
	# shellcheck disable=SC2016 # expanded in there
	eval "box $line \"\$@\" -- sh -c 'cat /proc/self/fd/\$TYPECLAW_STRATEGY_FD; echo
		typeclaw-init sandbox -- sh -c \"echo ran as \\\$(id -u)\"
		while tr -d \"\\000\" </proc/1/environ 2>/dev/null | grep -q .; do sleep 0.01; done
		typeclaw-init doctor --json'"
}

# boots STRATEGY REAL SECCOMP DOCKER-OPTIONS...
boots() {
	local strategy=$1 real=$2 seccomp=$3 options=() ready=${READY:-ready}

	shift 3
	[ "$seccomp" != scoped ] || options=(--seccomp scoped --seccomp-file "$BATS_TEST_TMPDIR/p.json")
	run --separate-stderr planned "{\"sandbox\":{\"realProc\":$real}}" "${options[@]}" -- "$@"
	# shellcheck disable=SC2154 # bats sets it
	echo "$* $output $stderr"
	[ "$status" -eq 0 ]
	[ "$(value "${lines[0]}" .strategy)" = "$strategy" ]
	[ "$(value "${lines[0]}" .sandbox.usable)" = yes ]
	[ "$(value "${lines[0]}" .requested.real_proc)" = "$real" ] || [ "$real" = false ]
	says '^ran as '
	value "${lines[2]}" "[.overall, .exit] == [\"$ready\", 0]"
	case $seccomp in
	scoped) [ "$(value "${lines[0]}" .seccomp.decision)" = sufficient ] ;;
	*) [ "$(value "${lines[0]}" .seccomp.decision)" = unconfined ] ;;
	esac
}

BARE_ROOT=(--cap-drop ALL --cap-add SETFCAP)
BARE_USER=(--user 1000:1000 --cap-drop ALL --security-opt no-new-privileges --read-only)

@test "plan without realProc boots to proc-bind: root, root with nothing but SETFCAP, uid 1000" {
	boots proc-bind false unconfined
	boots proc-bind false unconfined "${BARE_ROOT[@]}"
	boots proc-bind false unconfined "${BARE_USER[@]}"
}

@test "the scoped plan without realProc boots to proc-bind: root, bare root, uid 1000" {
	boots proc-bind false scoped
	boots proc-bind false scoped "${BARE_ROOT[@]}"
	boots proc-bind false scoped "${BARE_USER[@]}"
}

@test "plan with realProc boots to real-proc as root, also with the other capabilities dropped" {
	boots real-proc true unconfined
	boots real-proc true unconfined "${BARE_ROOT[@]}"
}

@test "the scoped plan with realProc boots to real-proc as root, also bare" {
	boots real-proc true scoped
	boots real-proc true scoped "${BARE_ROOT[@]}"
}

# A capability given to the container is none of a process that is not root.
@test "plan with realProc falls back to proc-bind for uid 1000" {
	READY=warnings boots proc-bind true unconfined --user 1000:1000
	READY=warnings boots proc-bind true scoped --user 1000:1000
}

@test "links and writable paths arrive as they were written in typeclaw.json" {
	run --separate-stderr planned '{"sandbox":{"writablePaths":["a b","it'\''s $(id)"],
		"symlinks":[{"from":"~/.foo","to":"workspace/foo bar"},{"from":"/opt/日本","to":"w/`id`"}]}}' --
	echo "$output"
	[ "$status" -eq 0 ]
	value "${lines[0]}" '.sandbox.writable_paths == ["a b","it'\''s $(id)"]'
	value "${lines[0]}" '.sandbox.links == [{"from":"~/.foo","to":"workspace/foo bar"},
		{"from":"/opt/日本","to":"w/`id`"}]'
	value "${lines[0]}" '.symlinks.created == 2'
}

# narrow PROFILE OPTIONS...: what the system calls of tests/helpers/narrow.c give, on one line.
narrow() {
	local profile=$1

	shift
	box --security-opt seccomp="$profile" --entrypoint $HELPERS/narrow "$@" -- | tr '\n' ' '
}

REFUSED="kexec_load EPERM bpf EPERM open_by_handle_at EPERM perf_event_open EPERM add_key EPERM \
keyctl EPERM userfaultfd EPERM setns EPERM fsopen EPERM mount EPERM umount2 EPERM unshare EPERM "

@test "the scoped profile refuses what unconfined lets through: kexec_load to fsopen" {
	open=$(narrow unconfined --cap-add SYS_ADMIN --cap-add SYS_BOOT)
	echo "unconfined: $open"
	[[ $open != *EPERM* ]]
	for profile in "$PROFILE" "$OCI"; do
		closed=$(narrow "$profile" --cap-add SYS_BOOT)
		echo "$profile: $closed"
		[ "$closed" = "$REFUSED" ]
	done
}

@test "the Kubernetes profile refuses them even to a container with SYS_ADMIN that was not planned" {
	[ "$(narrow "$OCI" --cap-add SYS_ADMIN)" = "$REFUSED" ]
}

# The command line of the contract (section 8), by bwrap itself so that its own words are seen.
bubblewrap() { # PROFILE WHO
	local options=(--security-opt seccomp="$1" --entrypoint /usr/bin/bwrap) more=()

	[[ $2 != *"another user"* ]] || options+=(--user 1000:1000 --cap-drop ALL)
	[[ $2 != *--share-net* ]] || more=(--share-net)
	box "${options[@]}" -- --unshare-user --unshare-all "${more[@]}" --cap-drop ALL --new-session \
		--die-with-parent --ro-bind /usr /usr --ro-bind /etc /etc --dev /dev --tmpfs /tmp \
		--ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 \
		--ro-bind /proc /proc sh -c 'echo it works' 2>&1
}

# Its comment says who needs a rule and what happens without it; this holds it to that.
@test "each rule of the delta, taken away, breaks what its comment names" {
	rules=0
	for who in bwrap 'bwrap --share-net' 'another user'; do
		[ "$(bubblewrap "$PROFILE" "$who")" = "it works" ]
	done
	while read -r index; do
		comment=$(jq -r ".syscalls[$index].comment" "$PROFILE")
		who=${comment#typeclaw-init: for } message=${comment#*; without it: }
		who=${who%%; without it: *}
		jq "del(.syscalls[$index])" "$PROFILE" >"$BATS_TEST_TMPDIR/less.json"
		run bubblewrap "$BATS_TEST_TMPDIR/less.json" "$who"
		echo "$comment: $output"
		[ "$status" -ne 0 ]
		[[ $output = *"$message"*"not permitted"* || $output = *"$message"*"kernel does not allow"* ]]
		rules=$((rules + 1))
	done < <(jq -r '.syscalls | to_entries[] |
		select(.value.comment // "" | startswith("typeclaw-init")) | .key' "$PROFILE")
	[ "$rules" -eq 12 ]
}

@test "real-proc under the scoped profile hangs on its one rule, pivot_root" {
	jq '.syscalls |= map(select(.names != ["pivot_root"]))' "$PROFILE" >"$BATS_TEST_TMPDIR/less.json"
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr box --security-opt seccomp="$BATS_TEST_TMPDIR/less.json" --cap-add SYS_ADMIN \
		-e TYPECLAW_SANDBOX_REAL_PROC=1 -- sh -c 'cat /proc/self/fd/$TYPECLAW_STRATEGY_FD'
	echo "$output"
	[ "$(value "$output" .strategy)" = tmpfs ]
	[ "$(value "$output" .probes.real_proc.cause)" = pivot-root-blocked ]
	[ "$(value "$output" .sandbox.usable)" = no ]
}

# oci ROOT COMMAND...: runs it as containerd would: the profile stands in the runtime's
# configuration as it is.
oci() {
	local root=$1 name

	shift
	name=$(harness_name)
	mkdir -p "$BATS_TEST_TMPDIR/bundle" && cd "$BATS_TEST_TMPDIR/bundle" || return 1
	[ -e spec.json ] || { runc spec && mv config.json spec.json; }
	jq --slurpfile seccomp "$OCI" --arg root "$root" --args '.root = {path: $root, readonly: true} |
		.process.terminal = false | .process.args = $ARGS.positional | .process.noNewPrivileges = true |
		.process.capabilities |= map_values(["CAP_CHOWN", "CAP_SETFCAP"]) |
		.linux.seccomp = $seccomp[0]' -- "$@" <spec.json >config.json
	timeout -s KILL 20 runc --root "$BATS_TEST_TMPDIR/runc" run "$name" </dev/null ||
		timeout -s KILL 20 runc --root "$BATS_TEST_TMPDIR/runc" delete -f "$name"
}

@test "an OCI runtime takes the Kubernetes profile as it is: bwrap works, the rest is refused" {
	name=$(harness_name) root=$BATS_TEST_TMPDIR/root
	docker create --label "$(harness_label)" --name "$name" "$IMAGE" true >/dev/null
	mkdir "$root" && docker export "$name" | tar -C "$root" -x
	run oci "$root" $HELPERS/narrow
	echo "$output"
	[ "$(tr '\n' ' ' <<<"$output")" = "$REFUSED" ]
	run oci "$root" /usr/bin/bwrap --unshare-user --unshare-all --cap-drop ALL --ro-bind /usr /usr \
		--dev /dev --tmpfs /tmp --ro-bind-try /bin /bin --ro-bind-try /lib /lib \
		--ro-bind-try /lib64 /lib64 --ro-bind /proc /proc sh -c 'echo it works'
	[ "$output" = "it works" ]
}

@test "the example for Docker starts its agent, whose key no tool call finds" {
	cp -r "$TOP/examples" "$BATS_TEST_TMPDIR"
	export AGENT_API_KEY=sk-example-0123456789 TYPECLAW_INIT IMAGE
	run --separate-stderr timeout -s KILL 60 "$BATS_TEST_TMPDIR/examples/docker.sh" --network none \
		--label "$(harness_label)" --name "$(harness_name)"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "strategy: proc-bind" ]
	[ "${lines[1]}" = "my key has 21 characters" ]
	[ "${lines[3]}" = "a tool call finds none" ]
	[ -d "$BATS_TEST_TMPDIR/examples/agent/workspace/.foo-cli" ]
}
