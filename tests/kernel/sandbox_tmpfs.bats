# Tool calls where /proc may not be shown: a bwrap under which the bound /proc can be written is
# proven unsafe, while its empty /proc holds.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	need_root "in a user namespace of our own the host's bwrap belongs to nobody"
	need_userns
	GROUND=$(root_dir) AGENT=$GROUND/agent
	export TYPECLAW_AGENT_DIR=$AGENT TYPECLAW_PROBES_BUDGET_MS=3000
	mkdir -p "$AGENT"/{workspace,public}
	cp "$(fake_bwrap rwproc)" "$GROUND/bwrap-rwproc"
	export TYPECLAW_SANDBOX_BWRAP=$GROUND/bwrap-rwproc
}

teardown() {
	rm -rf "$GROUND"
}

call() {
	run --separate-stderr with_own_run timeout -s KILL 60 "$TYPECLAW_INIT" sandbox "$@"
	echo "status $status: $output / $stderr"
}

@test "an empty /proc, in which /proc/self/exe leads to the command's own program" {
	call --json
	value "$output" '.strategy == "tmpfs" and .reason == "definitive" and .usable == "yes"'
	call -c 'ls -A /proc /proc/self; readlink /proc/self/exe'
	[ "$status" -eq 0 ]
	says 'self'
	says_not '[0-9]'
	call -- readlink /proc/self/exe
	[ "$output" = "$(realpath "$(command -v readlink)")" ]
	call -c 'readlink /proc/self/exe'
	[ "$output" = "$(realpath "$(command -v readlink)")" ]
}

@test "--self-exe names it, also from outside of what is visible, and a script's interpreter is found" {
	cp "$(realpath "$(command -v readlink)")" "$GROUND/reader"
	call --self-exe "$GROUND/reader" -c 'readlink /proc/self/exe; /proc/self/exe /proc/self/exe'
	[ "$status" -eq 0 ]
	[ "$output" = "$GROUND/reader"$'\n'"$GROUND/reader" ]
	printf '#!%s\nreadlink /proc/self/exe\n' /bin/sh >"$AGENT/public/script"
	chmod +x "$AGENT/public/script"
	call -- "$AGENT/public/script"
	[ "$output" = "$(realpath /bin/sh)" ]
	printf '#!/usr/bin/env sh\nreadlink /proc/self/exe\n' >"$AGENT/public/script"
	call -- "$AGENT/public/script"
	[ "$output" = "$(realpath "$(command -v sh)")" ]
	call --self-exe relative -- true
	[ "$status" -eq 125 ]
	call --self-exe /nowhere -- true
	[ "$status" -eq 125 ]
	[[ $stderr = *--self-exe* ]]
}

@test "definitive: a command that needs a real /proc is stopped, and no retry is suggested" {
	for command in 'bunx cowsay' 'bun add foo' 'cd public && bun install'; do
		call --role member -c "echo ran >workspace/ran; $command"
		[ "$status" -eq 125 ]
		[ ! -e "$AGENT/workspace/ran" ]
		[[ $stderr = *"no retry helps"* ]]
		[[ $stderr = *"/proc can be written"* ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
	call -- bunx cowsay
	[ "$status" -eq 125 ]
	call -c 'echo bunx'
	[ "$status" -eq 0 ]
	[ "$output" = bunx ]
}

@test "unverified: a command that needs a real /proc is stopped, and a retry is suggested" {
	cp "$(fake_bwrap noproc)" "$GROUND/bwrap-noproc"
	export TYPECLAW_SANDBOX_BWRAP=$GROUND/bwrap-noproc TYPECLAW_PROBES_BUDGET_MS=500
	call --role member -c 'touch workspace/ran; bunx cowsay'
	[ "$status" -eq 125 ]
	[ ! -e "$AGENT/workspace/ran" ]
	[[ $stderr = *"try the same command again" ]]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	call -- echo fine
	[ "$status" -eq 0 ]
	[ "$output" = fine ]
}

@test "the bot's profile under an empty /proc" {
	call --profile public-bot --workspace "$AGENT/workspace" --see private -- readlink /proc/self/exe
	[ "$status" -eq 0 ]
	[ "$output" = "$(realpath "$(command -v readlink)")" ]
}

@test "--json of an install under an empty /proc shows what would be, and runs nothing" {
	call --role member --json -c 'bun add foo'
	[ "$status" -eq 0 ]
	value "$output" '.install.writable_root and .strategy == "tmpfs"'
}
