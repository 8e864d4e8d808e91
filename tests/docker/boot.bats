# The whole pass as the ENTRYPOINT of real containers: links, strategy, handoff, end.

bats_require_minimum_version 1.5.0
load harness

# Everything a child can say of its boot, in one go.
SHOW='cat /proc/self/fd/$TYPECLAW_STRATEGY_FD'

@test "seccomp=unconfined: links in place, proc-bind, safe, and the child reads it from its fd" {
	links=$(links_value '[{"from":"~/.foo-cli","to":"workspace/.foo-cli"},
		{"from":"/etc/foo.d","to":"workspace/etc"}]')
	run --separate-stderr box "$UNCONFINED" -e TYPECLAW_SANDBOX_SYMLINKS="$links" -- sh -c "
		$SHOW; readlink /root/.foo-cli; readlink /etc/foo.d; stat -c '%F' /agent/workspace/.foo-cli
		stat -Lc %d:%i /proc/self/fd/\$TYPECLAW_STRATEGY_FD; echo \$TYPECLAW_STRATEGY_ID
		stat -Lc %a /proc/self/fd/\$TYPECLAW_STRATEGY_FD; echo \$\$"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	document=${lines[0]}
	[ "$(value "$document" .schema)" = typeclaw.strategy/1 ]
	[ "$(value "$document" .strategy)" = proc-bind ]
	value "$document" '.reason == null and .retry_helps == false'
	[ "$(value "$document" .probes.proc_bind.verdict)" = safe ]
	[ "$(value "$document" .probes.proc_bind.cause)" = none ]
	[ "$(value "$document" .probes.real_proc.verdict)" = skipped ]
	[ "$(value "$document" .sandbox.usable)" = yes ]
	[ "$(value "$document" .seccomp.decision)" = unconfined ]
	[ "$(value "$document" .sys_admin.decision)" = not-needed ]
	[ "$(value "$document" .init.pid)" = 1 ]
	value "$document" '.symlinks == {"created":2,"unchanged":0,"replaced":0,"refused":0}'
	value "$document" '.sandbox.links == [{"from":"~/.foo-cli","to":"workspace/.foo-cli"},
		{"from":"/etc/foo.d","to":"workspace/etc"}]'
	[ "${lines[1]}" = /agent/workspace/.foo-cli ]
	[ "${lines[2]}" = /agent/workspace/etc ]
	[ "${lines[3]}" = directory ]
	[ "${lines[4]}" = "${lines[5]}" ]
	[ "${lines[6]}" = 444 ]
	# shellcheck disable=SC2154 # bats sets it
	grep -q proc-bind <<<"$stderr"
}

@test "the child's stdout is the child's alone, and the summary is one on stderr" {
	run --separate-stderr box "$UNCONFINED" -- echo hello
	[ "$status" -eq 0 ]
	[ "$output" = hello ]
	[ -n "$stderr" ]
	run --separate-stderr box "$UNCONFINED" -e TYPECLAW_INIT_LOG=quiet -- echo hello
	[ -z "$stderr" ]
}

@test "a variable that came in for the strategy is never passed on" {
	run --separate-stderr box -e TYPECLAW_STRATEGY_FD=0 -e TYPECLAW_STRATEGY_ID=1:1 \
		"$UNCONFINED" -- sh -c 'stat -Lc %d:%i /proc/self/fd/$TYPECLAW_STRATEGY_FD
		echo $TYPECLAW_STRATEGY_ID; env | grep -c TYPECLAW_STRATEGY_'
	[ "${lines[0]}" = "${lines[1]}" ]
	[ "${lines[2]}" = 2 ]
}

@test "exit statuses come out as they should: 0, 7, 143, 137, 126, 127, 125" {
	while IFS='|' read -r want command; do
		run box "$UNCONFINED" -- sh -c "$command"
		[ "$status" -eq "$want" ] || { echo "$command: $status, not $want: $output"; false; }
	done <<-'ROWS'
		0|exit 0
		7|exit 7
		143|kill -TERM $$
		137|kill -KILL $$
	ROWS
	run box "$UNCONFINED" -- /etc/passwd
	[ "$status" -eq 126 ]
	run box "$UNCONFINED" -- /etc
	[ "$status" -eq 126 ]
	run -127 box "$UNCONFINED" -- no-such-command
	says 'no-such-command'
	run -127 box "$UNCONFINED" -- /no/such/command
	run box "$UNCONFINED" -- --no-such-option true
	[ "$status" -eq 125 ]
	says 'no-such-option'
}

@test "docker stop ends a child that traps TERM at once, and a plain sleep too" {
	trapping=$(box_start "$UNCONFINED" --stop-timeout 30 -- sh -c \
		'trap "echo bye; exit 9" TERM; echo ready; while :; do sleep 0.05; done')
	plain=$(box_start "$UNCONFINED" --stop-timeout 30 -- sleep 1000)
	box_line "$trapping" '^ready$'
	wait_until 15 box_exec "$plain" pidof sleep
	SECONDS=0
	timeout -s KILL 40 docker stop "$trapping" "$plain"
	# far from the engine's 30 s, after which it would have been KILL
	[ "$SECONDS" -lt 10 ]
	[ "$(box_wait "$trapping")" = 9 ]
	box_line "$trapping" '^bye$'
	[ "$(box_wait "$plain")" = 143 ]
}

@test "default seccomp: tmpfs, unverified, userns-blocked, unusable, and no time lost" {
	run --separate-stderr box -e TYPECLAW_PROBES_BUDGET_MS=10000 -- sh -c "$SHOW"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[ "$(value "$output" .strategy)" = tmpfs ]
	[ "$(value "$output" .reason)" = unverified ]
	[ "$(value "$output" .probes.proc_bind.verdict)" = inconclusive ]
	[ "$(value "$output" .probes.proc_bind.cause)" = userns-blocked ]
	value "$output" '.retry_helps == false and .probes.proc_bind.attempts == 1'
	[ "$(value "$output" .sandbox.usable)" = no ]
	[ "$(value "$output" .sandbox.cause)" = userns-blocked ]
	[ "$(value "$output" .seccomp.mode)" = filter ]
	[ "$(value "$output" .seccomp.decision)" = blocking ]
	# the schedule alone would take 7250 ms
	value "$output" '.probes.proc_bind.elapsed_ms < 1000'
}

@test "seccomp=unconfined, SYS_ADMIN and asked for: real-proc" {
	run --separate-stderr box "$UNCONFINED" --cap-add SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1 \
		-- sh -c "$SHOW"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[ "$(value "$output" .strategy)" = real-proc ]
	[ "$(value "$output" .probes.real_proc.verdict)" = available ]
	[ "$(value "$output" .sys_admin.decision)" = granted ]
	[ "$(value "$output" .sandbox.usable)" = yes ]
}

@test "seccomp=unconfined and asked for, but no SYS_ADMIN: proc-bind, and it says why" {
	run --separate-stderr box "$UNCONFINED" -e TYPECLAW_SANDBOX_REAL_PROC=1 -- sh -c "$SHOW"
	[ "$(value "$output" .strategy)" = proc-bind ]
	[ "$(value "$output" .probes.real_proc.verdict)" = unavailable ]
	[ "$(value "$output" .probes.real_proc.cause)" = no-sys-admin ]
	[ "$(value "$output" .sys_admin.decision)" = missing ]
}

@test "SYS_ADMIN that nobody asked for is an unneeded grant" {
	run --separate-stderr box "$UNCONFINED" --cap-add SYS_ADMIN -- sh -c "$SHOW"
	[ "$(value "$output" .strategy)" = proc-bind ]
	[ "$(value "$output" .probes.real_proc.verdict)" = skipped ]
	[ "$(value "$output" .sys_admin.decision)" = unneeded-grant ]
}

@test "default seccomp with SYS_ADMIN, asked for: not real-proc, pivot-root-blocked" {
	run --separate-stderr box --cap-add SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1 -- sh -c "$SHOW"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[ "$(value "$output" .strategy)" = tmpfs ]
	[ "$(value "$output" .reason)" = unverified ]
	[ "$(value "$output" .probes.real_proc.verdict)" = unavailable ]
	[ "$(value "$output" .probes.real_proc.cause)" = pivot-root-blocked ]
	[ "$(value "$output" .probes.proc_bind.cause)" = pivot-root-blocked ]
	[ "$(value "$output" .sandbox.usable)" = no ]
}

@test "root with no capability at all: its sandbox fails at the uid map, and it says so" {
	run --separate-stderr box "$UNCONFINED" --cap-drop ALL -- sh -c "$SHOW"
	[ "$(value "$output" .strategy)" = tmpfs ]
	[ "$(value "$output" .probes.proc_bind.cause)" = uid-map-blocked ]
	run --separate-stderr box "$UNCONFINED" --cap-drop ALL --cap-add SETFCAP -- sh -c "$SHOW"
	[ "$(value "$output" .strategy)" = proc-bind ]
}

@test "a bwrap that sandboxes nothing: unsafe, tmpfs for good, and sandbox refuses with 125" {
	run --separate-stderr box "$UNCONFINED" -e TYPECLAW_SANDBOX_BWRAP="$HELPERS/bwrap-unsandboxed" \
		-- sh -c "$SHOW; typeclaw-init sandbox -- sh -c 'echo ran >/agent/ran'; echo \$?; ls /agent"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[ "$(value "${lines[0]}" .strategy)" = tmpfs ]
	[ "$(value "${lines[0]}" .reason)" = definitive ]
	[ "$(value "${lines[0]}" .probes.proc_bind.verdict)" = unsafe ]
	value "${lines[0]}" '.retry_helps == false'
	[ "$(value "${lines[0]}" .sandbox.usable)" = no ]
	[ "${lines[1]}" = 125 ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "a bwrap that sandboxes nothing is unsafe also when real-proc was asked for and granted" {
	run --separate-stderr box "$UNCONFINED" --cap-add SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1 \
		-e TYPECLAW_SANDBOX_BWRAP="$HELPERS/bwrap-unsandboxed" \
		-- sh -c "$SHOW; typeclaw-init sandbox -- sh -c 'echo ran >/agent/ran'; echo \$?; ls /agent"
	echo "$output" "$stderr"
	[ "$(value "${lines[0]}" .strategy)" = tmpfs ]
	[ "$(value "${lines[0]}" .reason)" = definitive ]
	[ "$(value "${lines[0]}" .probes.proc_bind.verdict)" = unsafe ]
	value "${lines[0]}" '.probes.real_proc.verdict != "available"'
	[ "${lines[1]}" = 125 ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "a bwrap that only exits 0 proves nothing" {
	run --separate-stderr box "$UNCONFINED" --cap-add SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1 \
		-e TYPECLAW_SANDBOX_BWRAP="$HELPERS/bwrap-exit0" \
		-- sh -c "$SHOW; typeclaw-init sandbox -- true; echo \$?"
	echo "$output" "$stderr"
	[ "$(value "${lines[0]}" .strategy)" = tmpfs ]
	[ "$(value "${lines[0]}" .reason)" = unverified ]
	[ "$(value "${lines[0]}" .probes.proc_bind.verdict)" = inconclusive ]
	value "${lines[0]}" '.probes.real_proc.verdict != "available" and .sandbox.usable != "yes"'
	[ "${lines[1]}" = 125 ]
}

@test "fail_if_unavailable: 125 before the child starts where no sandbox works, else nothing" {
	run box -e TYPECLAW_SANDBOX_FAIL_IF_UNAVAILABLE=1 -- echo started
	[ "$status" -eq 125 ]
	says_not '^started'
	run box "$UNCONFINED" -e TYPECLAW_SANDBOX_FAIL_IF_UNAVAILABLE=1 -- echo started
	[ "$status" -eq 0 ]
	says '^started'
}

@test "a sandboxed tool runs under the strategy and cannot read the agent's key" {
	run --separate-stderr box "$UNCONFINED" -e AGENT_API_KEY=sk-sample -- sh -c '
		tr "\0" "\n" </proc/$$/environ | grep -c sk-sample
		typeclaw-init sandbox -- sh -c "
			cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ 2>/dev/null
			env; cat /proc/$$/environ; echo x >/agent/x"
		echo $?; ls /agent'
	echo "$output" "$stderr"
	[ "${lines[0]}" = 1 ]
	[ "$(grep -c sk-sample <<<"$output$stderr")" -eq 0 ]
	grep -q "/proc/.*Permission denied" <<<"$stderr"
	grep -q "/agent/x.*Read-only" <<<"$stderr"
}

@test "docker exec finds the boot record, and sandbox runs under it" {
	name=$(box_start "$UNCONFINED" -- sh -c 'echo ready; sleep 1000')
	box_line "$name" '^ready$'
	run box_exec "$name" typeclaw-init strategy
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = proc-bind ]
	run box_exec "$name" typeclaw-init sandbox -- sh -c 'exit 6'
	[ "$status" -eq 6 ]
}

@test "a restarted container does not take the old boot record for its own" {
	name=$(box_start "$UNCONFINED" -- sh -c 'echo "started $(wc -l </run/starts 2>/dev/null)"
		echo >>/run/starts; trap "exit 0" TERM; while :; do sleep 0.05; done')
	box_line "$name" '^started'
	first=$(box_exec "$name" typeclaw-init strategy --json)
	box_exec "$name" cp /run/typeclaw/strategy.json /root/old
	timeout -s KILL 60 docker restart -t 30 "$name"
	box_line "$name" '^started 1'
	second=$(box_exec "$name" typeclaw-init strategy --json)
	[ "$(value "$first" .init.start_ticks)" != "$(value "$second" .init.start_ticks)" ] ||
		[ "$(value "$first" .init.pid_ns)" != "$(value "$second" .init.pid_ns)" ]
	# The old one put back in its place is refused: no document, status 3.
	box_exec "$name" cp /root/old /run/typeclaw/strategy.json
	run box_exec "$name" typeclaw-init strategy
	echo "$output"
	[ "$status" -eq 3 ]
}

@test "a record that a tool planted, or one that others may write, is refused" {
	name=$(box_start "$UNCONFINED" -- sh -c 'echo ready; sleep 1000')
	box_line "$name" '^ready$'
	box_exec "$name" sh -c 'chmod 666 /run/typeclaw/strategy.json'
	run box_exec "$name" typeclaw-init strategy
	[ "$status" -eq 3 ]
	box_exec "$name" sh -c 'cd /run/typeclaw && chmod 644 strategy.json && mv strategy.json x &&
		ln -s x strategy.json'
	run box_exec "$name" typeclaw-init strategy
	[ "$status" -eq 3 ]
	box_exec "$name" sh -c 'cd /run/typeclaw && mv x strategy.json && chown 1000 strategy.json'
	run box_exec "$name" typeclaw-init strategy
	[ "$status" -eq 3 ]
}

@test "a read-only root boots, without a boot record and without failing" {
	run --separate-stderr box "$UNCONFINED" --read-only -- sh -c "$SHOW; ls /run/typeclaw"
	echo "$output" "$stderr"
	[ "$(value "${lines[0]}" .strategy)" = proc-bind ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "uid 1000 boots, also with everything taken from it" {
	for options in "" "--cap-drop ALL --security-opt no-new-privileges --read-only"; do
		# shellcheck disable=SC2086 # options are words
		run --separate-stderr box "$UNCONFINED" --user 1000:1000 -e HOME=/home/user $options \
			-- sh -c "$SHOW; typeclaw-init sandbox -- id -u; typeclaw-init strategy"
		echo "$output" "$stderr"
		[ "$status" -eq 0 ]
		[ "$(value "${lines[0]}" .strategy)" = proc-bind ]
		[ "${lines[1]}" = 1000 ]
		[ "${lines[2]}" = proc-bind ]
	done
}

@test "the working directory is the child's, / or any other" {
	run --separate-stderr box "$UNCONFINED" --workdir / -- pwd
	[ "$output" = / ]
	run --separate-stderr box "$UNCONFINED" --workdir /agent -- pwd
	[ "$output" = /agent ]
}

@test "malformed links are one line, no link, and the boot goes on" {
	while IFS='|' read -r code text; do
		run --separate-stderr box "$UNCONFINED" -e TYPECLAW_SANDBOX_SYMLINKS="$text" -- \
			sh -c "$SHOW; find /root /agent -mindepth 1"
		[ "$status" -eq 0 ]
		[ "$(grep -c "$code" <<<"$stderr")" -ge 1 ] || { echo "$code: $stderr"; false; }
		value "${lines[0]}" '.symlinks.created == 0 and .strategy == "proc-bind"'
		[ "${#lines[@]}" -eq 1 ]
	done <<-ROWS
		env-bad-base64|%%%
		env-bad-json|$(links_value '[{"from":"~/.x","to":"a"},')
		env-bad-json|$(links_value '[{"from":"~/.x","to":"a","to":"b"}]')
		env-not-array|$(links_value '{"from":"~/.x","to":"a"}')
		env-too-deep|$(links_value '[[[[[[[[[[[[[[]]]]]]]]]]]]]]')
	ROWS
}

@test "a bad link among good ones is refused alone" {
	links=$(links_value '[{"from":"~/.a","to":"w/a"},{"from":"/proc/x","to":"w/b"},
		{"from":"~/.c","to":"../../etc"},{"from":"~/.d","to":"w/d"}]')
	run --separate-stderr box "$UNCONFINED" -e TYPECLAW_SANDBOX_SYMLINKS="$links" -- \
		sh -c "$SHOW; readlink /root/.a; readlink /root/.d; find /root -mindepth 1 | wc -l"
	value "${lines[0]}" '.symlinks == {"created":2,"unchanged":0,"replaced":0,"refused":2}'
	[ "${lines[1]}" = /agent/w/a ]
	[ "${lines[2]}" = /agent/w/d ]
	[ "${lines[3]}" = 2 ]
	grep -q from-system-root <<<"$stderr"
	grep -q to-dotdot <<<"$stderr"
}

@test "fail_if_refused: 125 and no child when a link is refused" {
	run box -e TYPECLAW_SYMLINKS_FAIL_IF_REFUSED=1 \
		-e TYPECLAW_SANDBOX_SYMLINKS="$(links_value '[{"from":"/proc/x","to":"w"}]')" -- echo started
	[ "$status" -eq 125 ]
	says_not '^started'
}

@test "a bad INI at the default place: boots with the defaults and says so" {
	dir=$(box_dir)
	printf '[probes]\nbudget_ms = soon\n' >"$dir/init.ini"
	run --separate-stderr box "$UNCONFINED" -v "$dir:/etc/typeclaw:ro" -- sh -c "$SHOW"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	[ "$(value "$output" .strategy)" = proc-bind ]
	grep -q '/etc/typeclaw/init.ini:2: probes.budget_ms' <<<"$stderr"
}

@test "a bad INI at the default place that mentions fail_if_refused makes it true" {
	dir=$(box_dir)
	printf '[symlinks]\nfail_if_refused = perhaps\n' >"$dir/init.ini"
	run box "$UNCONFINED" -v "$dir:/etc/typeclaw:ro" \
		-e TYPECLAW_SANDBOX_SYMLINKS="$(links_value '[{"from":"/proc/x","to":"w"}]')" -- echo started
	[ "$status" -eq 125 ]
	says_not '^started'
}

@test "an INI that was named and is missing or bad, or a bad variable: 125 and no child" {
	dir=$(box_dir)
	printf '[init]\nkill_grace = 1\n' >"$dir/bad.ini"
	run box -v "$dir:/x:ro" -e TYPECLAW_INIT_CONFIG=/x/bad.ini -- echo started
	[ "$status" -eq 125 ]
	says '/x/bad.ini:2:.*init.kill_grace'
	says_not '^started'
	run box -e TYPECLAW_INIT_CONFIG=/x/none.ini -- echo started
	[ "$status" -eq 125 ]
	says '/x/none.ini'
	run box -e TYPECLAW_INIT_KILL_GRACE_MS=-1 -- echo started
	[ "$status" -eq 125 ]
	says 'TYPECLAW_INIT_KILL_GRACE_MS'
	says_not '^started'
}

@test "500 orphans leave no zombie after one second" {
	name=$(box_start "$UNCONFINED" -- sh -c 'i=0; while [ $i -lt 500 ]; do (true & ) ; i=$((i+1)); done
		echo made; while :; do sleep 0.05; done')
	box_line "$name" '^made$'
	SECONDS=0
	wait_until 1 no_zombie_in "$name"
}

no_zombie_in() {
	[ "$(box_exec "$1" sh -c 'cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z "')" = 0 ]
}

@test "not PID 1 (docker run --init): a subreaper that still reaps, and says nothing of it" {
	name=$(box_start --init "$UNCONFINED" -- sh -c 'i=0; while [ $i -lt 50 ]; do (true & ) ; i=$((i+1)); done
		echo "made below $PPID"; while :; do sleep 0.05; done')
	run box_line "$name" '^made below'
	[ "$output" != "made below 1" ]
	wait_until 1 no_zombie_in "$name"
	# the orphans became ours, not the engine's init's: it has one child
	[ "$(box_exec "$name" sh -c 'cat /proc/[0-9]*/stat | awk "\$4 == 1" | wc -l')" = 1 ]
	box_logs "$name" | grep -i 'not pid 1' && false
	run box --init "$UNCONFINED" -- sh -c "$SHOW"
	says '"strategy":"proc-bind"'
}

@test "SIGTERM while it is still probing ends the boot at once with 143" {
	name=$(box_start "$UNCONFINED" -e TYPECLAW_SANDBOX_BWRAP="$HELPERS/bwrap-hang" \
		-e TYPECLAW_PROBES_BUDGET_MS=60000 -e TYPECLAW_PROBES_ATTEMPT_TIMEOUT_MS=60000 -- echo started)
	wait_until 10 box_exec "$name" sh -c 'grep -l bwrap-hang /proc/[0-9]*/comm /proc/[0-9]*/cmdline'
	SECONDS=0
	docker kill -s TERM "$name"
	[ "$(box_wait "$name")" = 143 ]
	[ "$SECONDS" -lt 10 ]
	run box_logs "$name"
	says_not '^started'
}

@test "an image that holds nothing but the binary boots: no /bin, no bwrap, no /etc" {
	root=$(box_dir)
	cp "$TYPECLAW_INIT" "$root/typeclaw-init"
	tar -C "$root" -c . | timeout -s KILL 60 docker import - "$IMAGE-empty" >/dev/null
	run --separate-stderr timeout -s KILL 60 docker run --network none --label "$(harness_label)" \
		--name "$(harness_name)" "$UNCONFINED" "$IMAGE-empty" \
		/typeclaw-init run -- /typeclaw-init strategy --json
	echo "$output" "$stderr"
	[ "$status" -eq 20 ]
	[ "$(value "$output" .strategy)" = tmpfs ]
	[ "$(value "$output" .probes.proc_bind.cause)" = bwrap-missing ]
}
