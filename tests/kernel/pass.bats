# The pass and its truncations on this very kernel, without an engine: as PID 1 of fresh
# namespaces, with the real bwrap and with ones that are not what they seem.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	need_root "in a user namespace of our own the host's bwrap belongs to nobody"
	need_userns
	agent_make
	export TYPECLAW_PROBES_BUDGET_MS=1500
}

SHOW='cat /proc/self/fd/$TYPECLAW_STRATEGY_FD'

@test "make run shows the links, a proven strategy and a key that the sandbox cannot read" {
	run tests/helpers/demo "$TYPECLAW_INIT" "$BATS_TEST_TMPDIR/demo"
	echo "$output"
	[ "$status" -eq 0 ]
	says '~/.foo-cli -> .*/agent/workspace/.foo-cli'
	says 'to-dotdot'
	says '"strategy":"proc-bind"'
	says '"usable":"yes"'
	says '^   AGENT_API_KEY=sk-sample'
	says '/proc/[0-9]+/environ: Permission denied'
	says 'the key is in nothing that the sandboxed command could read'
	says 'ended with status 0'
}

@test "link makes the links and says so: a table, JSON, statuses 0 and 1" {
	export TYPECLAW_SANDBOX_SYMLINKS
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.a","to":"w/a"}]')
	run --separate-stderr init link --json
	[ "$status" -eq 0 ]
	value "$output" '.schema == "typeclaw.links/1" and .code == null'
	value "$output" ".links == [{\"index\":0,\"from\":\"~/.a\",\"to\":\"w/a\",\"result\":\"created\",
		\"path\":\"$HOME_DIR/.a\",\"target\":\"$AGENT/w/a\",\"detail\":null}]"
	value "$output" '.counts == {"created":1,"unchanged":0,"replaced":0,"refused":0}'
	[ "$(readlink "$HOME_DIR/.a")" = "$AGENT/w/a" ]
	run --separate-stderr init link
	[ "$status" -eq 0 ]
	says 'unchanged'
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.a","to":"w/a"},{"from":"x","to":"w/b"}]')
	run --separate-stderr init link --json
	[ "$status" -eq 1 ]
	value "$output" '[.links[].result] == ["unchanged","from-not-absolute"]'
}

@test "link --dry-run judges everything and writes nothing" {
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.a","to":"w/a"},{"from":"~/.b","to":".git/x"}]') \
		run --separate-stderr init link --dry-run --json
	[ "$status" -eq 1 ]
	value "$output" '[.links[].result] == ["created","to-forbidden"]'
	[ -z "$(find "$HOME_DIR" "$AGENT/w" -mindepth 1 2>/dev/null)" ]
}

@test "link with an unreadable value: its code, no entry, status 1" {
	TYPECLAW_SANDBOX_SYMLINKS=%%% run --separate-stderr init link --json
	[ "$status" -eq 1 ]
	value "$output" '.code == "env-bad-base64" and .links == []'
}

@test "probe: 0 safe, 10 unsafe, 20 inconclusive, with schema and both keys" {
	while IFS='|' read -r kind want verdict strategy reason; do
		bwrap=$([ "$kind" = real ] || fake_bwrap "$kind")
		run --separate-stderr init probe --json --set "sandbox.bwrap=$bwrap" proc-bind
		echo "$kind: $status $output $stderr"
		[ "$status" -eq "$want" ]
		[ "$(value "$output" .schema)" = typeclaw.probe/1 ]
		[ "$(value "$output" .probes.proc_bind.verdict)" = "$verdict" ]
		[ "$(value "$output" .probes.real_proc.verdict)" = skipped ]
		[ "$(value "$output" .strategy)" = "$strategy" ]
		[ "$(jq -r .reason <<<"$output")" = "$reason" ]
		value "$output" '.probes.proc_bind | has("cause") and has("errno") and has("evidence") and
			has("attempts") and has("elapsed_ms") and (.checks | type == "array")'
	done <<-ROWS
		real|0|safe|proc-bind|null
		unsandboxed|10|unsafe|tmpfs|definitive
		exit0|20|inconclusive|tmpfs|unverified
		no-such-file|20|inconclusive|tmpfs|unverified
	ROWS
}

@test "a bwrap that others may write, or that lies below the agent folder, is refused" {
	dir=$(root_dir)
	cp /usr/bin/bwrap "$dir/bwrap"
	run init probe --json --set "sandbox.bwrap=$dir/bwrap" proc-bind
	[ "$status" -eq 0 ]
	chmod 757 "$dir/bwrap"
	run --separate-stderr init probe --json --set "sandbox.bwrap=$dir/bwrap" proc-bind
	[ "$status" -eq 20 ]
	[ "$(value "$output" .probes.proc_bind.cause)" = bwrap-refused ]
	chmod 755 "$dir/bwrap"
	run --separate-stderr init probe --json --set "sandbox.bwrap=$dir/bwrap" --set "agent.dir=$dir" proc-bind
	[ "$status" -eq 20 ]
	[ "$(value "$output" .probes.proc_bind.cause)" = bwrap-refused ]
	rm -r "$dir"
}

@test "strategy: 3 without a document, the word and 0 with one, the document with --json" {
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" strategy
	[ "$status" -eq 3 ]
	[ -z "$output" ] && [ -n "$stderr" ]
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run -- sh -c "
		$SHOW >$BATS_TEST_TMPDIR/document; $TYPECLAW_INIT strategy --json >$BATS_TEST_TMPDIR/said
		$TYPECLAW_INIT strategy"
	[ "$status" -eq 0 ]
	[ "$output" = proc-bind ]
	cmp "$BATS_TEST_TMPDIR/document" "$BATS_TEST_TMPDIR/said"
}

@test "strategy: 10 for tmpfs for good, 20 for tmpfs unverified" {
	run --separate-stderr as_pid1 TYPECLAW_SANDBOX_BWRAP="$(fake_bwrap unsandboxed)" \
		"$TYPECLAW_INIT" run -- "$TYPECLAW_INIT" strategy
	[ "$status" -eq 10 ]
	[ "$output" = tmpfs ]
	run --separate-stderr as_pid1 TYPECLAW_SANDBOX_BWRAP=/no/bwrap \
		"$TYPECLAW_INIT" run -- "$TYPECLAW_INIT" strategy
	[ "$status" -eq 20 ]
	[ "$output" = tmpfs ]
}

@test "a stale number or ID of the descriptor is noticed" {
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run -- sh -c "
		rm -rf /run/typeclaw
		TYPECLAW_STRATEGY_ID=1:1 $TYPECLAW_INIT strategy; echo \$?
		TYPECLAW_STRATEGY_FD=0 $TYPECLAW_INIT strategy; echo \$?
		TYPECLAW_STRATEGY_FD=x $TYPECLAW_INIT strategy; echo \$?
		$TYPECLAW_INIT strategy; echo \$?"
	[ "$output" = $'3\n3\n3\nproc-bind\n0' ]
}

@test "a document that is not sealed is no document" {
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run -- bash -c "
		rm -rf /run/typeclaw; cp /proc/self/fd/\$TYPECLAW_STRATEGY_FD $BATS_TEST_TMPDIR/forged
		exec 20<$BATS_TEST_TMPDIR/forged
		export TYPECLAW_STRATEGY_FD=20 TYPECLAW_STRATEGY_ID=\$(stat -Lc %d:%i /proc/self/fd/20)
		$TYPECLAW_INIT strategy; echo \$?"
	[ "$output" = 3 ]
}

@test "the document can be written by nobody, neither through its fd nor through /proc" {
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run -- sh -c '
		echo x >&$TYPECLAW_STRATEGY_FD && echo written
		echo x >>/proc/self/fd/$TYPECLAW_STRATEGY_FD && echo appended
		true >/proc/self/fd/$TYPECLAW_STRATEGY_FD && echo truncated
		cat /proc/self/fd/$TYPECLAW_STRATEGY_FD | head -c 10
		cat /proc/self/fd/$TYPECLAW_STRATEGY_FD | head -c 10'
	[ "$output" = '{"schema":{"schema":' ]
}

@test "sandbox: the command's own status, 128+N, 127, 126, and its words as they are" {
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run -- sh -c "
		$TYPECLAW_INIT sandbox -- sh -c 'exit 7'; echo \$?
		$TYPECLAW_INIT sandbox -- sh -c 'kill -TERM \$\$'; echo \$?
		$TYPECLAW_INIT sandbox -- no-such-command; echo \$?
		$TYPECLAW_INIT sandbox -- /etc/passwd; echo \$?
		$TYPECLAW_INIT sandbox -- printf '%s|' 'a b' '' '*'; echo \$?"
	echo "$output" "$stderr"
	[ "$output" = $'7\n143\n127\n126\na b||*|0' ]
}

@test "sandbox: no network, no capability, no variable, a read-only agent folder, /proc read-only" {
	export SECRET_TOKEN=sk-secret
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run -- "$TYPECLAW_INIT" sandbox -- sh -c '
		env | grep -c SECRET; grep CapEff /proc/self/status; ls /sys/class/net 2>/dev/null
		tail -n +3 /proc/net/dev | cut -d: -f1; echo x >'"$AGENT"'/x; echo $?
		echo 1 >/proc/self/oom_score_adj; echo $?; id -u'
	echo "$output" "$stderr"
	[ "${lines[0]}" = 0 ]
	[[ ${lines[1]} = CapEff:*0000000000000000 ]]
	[ "${lines[2]// /}" = lo ]
	[ "${lines[3]}" -ne 0 ]
	[ "${lines[4]}" -ne 0 ]
}

@test "sandbox under a bwrap that sandboxes nothing: 125, and the command never runs" {
	run --separate-stderr as_pid1 TYPECLAW_SANDBOX_BWRAP="$(fake_bwrap unsandboxed)" \
		"$TYPECLAW_INIT" run -- "$TYPECLAW_INIT" sandbox -- sh -c "echo ran >$AGENT/ran; echo ran"
	echo "$output" "$stderr"
	[ "$status" -eq 125 ]
	[ -z "$output" ]
	[ ! -e "$AGENT/ran" ]
	[ -n "$stderr" ]
}

@test "nothing of the boot is left behind: no process, and no descriptor but the strategy's" {
	# shellcheck disable=SC2016 # expanded in there
	look='set -- /proc/[0-9]*; echo $#; for fd in /proc/self/fd/*; do echo ${fd##*/}; done'
	run --separate-stderr as_pid1 sh -c "$look"
	without=$output
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run -- sh -c "$look; echo \$TYPECLAW_STRATEGY_FD"
	echo "$without" "$output"
	number=${lines[-1]}
	[ "${lines[0]}" -eq $((${without%%$'\n'*} + 1)) ]
	[ "$(sort <<<"${without#*$'\n'}"$'\n'"$number")" = "$(sort <<<"$(sed '1d;$d' <<<"$output")")" ]
}

@test "the whole schedule of the contract is walked when no attempt gives a verdict" {
	# The one test that takes its time: 250 + 1000 + 2000 + 4000 ms between five probes.
	run --separate-stderr init probe --json --set probes.budget_ms=10000 \
		--set "sandbox.bwrap=$(fake_bwrap killed)" proc-bind
	echo "$output" "$stderr"
	[ "$status" -eq 20 ]
	value "$output" '.probes.proc_bind | .verdict == "inconclusive" and .attempts == 5 and
		.elapsed_ms >= 7250 and .elapsed_ms < 10000'
}

@test "a bwrap that is only slow is found safe" {
	run --separate-stderr init probe --json --set probes.budget_ms=10000 \
		--set "sandbox.bwrap=$(fake_bwrap slow)" proc-bind
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	value "$output" '.probes.proc_bind.verdict == "safe"'
}

@test "the budget ends the schedule, and a bwrap that hangs is killed at its deadline" {
	for kind in hang hangterm; do
		run --separate-stderr init probe --json --set "sandbox.bwrap=$(fake_bwrap $kind)" \
			--set probes.attempt_timeout_ms=300 --set probes.budget_ms=1200 proc-bind
		echo "$output" "$stderr"
		[ "$status" -eq 20 ]
		value "$output" '.probes.proc_bind | .verdict == "inconclusive" and .cause == "timeout" and
			.attempts > 0 and .elapsed_ms < 3000'
	done
	run --separate-stderr find /proc -maxdepth 2 -name exe -lname "$(trusted_dir)/bwrap-hang*"
	[ -z "$output" ]
}
