# The terminal: the foreground, the keys, the window, the hang-up, and a shell's job control.

load init

# on_terminal PID1_OPTION... -- RUN_OPTION... -- CMD... <SCRIPT: PID 1 leads the terminal's session.
on_terminal() {
	local options=() more=()

	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	while [ "$1" != -- ]; do more+=("$1"); shift; done
	shift
	keep pty_script pid1 -t "${options[@]}" "$init" run "${quick[@]}" "${more[@]}" "$@"
}

times() { grep -cE "$1" <<<"$output" || :; }

@test "the child is in the foreground of a terminal that was ours, in a group of its own" {
	on_terminal -- -- probe_child state </dev/null
	[ "$status" -eq 0 ]
	[ "$(times 'terminal foreground')" -eq 1 ]
	[ "$(times 'leader yes')" -eq 1 ]
}

@test "Ctrl-C is one INT, Ctrl-\\ one QUIT, a resize one WINCH" {
	on_terminal -- -- probe_child signals QUIT <<-'SCRIPT'
		expect ready
		send \x03
		expect 2 128
		size 40 100
		expect 28 128
		send \x03
		expect 2 128
		send \x1c
		expect 3 128
	SCRIPT
	[ "$status" -eq 0 ]
	# the terminal echoes what was typed before
	[ "$(times '^(\^C)?2 128')" -eq 2 ]
	[ "$(times '^28 128')" -eq 1 ]
	[ "$(times '^(\^.)?3 128')" -eq 1 ]
}

@test "Ctrl-C ends a child that does not handle it: 130" {
	on_terminal -- -- sh -c 'echo up; exec sleep 1000' <<-'SCRIPT'
		expect up
		send \x03
	SCRIPT
	[ "$status" -eq 130 ]
}

@test "a hang-up ends the child, and us" {
	on_terminal -- -- sh -c 'echo up; exec sleep 1000' <<-'SCRIPT'
		expect up
		hangup
	SCRIPT
	[ "$status" -eq 129 ]
}

@test "Ctrl-Z wedges nothing: a child that stops is continued" {
	on_terminal -- -- probe_child job <<-'SCRIPT'
		expect up
		send \x1a
		expect back
		send \x1a
		expect back
		send \x03
	SCRIPT
	[ "$status" -eq 7 ]
}

@test "a STOP that no terminal sent is left alone, on a terminal too" {
	on_terminal -- -- sh -c '(sleep 0.2; kill -CONT $$) & echo up; kill -STOP $$; echo woken; exit 7' <<-'SCRIPT'
		expect up
		expect woken
	SCRIPT
	[ "$status" -eq 7 ]
}

@test "a shell's own job control works: Ctrl-Z, jobs, fg" {
	on_terminal -- -- env PS1='ready> ' PATH="$PATH" bash --norc --noprofile -i <<-'SCRIPT'
		expect ready>
		send probe_child job\n
		expect up
		send \x1a
		expect Stopped
		expect ready>
		send jobs\n
		expect Stopped
		expect ready>
		send fg\n
		expect back
		send \x03
		expect ready>
		send exit 9\n
	SCRIPT
	[ "$status" -eq 9 ]
	[[ $output != *"no job control"* ]]
}

@test "below a shell Ctrl-Z stops us as well, and fg gives everything back" {
	keep pty_script -s env PS1='ready> ' PATH="$PATH" bash --norc --noprofile -i <<-SCRIPT
		expect ready>
		send $init run --set probes.budget_ms=0 sh -c 'echo u\\p; exec cat'\n
		expect up
		send hello\n
		expect hello
		expect hello
		send \\x1a
		expect Stopped
		expect ready>
		send fg\n
		expect run
		send again\n
		expect again
		expect again
		send \\x04
		expect ready>
		send exit 9\n
	SCRIPT
	[ "$status" -eq 9 ]
}

@test "in a shell's background we leave the terminal where it is" {
	keep pty_script -s env PS1='ready> ' PATH="$PATH" bash --norc --noprofile -i <<-SCRIPT
		expect ready>
		send $init run --set probes.budget_ms=0 sh -c 'probe_child state; sleep 0.2; echo fin' &\n
		expect terminal background
		expect fin
		send echo shell is\$((1))here\n
		expect shell is1here
		send exit 9\n
	SCRIPT
	[ "$status" -eq 9 ]
}

@test "a background child that reads stops, we stop with it, and fg lets it read" {
	keep pty_script -s env PS1='ready> ' PATH="$PATH" bash --norc --noprofile -i <<-SCRIPT
		expect ready>
		send set -b\n
		expect ready>
		send $init run --set probes.budget_ms=0 sh -c 'echo up; read x; echo got \$x' &\n
		expect Stopped
		send fg\n
		expect run
		send line\n
		expect got line
		expect ready>
		send exit 9\n
	SCRIPT
	[ "$status" -eq 9 ]
}

@test "TOSTOP in the background does not stop PID 1's own messages for ever" {
	on_terminal -- -v -- sh -c 'stty tostop; kill -URG 1; exit 5' </dev/null
	[ "$status" -eq 5 ]
}

@test "the terminal goes back to our group: a script's next command can read from it" {
	keep pty_script -s sh -c "$init run --set probes.budget_ms=0 true; echo next; read x; echo got \$x; exit 3" <<-'SCRIPT'
		expect next
		send line\n
		expect got line
	SCRIPT
	[ "$status" -eq 3 ]
}

@test "a start that failed leaves the terminal with us" {
	keep pty_script -s sh -c "$init run --set probes.budget_ms=0 /etc/passwd; echo next; read x; echo got \$x; exit 3" <<-'SCRIPT'
		expect next
		send line\n
		expect got line
	SCRIPT
	[ "$status" -eq 3 ]
}

@test "init in init on a terminal: the foreground reaches the innermost child" {
	on_terminal -- -- "$init" run "${quick[@]}" probe_child state </dev/null
	[ "$(times 'terminal foreground')" -eq 1 ]
}

@test "a terminal that is nobody's stays nobody's" {
	keep pty_script pid1 "$init" run "${quick[@]}" probe_child state </dev/null
	[ "$status" -eq 0 ]
	[ "$(times 'terminal none')" -eq 1 ]
}
