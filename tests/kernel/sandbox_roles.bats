# What a tool call sees and may write, by role, on this kernel with the real bwrap.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	need_root "in a user namespace of our own the host's bwrap belongs to nobody"
	need_userns
	GROUND=$(root_dir) AGENT=$GROUND/agent
	export TYPECLAW_AGENT_DIR=$AGENT TYPECLAW_PROBES_BUDGET_MS=1500 HOME=$GROUND
	mkdir -p "$AGENT"/{workspace/cache,memory,sessions,public,mounts,.git/hooks,node_modules/typeclaw}
	echo "KEY=sesame-open" >"$AGENT/.env"
	echo '"sesame-open"' >"$AGENT/secrets.json"
	for file in AGENTS.md SOUL.md USER.md typeclaw.json package.json README.md; do
		echo "$file" >"$AGENT/$file"
	done
	for folder in workspace memory sessions; do echo private >"$AGENT/$folder/note"; done
}

teardown() {
	rm -rf "$GROUND" /tmp/typeclaw-session/bats-*
}

call() {
	run --separate-stderr with_own_run timeout -s KILL 60 "$TYPECLAW_INIT" sandbox "$@"
	echo "status $status: $output / $stderr"
}

@test "guest: workspace, memory and sessions are empty, secrets too, only public and mounts take writes" {
	call -c 'cat workspace/note memory/note sessions/note .env secrets.json; cat README.md
		for f in public mounts .git README.md AGENTS.md package.json node_modules; do
			[ -d $f ] && f=$f/x; (echo x >>$f) 2>/dev/null && echo "wrote $f"; done; true'
	[ "$status" -eq 0 ]
	[ "$output" = $'README.md\nwrote public/x\nwrote mounts/x' ]
	[ -e "$AGENT/public/x" ]
	[ "$(cat "$AGENT/README.md")" = README.md ]
}

@test "member: secrets are empty, workspace and the root files take writes, the rest does not" {
	call --role member -c 'cat .env secrets.json; cat memory/note
		for f in workspace memory sessions public mounts .git AGENTS.md SOUL.md IDENTITY.md USER.md \
			cron.json typeclaw.json package.json README.md .env node_modules .; do
			[ -d $f ] && f=$f/x; (echo x >>$f) 2>/dev/null && echo "wrote $f"; done; true'
	[ "$status" -eq 0 ]
	[ "$output" = $'private\nwrote workspace/x\nwrote public/x\nwrote mounts/x\nwrote AGENTS.md
wrote SOUL.md\nwrote USER.md\nwrote typeclaw.json\nwrote package.json' ]
	[ ! -e "$AGENT/cron.json" ]
	[ ! -e "$AGENT/IDENTITY.md" ]
}

@test "an unknown role is a guest, and so is none" {
	call --role superuser -c 'ls workspace; ls -A workspace | wc -l'
	[ "$output" = 0 ]
	call --role superuser --json
	value "$output" '.role == "guest" and (.hidden.dirs | length) == 3 and .sandboxed'
}

@test "trusted and owner: refused, run as it is with --allow-unsandboxed, sandboxed with --see" {
	for role in trusted owner; do
		call --role "$role" -- cat "$AGENT/.env"
		[ "$status" -eq 125 ]
		[ -z "$output" ]
		[[ $stderr = *--allow-unsandboxed* ]]
		call --role "$role" --allow-unsandboxed -- sh -c 'cat "$0"; exit 7' "$AGENT/.env"
		[ "$status" -eq 7 ]
		[ "$output" = KEY=sesame-open ]
		call --role "$role" --json
		value "$output" '.sandboxed == false'
	done
	call --allow-unsandboxed --role member -- cat "$AGENT/.env"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run -127 with_own_run "$TYPECLAW_INIT" sandbox --role owner --allow-unsandboxed -- no-such-command
	call --role owner --allow-unsandboxed -- /etc/passwd
	[ "$status" -eq 126 ]
	call --see private,secrets -c 'cat .env; echo x 2>/dev/null >.git/x || echo read-only'
	[ "$output" = $'KEY=sesame-open\nread-only' ]
}

@test "--see is the table by capability" {
	call --see secrets -c 'cat .env; ls workspace'
	[ "$output" = KEY=sesame-open ]
	call --see private -c 'cat .env; cat workspace/note'
	[ "$output" = private ]
	call --see private --role member -- true
	[ "$status" -eq 125 ]
	call --see everything -- true
	[ "$status" -eq 125 ]
}

@test "configured paths: writable when they are plain folders, dropped with a reason, never fatal" {
	mkdir "$AGENT/data" && ln -s /etc "$AGENT/link" && ln -s workspace "$AGENT/alias"
	export TYPECLAW_SANDBOX_WRITABLE_PATHS=data,missing,link,.git/hooks,alias/cache,README.md,../x
	call --role member --json
	[ "$status" -eq 0 ]
	value "$output" ".writable.dirs | index(\"$AGENT/data\")"
	value "$output" '[.dropped[] | .path + " " + .reason] == ["missing missing","link link",
		".git/hooks forbidden","alias/cache link","README.md wrong-kind","../x dotdot"]'
	call --role member -c 'echo x >data/x && ! echo x >.git/hooks/x 2>/dev/null'
	[ "$status" -eq 0 ]
	[ -e "$AGENT/data/x" ]
	[ ! -e "$AGENT/missing" ]
}

@test "a guest's zone under a mask stays closed" {
	export TYPECLAW_SANDBOX_WRITABLE_PATHS=workspace/cache
	call --json
	value "$output" '.dropped == [{"path":"workspace/cache","reason":"hidden"}]'
	call -c 'ls -A workspace; echo x >workspace/cache/x'
	[ "$status" -ne 0 ]
	[ ! -e "$AGENT/workspace/cache/x" ]
}

@test "a secret that is a link, or on a file system that folds case: 125, and nothing runs" {
	mv "$AGENT/.env" "$GROUND/env" && ln -s ../env "$AGENT/.env"
	call --role member -- touch "$AGENT/public/ran"
	[ "$status" -eq 125 ]
	[[ $stderr = *".env in the agent folder is a link"* ]]
	[ ! -e "$AGENT/public/ran" ]
	rm "$AGENT/.env"
	ln "$GROUND/env" "$AGENT/.env" && ln "$GROUND/env" "$AGENT/.ENV" # what folding looks like
	call --role member -- touch "$AGENT/public/ran"
	[ "$status" -eq 125 ]
	[[ $stderr = *"folds case"* ]]
	[ ! -e "$AGENT/public/ran" ]
}

@test "what is missing needs no mask and is not made" {
	rm -r "$AGENT"/{.env,secrets.json,memory,sessions}
	call -c 'ls -A'
	[ "$status" -eq 0 ]
	[ ! -e "$AGENT/.env" ]
	[ ! -e "$AGENT/memory" ]
}

@test "links inside: to writable folders only, below the sandbox's HOME; the others are dropped" {
	export TYPECLAW_SANDBOX_SYMLINKS
	mkdir -p "$AGENT/workspace/.foo" "$AGENT/public/bar"
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.foo","to":"workspace/.foo"},
		{"from":"~/.config/bar","to":"public/bar"},{"from":"~/.config/bar/x","to":"public/bar"},
		{"from":"/opt/bar","to":"public/bar"}]')
	call --role member -c 'echo x >~/.foo/x; echo y >~/.config/bar/y; echo z >/opt/bar/z'
	[ "$status" -eq 0 ]
	[ -e "$AGENT/workspace/.foo/x" ]
	[ -e "$AGENT/public/bar/y" ]
	[ -e "$AGENT/public/bar/z" ]
	call --json
	value "$output" '[.links[] | .result] | index("not-writable") == 0'
	call -c 'ls ~/.foo 2>/dev/null || echo none; ls ~/.config/bar'
	[ "$output" = $'none\ny\nz' ]
}

@test "a session's /tmp is shared by its calls and by no other; without one it is new each time" {
	call --session bats-a -c 'echo 1 >/tmp/x'
	[ "$status" -eq 0 ]
	[ "$(stat -c %a /tmp/typeclaw-session/bats-a)" = 700 ]
	call --session bats-a -c 'cat /tmp/x; ls -A /tmp'
	[ "$output" = $'1\nx' ]
	call --session bats-b -c 'ls -A /tmp'
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	call -c 'ls -A /tmp'
	[ -z "$output" ]
	call --session ../x -- true
	[ "$status" -eq 125 ]
	rm -rf /tmp/typeclaw-session/bats-b && ln -s /etc /tmp/typeclaw-session/bats-b
	call --session bats-b -- true
	[ "$status" -eq 125 ]
}

@test "a session cannot plant links that the next call's links would be made through" {
	export TYPECLAW_SANDBOX_SYMLINKS
	mkdir -p "$AGENT/workspace/.foo"
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.config/foo","to":"workspace/.foo"}]')
	# /oldroot is where bwrap keeps our root while it sets the sandbox up.
	call --role member --session bats-p -c "rm -rf /tmp/.config; ln -s /oldroot$AGENT/.git /tmp/.config"
	call --role member --session bats-p -c 'ls -ld /tmp/.config'
	[ "$status" -eq 0 ]
	[ -z "$(find "$AGENT/.git" -name foo)" ]
	call --role member --session bats-p --print
	call --role member --session bats-p -c 'rm /tmp/.config'
	call --role member --session bats-p -c 'echo x >~/.config/foo/x'
	[ "$status" -eq 0 ]
	[ -e "$AGENT/workspace/.foo/x" ]
	call --role member --session bats-p -c 'cat ~/.config/foo/x'
	[ "$output" = x ]
}

@test "variables: none of ours but those that are named" {
	export TYPECLAW_TEST_KEY=sesame-open
	call -- env
	[ "$output" = "$(printf '%s\n' LANG=C.UTF-8 PWD="$AGENT" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp | sort)" ] ||
		[ "$(sort <<<"$output" | grep -v ^PWD)" = $'HOME=/tmp\nLANG=C.UTF-8\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' ]
	call --inherit-env TYPECLAW_TEST_KEY --inherit-env NOT_SET --set-env A='b c' --set-env A=d -- \
		sh -c 'echo $TYPECLAW_TEST_KEY,$A,${NOT_SET-none}'
	[ "$output" = sesame-open,d,none ]
	call --set-env 1A=b -- true
	[ "$status" -eq 125 ]
	call --set-env A -- true
	[ "$status" -eq 125 ]
	call --inherit-env A=b -- true
	[ "$status" -eq 125 ]
}

@test "--timeout kills all of it with 124, and what was printed stays" {
	start=$EPOCHREALTIME
	call --timeout 300 -c "echo before; trap '' TERM INT; setsid sleep 1000 & sleep 1000; echo after"
	[ "$status" -eq 124 ]
	[ "$output" = before ]
	call --timeout 30000 -c 'exit 3'
	[ "$status" -eq 3 ]
	call --timeout 0 -- true
	[ "$status" -eq 125 ]
}

@test "real-proc: --timeout and TERM end all of it as well" {
	export TYPECLAW_SANDBOX_REAL_PROC=1
	call --json
	value "$output" '.strategy == "real-proc"' >/dev/null || skip "no real-proc here"
	call --timeout 300 -c "echo before; trap '' TERM INT; setsid sleep 1000 & sleep 1000"
	[ "$status" -eq 124 ]
	[ "$output" = before ]
	"${OWN_RUN[@]}" "$TYPECLAW_INIT" sandbox --role member -c "(setsid sleep 1001 &) ; echo up >workspace/up; sleep 1001" \
		</dev/null >/dev/null 2>&1 3>&- &
	call_pid=$!
	wait_until 20 test -e "$AGENT/workspace/up"
	kill -TERM "$call_pid"
	wait "$call_pid" || status=$?
	[ "$status" -eq 143 ]
	run ! pgrep -f "sleep 1001"
}

@test "TERM to the call ends all that it started" {
	mkfifo "$GROUND/fifo"
	"${OWN_RUN[@]}" "$TYPECLAW_INIT" sandbox --role member -c "(setsid sleep 1000 &) ; echo up >workspace/up; sleep 1000" \
		</dev/null >"$GROUND/fifo" 2>&1 3>&- &
	call_pid=$!
	exec {reader}<"$GROUND/fifo"
	wait_until 20 test -e "$AGENT/workspace/up"
	kill -TERM "$call_pid"
	# The end of file says that nobody writes any more: the whole tree is gone.
	timeout 10 cat <&"$reader"
	wait "$call_pid" || status=$?
	[ "$status" -eq 143 ]
	exec {reader}<&-
}

@test "SIGKILL to the call ends all that it started as well" {
	mkfifo "$GROUND/fifo"
	"${OWN_RUN[@]}" "$TYPECLAW_INIT" sandbox --role member -c "(setsid sleep 1000 &) ; echo up >workspace/up; sleep 1000" \
		</dev/null >"$GROUND/fifo" 2>&1 3>&- &
	call_pid=$!
	exec {reader}<"$GROUND/fifo"
	wait_until 20 test -e "$AGENT/workspace/up"
	kill -KILL "$call_pid"
	timeout 10 cat <&"$reader"
	exec {reader}<&-
}

@test "the tool gets our caller's signal mask and dispositions" {
	with_own_run python3 - "$TYPECLAW_INIT" <<-'END' >"$GROUND/out"
	import os, signal, sys
	signal.pthread_sigmask(signal.SIG_SETMASK, [signal.SIGUSR1])
	signal.signal(signal.SIGUSR2, signal.SIG_IGN)
	[signal.signal(number, signal.SIG_DFL) for number in (signal.SIGPIPE, signal.SIGXFSZ)]
	os.execv(sys.argv[1], [sys.argv[1], "sandbox", "--", "grep", "^Sig", "/proc/self/status"])
	END
	grep -q 'SigBlk:.*0000000000000200' "$GROUND/out"
	grep -q 'SigIgn:.0000000[01][08]0000800' "$GROUND/out"
}

@test "the filter: prefixes and metacharacters, refused with 125 before anything runs" {
	call --allow-prefix 'echo hello' -c 'echo hello there'
	[ "$output" = 'hello there' ]
	call --allow-prefix 'echo hello' -c 'echo hellothere'
	[ "$status" -eq 125 ]
	call --reject-metacharacters -c 'echo a; echo b'
	[ "$status" -eq 125 ]
	[ -z "$output" ]
	call --reject-metacharacters --allow-prefix echo -- echo 'a b'
	[ "$output" = 'a b' ]
}

@test "--cwd: relative to the agent folder, and not below what is hidden" {
	call --role member --cwd workspace/cache -- pwd
	[ "$output" = "$AGENT/workspace/cache" ]
	call --cwd workspace/cache -- pwd
	[ "$status" -eq 125 ]
	call --cwd /usr/bin -- pwd
	[ "$output" = /usr/bin ]
	call --cwd /nowhere -- pwd
	[ "$status" -eq 125 ]
}

@test "what makes no sense is a usage error, and nothing runs" {
	for words in "" "-c x -- y" "--role member --see private -- true" "--workspace /tmp -- true" \
		"--profile nobody -- true" "--network some -- true" "--limit x=1 -- true" \
		"--limit nproc=0 -- true" "--profile public-bot --network inherit -- true"; do
		call $words
		[ "$status" -eq 125 ]
		[[ $stderr = *"sandbox --help"* ]]
	done
}

@test "tightening: calls denied, limits set, and the costs are said" {
	call --deny-syscalls -c 'unshare -U true 2>&1; unshare -r mount -t tmpfs none /mnt; true'
	says 'Operation not permitted'
	call -c 'unshare -U true && echo nested'
	[ "$output" = nested ]
	call --deny-syscalls --limit nofile=40 -c 'ulimit -n; echo ok | cat; sh -c "sh -c \"echo deep\""'
	[ "$output" = $'40\nok\ndeep' ]
	call --deny-syscalls --limit cpu=1 --print
	says 'costs: no nested sandboxes'
	says 'costs: programs that need more'
	call --hide-pids -- true
	[ "$status" -eq 125 ]
	[[ $stderr = *hidepid=4* ]]
}

@test "real-proc: --hide-pids shows only what the tool started" {
	export TYPECLAW_SANDBOX_REAL_PROC=1
	call --json
	value "$output" '.strategy == "real-proc"' >/dev/null || skip "no real-proc here"
	call --hide-pids -c 'ls -d /proc/[0-9]* | wc -l'
	[ "$status" -eq 0 ]
	[ "$output" -le 3 ]
}

@test "a bwrap without --bind-fd is given paths instead, and what is hidden stays hidden" {
	sed 's/--bind-fd/--bond-fd/g; s/--ro-bind-fd/--ro-bond-fd/g' /usr/bin/bwrap >"$GROUND/bwrap"
	chmod 755 "$GROUND/bwrap"
	run "$GROUND/bwrap" --bind-fd 3 /x true
	says 'Unknown option'
	export TYPECLAW_SANDBOX_BWRAP=$GROUND/bwrap
	call --role member --session bats-old -c 'cat .env; echo x >workspace/x; echo x >/tmp/x; echo x >README.md'
	[ "$status" -ne 0 ]
	[ -z "$output" ]
	[ -e "$AGENT/workspace/x" ]
	[ -e /tmp/typeclaw-session/bats-old/x ]
	[ "$(cat "$AGENT/README.md")" = README.md ]
}

@test "the values of --set-env are in no command line while the call runs" {
	"${OWN_RUN[@]}" "$TYPECLAW_INIT" sandbox --role member --set-env A=sesame-open --set-env=B=sesame-open \
		-c 'echo $A$B >workspace/up; sleep 1000' </dev/null 3>&- &
	call_pid=$!
	wait_until 20 test -s "$AGENT/workspace/up"
	[ "$(cat "$AGENT/workspace/up")" = sesame-opensesame-open ]
	# bwrap and the tool are its children and theirs; none of them has it either.
	for pid in "$call_pid" $(cat /proc/"$call_pid"/task/*/children); do
		tr '\0' '\n' <"/proc/$pid/cmdline" >>"$GROUND/words"
	done
	run ! grep sesame "$GROUND/words"
	[ "$(grep -c '=\*\{11\}$' "$GROUND/words")" -eq 2 ]
	kill "$call_pid"
	wait "$call_pid" || status=$?
	[ "$status" -eq 143 ]
}

@test "a key in our session keyring is not in the tool's" {
	cp "$BUILD/static-helpers/attack" "$AGENT/public/attack"
	run "$AGENT/public/attack" --keyring "$AGENT/public/attack" --search-keyring
	[ "$status" -ne 3 ] || skip "no keyrings to be had here"
	says '^keyring BROKEN'
	run with_own_run "$AGENT/public/attack" --keyring "$TYPECLAW_INIT" sandbox -- \
		"$AGENT/public/attack" --search-keyring
	[ "$status" -eq 0 ]
	says '^keyring held'
}
