# Attacks from inside of tool calls, in real containers: root and uid 1000, with and without
# SYS_ADMIN, under each strategy.  tests/helpers/attack.c says what is tried.

bats_require_minimum_version 1.5.0
load harness

KEY=sesame-open

# agent_dir UID: an agent folder of that owner, with the key wherever a guest must not find it.
agent_dir() {
	local dir

	dir=$(box_dir)
	mkdir -p "$dir"/{workspace,memory,sessions,public,mounts,.git/hooks}
	for file in .env secrets.json workspace/secret memory/secret sessions/secret; do
		echo "key=$KEY" >"$dir/$file"
	done
	chmod -R a+rX "$dir" && chown -R "$1:$1" "$dir"
	echo "$dir"
}

# A sibling call with the key in a variable, then the attack as a guest and as a member.
ATTACK='
strategy=$(typeclaw-init strategy); echo "strategy $strategy"
typeclaw-init sandbox --set-env TOKEN=$AGENT_KEY -c "echo up >public/up; sleep 30" &
n=0; while [ ! -e /agent/public/up ] && [ $n -lt 400 ]; do n=$((n + 1)); sleep 0.05; done
sibling=$!
for role in guest member; do
	[ $role = guest ] || rm /agent/*/secret # what a member may see is no secret
	echo "role $role"
	typeclaw-init sandbox --role $role -- $ATTACK_PROGRAM '"${KEY#s}"' /agent; echo "status $?"
done
kill -0 $sibling && echo "sibling alive"
kill $sibling; wait $sibling 2>/dev/null; echo "sibling $?"'

# attack_in STRATEGY NET OPTION...: every row held, for both roles, and the strategy is that one.
attack_in() {
	local strategy=$1 net=$2 user=0 dir

	shift 2
	[[ $* != *--user* ]] || user=1000
	dir=$(agent_dir $user)
	run --separate-stderr box "$UNCONFINED" -v "$dir:/agent" -e AGENT_KEY=$KEY \
		-e ATTACK_PROGRAM=$HELPERS/attack "$@" -- sh -c "$ATTACK"
	output=${output//$'\r'/}
	echo "$output"
	echo "$stderr"
	[ "$status" -eq 0 ]
	says "^strategy $strategy$"
	says '^sibling alive$'
	says '^sibling 143$'
	[ "$(grep -c '^status 0$' <<<"$output")" -eq 2 ]
	[ "$(grep -Ec '^[a-z0-9-]+ held( |$)' <<<"$output")" -eq 34 ]
	says_not BROKEN
	[ "$(grep -c "^proc1-net $net$" <<<"$output")" -eq 2 ]
	[ ! -e "$dir/planted" ]
}

@test "root: every attack is held under proc-bind" {
	attack_in proc-bind open
}

@test "uid 1000, no capability, no-new-privileges: every attack is held under proc-bind" {
	attack_in proc-bind open --user 1000:1000 --cap-drop ALL --security-opt no-new-privileges
}

@test "root with SYS_ADMIN on a terminal, not asked for: every attack is held under proc-bind" {
	attack_in proc-bind open --cap-add SYS_ADMIN -t
}

@test "uid 1000 in a container with SYS_ADMIN: every attack is held under proc-bind" {
	attack_in proc-bind open --user 1000:1000 --cap-add SYS_ADMIN
}

@test "root with SYS_ADMIN, asked for: every attack is held under real-proc" {
	attack_in real-proc open --cap-add SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1
}

@test "root and uid 1000: every attack is held under tmpfs" {
	attack_in tmpfs closed -e TYPECLAW_SANDBOX_BWRAP=$HELPERS/bwrap-rwproc
	attack_in tmpfs closed -e TYPECLAW_SANDBOX_BWRAP=$HELPERS/bwrap-rwproc --user 1000:1000
}

@test "the attack finds the key where nothing is hidden from it: the rows can break" {
	dir=$(agent_dir 0)
	run box "$UNCONFINED" -v "$dir:/agent" -e AGENT_KEY=$KEY -- \
		typeclaw-init sandbox --see private,secrets -- $HELPERS/attack "${KEY#s}" /agent
	[ "$status" -eq 0 ]
	says '^umount BROKEN'
	says '^key-in-files BROKEN'
	run box "$UNCONFINED" --cap-add SYS_ADMIN -v "$dir:/agent" -e AGENT_KEY=$KEY -- \
		$HELPERS/attack "${KEY#s}" /agent
	echo "$output"
	says '^environ BROKEN'
	says '^remount BROKEN'
	says '^key-in-files BROKEN'
}

# A process that runs unsandboxed renames folders and links while calls are made.
@test "links swapped in the agent folder while calls are made: nothing outside is ever written" {
	dir=$(agent_dir 0)
	mkdir "$dir/data" "$dir/workspace/cache"
	run --separate-stderr box "$UNCONFINED" -v "$dir:/agent" \
		-e TYPECLAW_SANDBOX_WRITABLE_PATHS=data,workspace/cache -- sh -c '
		echo mine >/root/mine
		(while :; do
			mv /agent/data /agent/data.d; ln -s /agent/.git /agent/data; rm /agent/data
			ln -s /root /agent/data; rm /agent/data; mv /agent/data.d /agent/data
			mv /agent/workspace/cache /agent/workspace/c; ln -s ../.git /agent/workspace/cache
			rm /agent/workspace/cache; mv /agent/workspace/c /agent/workspace/cache
		done) 2>/dev/null & swapper=$!
		n=0; ran=0; while [ $n -lt 60 ]; do n=$((n + 1))
			typeclaw-init sandbox --role member -c "echo x >data/x; echo x >workspace/cache/x; cat data/mine" \
				2>/dev/null && echo read; [ $? -eq 125 ] || ran=$((ran + 1)); done
		kill $swapper; echo "ran $ran"; ls /root /agent/.git'
	echo "$output"
	[ "$status" -eq 0 ]
	says_not '^read$|^x$'
	[ "$(grep -cx mine <<<"$output")" -eq 1 ]
	[ ! -e "$dir/.git/x" ]
	[ "$(grep -oE 'ran [0-9]+' <<<"$output" | cut -d' ' -f2)" -gt 0 ]
}
