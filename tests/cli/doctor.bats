# doctor: replayed hosts, both forms, statuses, and what it must never print or do.
bats_require_minimum_version 1.5.0
load ../helpers/common

HOSTS=tests/fixtures/hosts

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	agent_make
	export TYPECLAW_PROBES_BUDGET_MS=1500
}

# doctor_schema JSON: valid against the schema of the repository.
doctor_schema() {
	/usr/bin/python3 -c 'import json, sys, jsonschema
jsonschema.validate(json.load(sys.stdin), json.load(open("schemas/doctor.schema.json")))' <<<"$1"
}

# replay HOST-FOLDER OPTION...: another host's report, with nothing of ours in it
replay() {
	local folder=$1

	shift
	env -u TYPECLAW_AGENT_DIR -u TYPECLAW_PROBES_BUDGET_MS "$TYPECLAW_INIT" doctor --sysroot "$folder" "$@"
}

# absent GREP-ARGUMENT...: no such line (a bare `!` fails no test)
absent() {
	! grep "$@" || return 1
}

status_of() { # JSON ID
	value "$1" ".checks[] | select(.id == \"$2\") | .status"
}

@test "the replayed hosts read as they should, in both forms, and both say the same" {
	run /usr/bin/python3 tests/helpers/doctor_check.py "$TYPECLAW_INIT" "$HOSTS"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(sed -n 's/ reports, 0 wrong//p' <<<"${lines[-1]}")" -ge 12 ]
}

@test "the check of the replayed hosts sees a changed status, a lost line and a wide one" {
	mkdir "$BATS_TEST_TMPDIR/hosts"
	cp -r "$HOSTS/podman-default" "$BATS_TEST_TMPDIR/hosts"
	for change in 's/  ok   kernel/  warn kernel/' '/  ok   engine/d' 's/^READY/READY and much more/' ''; do
		cat >"$BATS_TEST_TMPDIR/liar" <<-END
			#!/bin/sh
			case "\$*" in *--json*) exec "$TYPECLAW_INIT" "\$@" ;; esac
			"$TYPECLAW_INIT" "\$@" | sed '$change'
		END
		chmod +x "$BATS_TEST_TMPDIR/liar"
		run /usr/bin/python3 tests/helpers/doctor_check.py "$BATS_TEST_TMPDIR/liar" "$BATS_TEST_TMPDIR/hosts"
		# sed loses the exit status, but that of a host which is ready is 0 as well.
		[ "$status" -ne 0 ] || [ -z "$change" ]
	done
	[ "$status" -eq 0 ]
}

@test "every replayed host tells the one cause that its story is about" {
	while read -r host overall check cause; do
		run --separate-stderr replay "$HOSTS/$host" --json
		echo "$host"
		value "$output" ".overall == \"$overall\"
			and (.checks[] | select(.id == \"$check\") | .cause == \"$cause\")"
	done <<-END
		docker-default not-ready sandbox.usable E01-SECCOMP-CLONE
		containerd-nerdctl not-ready sandbox.usable E01-SECCOMP-CLONE
		kubernetes-default not-ready sandbox.seccomp E01-SECCOMP-CLONE
		openshift-crio not-ready sandbox.usable E01-SECCOMP-CLONE
		ubuntu-docker-apparmor not-ready sandbox.usable E06-APPARMOR-MOUNT
		ubuntu-2404-userns not-ready sandbox.usable E07-APPARMOR-USERNS
		debian-hardened not-ready sandbox.user-namespaces E09-SYSCTL-CLONE
		max-userns-0 not-ready sandbox.usable E10-MAX-USERNS
		rootless-docker warnings sandbox.real-proc E14-REALPROC-MOUNT
		fedora-podman-selinux not-ready sandbox.usable E15-SELINUX
		unraid-chroot not-ready sandbox.usable E16-ROOTFS
		gvisor not-ready sandbox.usable E17-GVISOR
		orbstack-machine not-ready sandbox.usable E18-ORBSTACK-USERNS
		docker-desktop-eci warnings sandbox.real-proc E19-ECI
		hidepid-2 not-ready sandbox.usable E25-HIDEPID
		leak warnings sandbox.strategy proc-leak
		unknown-failure not-ready sandbox.usable setup-failed
	END
}

@test "an unknown failure is told word for word, and no fix is made up" {
	run --separate-stderr replay "$HOSTS/unknown-failure"
	[ "$status" -eq 1 ]
	says 'frobnicator'
	says_not 'fix'
	run --separate-stderr replay "$HOSTS/unknown-failure" --json
	value "$output" '[.checks[].fix[]] == []'
	value "$output" '.checks[0].evidence | contains("frobnicator")'
}

@test "fixes are those of the engine that runs the container; of none known, all" {
	run --separate-stderr replay "$HOSTS/docker-default"
	says 'fix, docker: --security-opt seccomp=seccomp.json'
	says_not 'kubernetes|podman'
	run --separate-stderr replay "$HOSTS/kubernetes-default"
	says '  seccompProfile: \{type: Localhost'
	says_not 'docker|podman'
	run --separate-stderr replay "$HOSTS/containerd-nerdctl"
	says 'docker' && says 'podman' && says 'kubernetes'
}

@test "a hostile snapshot can neither paint the terminal nor break the JSON" {
	cp -r "$HOSTS/docker-default" "$BATS_TEST_TMPDIR/evil"
	pushd "$BATS_TEST_TMPDIR/evil"
	printf '\033[2Jevil"\\\n' >proc/1/comm
	printf '\033]0;title\007","x":"\n' >proc/self/attr/current
	printf '5.0\033[31m"\n' >proc/sys/kernel/osrelease
	printf '600 500 0:52 / / rw - over\033[1mlay overlay rw\n' >proc/self/mountinfo
	popd
	for form in --json --color=never; do
		LC_ALL=C run --separate-stderr replay "$BATS_TEST_TMPDIR/evil" $form
		[ "$status" -eq 1 ]
		LC_ALL=C absent -q $'[\x01-\x09\x0b-\x1f\x7f-\xff]' <<<"$output"
	done
	run --separate-stderr replay "$BATS_TEST_TMPDIR/evil" --json
	doctor_schema "$output"
	value "$output" '.host.lsm_label | startswith("\\x1b]0;")'
	# Not even a JSON that is none, or a folder that is no snapshot, is believed.
	echo '{"probes":{"real_proc":{"verdict":"fine"},"proc_bind":{}}}' >"$BATS_TEST_TMPDIR/evil/snapshot/probe.json"
	run --separate-stderr replay "$BATS_TEST_TMPDIR/evil"
	[ "$status" -eq 3 ]
	run --separate-stderr replay "$BATS_TEST_TMPDIR"
	[ "$status" -eq 3 ]
}

@test "a report of this very machine is valid, the same in both forms, and 80 columns wide" {
	run --separate-stderr init doctor --json
	echo "$output"
	[ "$status" -eq "$(value "$output" .exit)" ]
	doctor_schema "$output"
	value "$output" '.self.source == "probe" and (.checks | length) == ([.checks[].id] | unique | length)'
	run /usr/bin/python3 tests/helpers/doctor_check.py "$TYPECLAW_INIT" -
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a snapshot of this machine replays to the same facts" {
	need_root "a user's own /proc differs by what may be read"
	tests/helpers/snapshot "$BATS_TEST_TMPDIR/snap" "$TYPECLAW_INIT"
	run --separate-stderr init doctor --json
	live=$(value "$output" '[.host, .self.uid, .self.uid_map, .self.capabilities.effective, .self.strategy]
		| .[0].pids_current = null | .[0].init.environ |= sub("closed"; "empty")')
	run --separate-stderr replay "$BATS_TEST_TMPDIR/snap" --json
	echo "$output"
	replayed=$(value "$output" '[.host, .self.uid, .self.uid_map, .self.capabilities.effective, .self.strategy]
		| .[0].pids_current = null')
	[ "$live" = "$replayed" ]
}

@test "statuses: warnings count with --strict, a bad word is usage, and --quick knows 0 and 1 only" {
	run replay "$HOSTS/leak" --quiet
	[ "$status" -eq 0 ] && [ -z "$output" ]
	run replay "$HOSTS/leak" --quiet --strict
	[ "$status" -eq 1 ] && [ -z "$output" ]
	run replay "$HOSTS/podman-default" --quiet --strict
	[ "$status" -eq 0 ]
	for words in --frob word --color=pink "--message=" "--config /nowhere.ini --quiet"; do
		want=2
		[[ $words != --config* ]] || want=3
		# shellcheck disable=SC2086 # words
		run init doctor $words
		[ "$status" -eq $want ]
		# shellcheck disable=SC2086 # words
		run init doctor --quick $words
		[ "$status" -eq 1 ]
	done
}

@test "--quick makes no namespace, mounts nothing, runs nothing, and takes less than 50 ms" {
	strace -f -o "$BATS_TEST_TMPDIR/trace" -e trace=process,unshare,setns,mount,pivot_root \
		"$TYPECLAW_INIT" doctor --quick --quiet || [ $? -eq 1 ]
	# The program itself is exec'ed, and exits; nothing else.
	run grep -vE 'execve\(|exit_group\(|arch_prctl\(|\+\+\+' "$BATS_TEST_TMPDIR/trace"
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(grep -c 'execve(' "$BATS_TEST_TMPDIR/trace")" -eq 1 ]
	best=1000
	for _ in 1 2 3 4 5 6 7 8; do
		begin=${EPOCHREALTIME/./}
		"$TYPECLAW_INIT" doctor --quick --quiet || true
		took=$(((${EPOCHREALTIME/./} - begin) / 1000))
		((took >= best)) || best=$took
	done
	echo "best of 8: $best ms"
	((best < 50))
}

@test "colour is there on demand only, and marks beyond ASCII in a UTF-8 locale only" {
	LC_ALL=C run replay "$HOSTS/leak"
	absent -q $'\033' <<<"$output"
	says '^  ok   sandbox'
	LC_ALL=C.UTF-8 run replay "$HOSTS/leak" --color=always
	grep -q $'\033\\[33m!' <<<"$output"
	says '✓'
	NO_COLOR=1 CLICOLOR_FORCE=1 run replay "$HOSTS/leak"
	absent -q $'\033' <<<"$output"
	CLICOLOR_FORCE=1 run replay "$HOSTS/leak"
	grep -q $'\033' <<<"$output"
}

@test "a message of bwrap is explained, in the words of the row that fits here" {
	run init doctor --message 'bwrap: pivot_root: Invalid argument'
	[ "$status" -eq 0 ]
	says '^E16-ROOTFS: '
	says 'fix, host: '
	run init doctor --message $'nobody knows\033[31m this'
	[ "$status" -eq 1 ]
	[ "$output" = 'nothing is known about: nobody knows\x1b[31m this' ]
}

@test "no value of an environment and no argv is printed, and none is kept in a snapshot" {
	need_root "makes PID namespaces"
	SECRET=sk-sample-5511
	# PID 1 holds it in its environment, a child of it in its argv, doctor in its own environment.
	# shellcheck disable=SC2016 # expanded in there
	run as_pid1 KEY=$SECRET sh -c 'sh -c "sleep 20; :" '$SECRET' & child=$!
		for form in --json --quick --color=never; do "$1" doctor "$form"; done
		tests/helpers/snapshot "$0/snap" "$1"; kill $child' "$BATS_TEST_TMPDIR" "$TYPECLAW_INIT"
	says '"schema":"typeclaw.doctor/1"'
	says_not "$SECRET"
	[ -s "$BATS_TEST_TMPDIR/snap/proc/self/status" ]
	absent -r "$SECRET" "$BATS_TEST_TMPDIR/snap"
}

@test "after the boot: the record agrees, PID 1 is ours and closed, nothing is a zombie" {
	need_root "makes PID namespaces"
	# The child may be faster than PID 1, which closes its environ once the child was exec'ed.
	# shellcheck disable=SC2016 # expanded in there
	run as_pid1 "$TYPECLAW_INIT" run sh -c '
		while tr -d "\000" </proc/1/environ 2>/dev/null | grep -q .; do sleep 0.01; done
		exec "$0" doctor --json' "$TYPECLAW_INIT"
	output=$(grep '^{' <<<"$output")
	echo "$output"
	value "$output" '.checks[] | select(.id == "sandbox.record") | .summary == "a fresh probe agrees with the boot"'
	[ "$(status_of "$output" supervision.init)" = ok ]
	[ "$(status_of "$output" supervision.environ)" = ok ]
	[ "$(status_of "$output" supervision.reaping)" = ok ]
	value "$output" '.host.init.environ == "closed" or .host.init.environ == "empty"'
}

@test "a bwrap that was swapped after the boot: the fresh probe and the record differ" {
	need_root "makes PID namespaces"
	# The fake goes by its name, so that the real one stands at that name first.
	dir=$(root_dir)
	cp "$(command -v bwrap)" "$dir/bwrap-unsandboxed"
	# shellcheck disable=SC2016 # expanded in there
	run as_pid1 TYPECLAW_SANDBOX_BWRAP="$dir/bwrap-unsandboxed" "$TYPECLAW_INIT" run sh -c \
		'cp -f "$1" "$2"; "$0" doctor --json' "$TYPECLAW_INIT" "$(fake_bwrap unsandboxed)" "$dir"
	rm -r "$dir"
	output=$(grep '^{' <<<"$output")
	echo "$output"
	[ "$(status_of "$output" sandbox.record)" = fail ]
	value "$output" '.checks[] | select(.id == "sandbox.record") | .cause == "record-differs"'
	[ "$(status_of "$output" sandbox.usable)" = fail ]
	value "$output" '.checks[] | select(.id == "sandbox.usable") | .cause == "bwrap-unsound"'
}

@test "a link's target that was swapped after the boot is noticed, and so is a lost link" {
	need_root "makes PID namespaces"
	links=$(links_value '[{"from":"~/.foo","to":"workspace/.foo"}]')
	# shellcheck disable=SC2016 # expanded in there
	run as_pid1 TYPECLAW_SANDBOX_SYMLINKS="$links" "$TYPECLAW_INIT" run sh -c '
		"$0" doctor --quick --json
		rmdir "$1/workspace/.foo"; ln -s /etc "$1/workspace/.foo"; "$0" doctor --quick --json
		rm "$1/workspace/.foo" "$2/.foo"; "$0" doctor --quick --json
		echo mine >"$2/.foo"; "$0" doctor --quick --json' "$TYPECLAW_INIT" "$AGENT" "$HOME_DIR"
	output=$(grep '^{' <<<"$output")
	echo "$output"
	[ "$(jq -r '.checks[] | select(.id == "workspace.links") | .status + " " + .summary' <<<"$output")" = \
"ok 1 of 1 in place
fail ~/.foo: target-is-link (workspace/.foo is a link to \"/etc\")
warn ~/.foo: missing
warn ~/.foo: occupied (a file is there)" ] || { jq -r '.checks[] | select(.id == "workspace.links") | .status + " " + .summary' <<<"$output"; false; }
}

@test "zombies are laid at the door of the parent that does not reap them" {
	need_root "makes PID namespaces"
	# A parent that sleeps for ever, with a child that has ended.
	# shellcheck disable=SC2016 # expanded in there
	run as_pid1 "$TYPECLAW_INIT" run sh -c '
		(sleep 0.01 & exec sleep 20) & parent=$!
		until grep -qs "State:.Z" /proc/[0-9]*/status; do sleep 0.01; done
		"$0" doctor --quick --json; kill $parent' "$TYPECLAW_INIT"
	output=$(grep '^{' <<<"$output")
	value "$output" '.checks[] | select(.id == "supervision.reaping")
		| .status == "warn" and .cause == "E27-ZOMBIES" and (.summary | test("pid [0-9]+ \\(sleep\\) does not reap 1"))'
}

@test "where no boot wrote a record, or a dead one did, doctor says which" {
	need_root "makes PID namespaces"
	run as_pid1 "$TYPECLAW_INIT" doctor --quick --json
	value "$output" '.checks[] | select(.id == "sandbox.record") | .status == "skip"'
	value "$output" '.checks[] | select(.id == "sandbox.usable") | .status == "warn" and .cause == "not-probed"'
	value "$output" '.headline | startswith("READY WITH WARNINGS: nobody probed here")'
	# shellcheck disable=SC2016 # expanded in there
	run as_pid1 sh -c '"$0" run true; "$0" doctor --quick --json' "$TYPECLAW_INIT"
	output=$(grep '^{' <<<"$output")
	value "$output" '.checks[] | select(.id == "sandbox.record") | .status == "warn" and .cause == "record-stale"'
}

@test "the boot tells in one line, and one for each warning, what doctor tells of it" {
	need_root "makes PID namespaces"
	for bwrap in "$(command -v bwrap)" /nowhere/bwrap; do
		run --separate-stderr as_pid1 TYPECLAW_SANDBOX_BWRAP="$bwrap" "$TYPECLAW_INIT" run \
			"$TYPECLAW_INIT" doctor --json
		# shellcheck disable=SC2154 # bats sets it
		echo "$stderr"
		# Of the checks that a boot can make; supervision and the record are for later.
		causes=$(value "$output" '[.checks[] | select(.group == "Sandbox" or .group == "Container"
			or .id == "workspace.agent") | .cause | strings] | unique | sort | join(" ")')
		[ "$(grep -o '([a-zA-Z0-9-]*)\(; fix.*\)\?$' <<<"$stderr" | sed 's/^(//; s/).*//' | sort -u | xargs)" = "$causes" ]
		headline=$(value "$output" .headline)
		[ "$(grep -c 'READY' <<<"$stderr")" -eq 1 ]
		grep -qF "typeclaw-init: $headline; strategy $(value "$output" .self.strategy)" <<<"$stderr"
	done
	[[ $headline = "NOT READY: bubblewrap is not installed" ]]
}

@test "what the boot was told by options only, doctor asks for as well; its own options win" {
	need_root "makes PID namespaces"
	dir=$(root_dir)
	cp "$(command -v bwrap)" "$dir/mine"
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run --set sandbox.real_proc=true \
		--set sandbox.bwrap="$dir/mine" --set agent.dir="$AGENT/workspace" -- sh -c '
		"$0" doctor --json; "$0" doctor --json --set sandbox.real_proc=false' "$TYPECLAW_INIT"
	rm -r "$dir"
	value "${lines[0]}" ".self.strategy == \"real-proc\" and .self.bwrap.path == \"$dir/mine\"
		and .self.agent.dir == \"$AGENT/workspace\""
	value "${lines[0]}" '.checks[] | select(.id == "sandbox.record") | .summary == "a fresh probe agrees with the boot"'
	value "${lines[1]}" '.self.strategy == "proc-bind"'
	value "${lines[1]}" '.checks[] | select(.id == "sandbox.record") | .status == "fail" and .cause == "record-differs"'
}
