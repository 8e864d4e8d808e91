# The two profiles, on this kernel with the real bwrap.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	need_root "in a user namespace of our own the host's bwrap belongs to nobody"
	need_userns
	GROUND=$(root_dir) AGENT=$GROUND/agent ROOT_SECRET=/root/.bats-secret-$$
	export TYPECLAW_AGENT_DIR=$AGENT TYPECLAW_PROBES_BUDGET_MS=1500
	mkdir -p "$AGENT"/{workspace,memory,public} "$GROUND"/{work,home,tmp,cache}
	echo "KEY=sesame-open" >"$AGENT/.env"
	echo seen >"$AGENT/memory/note"
}

teardown() {
	rm -rf "$GROUND" "$ROOT_SECRET"
}

call() {
	run --separate-stderr with_own_run timeout -s KILL 60 "$TYPECLAW_INIT" sandbox "$@"
	echo "status $status: $output / $stderr"
}

bot() {
	call --profile public-bot --workspace "$GROUND/work" --home "$GROUND/home" "$@"
}

@test "public-bot: programs and two folders, no /etc, no agent folder, no network" {
	bot -c 'pwd; echo $HOME; ls -A / | tr "\n" " "; cat /etc/passwd /etc/hosts 2>&1; echo 1 >x; echo 2 >~/y
		cat /proc/net/dev | grep -c :; ls /usr'
	[ "$status" -eq 0 ]
	says '^/workspace$'
	says '^/home/sandbox$'
	says '/etc/passwd: No such file'
	says '/etc/hosts: No such file'
	says_not 'agent|share|include|root '
	[ -e "$GROUND/work/x" ]
	[ -e "$GROUND/home/y" ]
	[ "$(grep -cx 1 <<<"$output")" -eq 1 ] # one interface: lo
	bot -c "ls $AGENT $GROUND"
	[ "$status" -ne 0 ]
}

@test "public-bot: PATH is ours cleaned to the program folders" {
	PATH=/usr/bin:$GROUND:/opt/x:/usr/local/bin:/bin/../etc:$PATH bot -c 'echo $PATH'
	[[ $output = /usr/bin:/usr/local/bin* ]]
	says_not "$GROUND|opt|etc"
	run --separate-stderr with_own_run env PATH=/nowhere "$TYPECLAW_INIT" sandbox --profile public-bot -- sh -c 'echo $PATH'
	says '^/usr/local/sbin:.*/usr/bin'
}

# What lies between the mounts (/, /usr, /home) is the sandbox's own memory, gone with it.
@test "public-bot: nothing of ours but its two folders takes a write" {
	bot -c 'for f in /usr/bin /usr/lib /usr/local/bin /bin /lib /proc /proc/sys; do
		(: >$f/x) 2>/dev/null && echo "wrote $f"; done; : >/tmp/bats-x; : >/workspace/x; : >~/x'
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e /tmp/bats-x ]
}

@test "public-bot without folders: empty ones, and no agent folder is needed" {
	TYPECLAW_AGENT_DIR=$GROUND/none call --profile public-bot -c 'ls -A . ~; echo x >y; pwd'
	[ "$status" -eq 0 ]
	says '^/workspace$'
}

@test "trusted-maintenance: the system read-only, homes and secrets covered, network, XDG folders" {
	echo "sesame-open" >"$ROOT_SECRET"
	call --profile trusted-maintenance --cache "$GROUND/cache" -c "
		cat $ROOT_SECRET; ls -A /home/sandbox; cat /etc/shadow $AGENT/.env; cat $AGENT/memory/note
		echo \$XDG_CACHE_HOME \$XDG_STATE_HOME \$XDG_CONFIG_HOME \$TMPDIR
		for f in / /usr /etc $AGENT $AGENT/public; do (: >\$f/x) 2>/dev/null && echo wrote \$f; done
		: >$GROUND/cache/x; : >/tmp/x; : >~/x; ls /sys/class/net | wc -l"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = seen ]
	says_not 'sesame|root:|wrote'
	says "^$GROUND/cache $GROUND/cache/state /home/sandbox/.config /tmp$"
	[ -e "$GROUND/cache/x" ]
	call --profile trusted-maintenance --network none --json
	value "$output" '.network == "none" and .profile == "trusted-maintenance"'
	call --profile trusted-maintenance --json
	value "$output" '.network == "inherit" and (.writable.dirs | length) == 0'
}

@test "each host folder is judged and named" {
	ln -s "$GROUND/work" "$GROUND/linked"
	: >"$GROUND/file"
	for option in --workspace --home --tmp; do
		for bad in relative "$GROUND/none" "$GROUND/file" / "$GROUND" "$AGENT" "$AGENT/memory"; do
			call --profile public-bot "$option" "$bad" -- true
			[ "$status" -eq 125 ]
			[[ $stderr = *"$option \""* ]]
		done
	done
	call --profile public-bot --tmp /tmp -- true
	[ "$status" -eq 125 ]
	[[ $stderr = *"--tmp"*"everybody"* ]]
	call --profile public-bot --cache "$GROUND/cache" -- true
	[ "$status" -eq 125 ]
	[[ $stderr = *"--cache"* ]]
	mkdir -p /tmp/bats-cache
	call --profile trusted-maintenance --tmp "$GROUND/tmp" --cache /tmp/bats-cache -- true
	rmdir /tmp/bats-cache
	[ "$status" -eq 125 ]
	[[ $stderr = *"--cache"*"below another"* ]]
	call --profile public-bot --tmp "$GROUND/tmp" -c ': >/tmp/here'
	[ "$status" -eq 0 ]
	[ -e "$GROUND/tmp/here" ]
}
