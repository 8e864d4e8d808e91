# The configuration: its sources, their order, and what is refused, DESIGN section 5.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	INI=$BATS_TEST_TMPDIR/init.ini
}

ini() { # the file from stdin
	cat >"$INI"
}

# The value and the origin of SECTION.KEY in the output of `config`.
setting() {
	awk -v section="[${1%%.*}]" -v key="${1#*.}" '
		/^\[/ { inside = $0 == section }
		inside && index($0, key " = ") == 1 { print substr($0, length(key) + 4) }' <<<"$output"
}

@test "config prints every key of the contract with its default" {
	run --separate-stderr init config
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	while IFS='|' read -r key value; do
		[[ $(setting "$key") = "$value ; default" ]] ||
			{ echo "$key: $(setting "$key"), not $value"; false; }
	done <<-'ROWS'
		agent.dir|/agent
		sandbox.real_proc|false
		sandbox.network|none
		sandbox.fail_if_unavailable|false
		symlinks.fail_if_refused|false
		probes.retry_backoff_ms|250, 1000, 2000, 4000
		probes.attempt_timeout_ms|2000
		probes.budget_ms|10000
		init.forward|child
		init.wait|main
		init.kill_grace_ms|500
		init.stop_timeout_ms|0
		init.log|info
	ROWS
	[ "$(setting agent.home)" = "$HOME ; environment HOME" ]
	for key in sandbox.bwrap sandbox.writable_paths init.rewrite init.exit_ok; do
		[[ $(setting "$key") = *"; default" ]]
	done
}

@test "defaults give way to the INI, the INI to the environment, the environment to options" {
	ini <<<$'[init]\nkill_grace_ms = 1\nstop_timeout_ms = 2\nlog = debug'
	TYPECLAW_INIT_STOP_TIMEOUT_MS=3 TYPECLAW_INIT_LOG=quiet run --separate-stderr \
		init config --config "$INI" --set init.log=info
	[ "$status" -eq 0 ]
	[ "$(setting init.wait)" = "main ; default" ]
	[ "$(setting init.kill_grace_ms)" = "1 ; $INI:2" ]
	[ "$(setting init.stop_timeout_ms)" = "3 ; environment TYPECLAW_INIT_STOP_TIMEOUT_MS" ]
	[ "$(setting init.log)" = "info ; option" ]
}

@test "--config wins over TYPECLAW_INIT_CONFIG" {
	ini <<<$'[init]\nkill_grace_ms = 1'
	printf '[init]\nkill_grace_ms = 2\n' >"$BATS_TEST_TMPDIR/other.ini"
	TYPECLAW_INIT_CONFIG=$INI run init config
	[[ $(setting init.kill_grace_ms) = 1* ]]
	TYPECLAW_INIT_CONFIG=$INI run init config --config "$BATS_TEST_TMPDIR/other.ini"
	[[ $(setting init.kill_grace_ms) = 2* ]]
}

@test "every key has an environment twin, and what config printed is accepted there" {
	run --separate-stderr init config
	count=0
	while IFS='|' read -r section key value; do
		name=TYPECLAW_${section^^}_${key^^}
		[ -n "$value" ] || value=$(case $key in
			home | bwrap) echo /x ;;
			rewrite) echo TERM:QUIT ;;
			exit_ok) echo 143 ;;
			*) echo a ;;
		esac)
		run --separate-stderr env "$name=$value" "$TYPECLAW_INIT" config
		[ "$status" -eq 0 ] || { echo "$name=$value: $stderr"; false; }
		[ "$(setting "$section.$key")" = "$value ; environment $name" ]
		count=$((count + 1))
	done < <(awk -F ' [=;] ?' '/^\[/ { gsub(/[][]/, ""); section = $0; next }
		NF { print section "|" $1 "|" $2 }' <<<"$output")
	[ "$count" -ge 18 ]
}

@test "a bad value in the environment is refused like one in a file, with the variable's name" {
	TYPECLAW_PROBES_BUDGET_MS=soon run --separate-stderr init config
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ $stderr = *TYPECLAW_PROBES_BUDGET_MS*soon*600000* ]]
	TYPECLAW_PROBES_BUDGET_MS=soon run --separate-stderr init run true
	[ "$status" -eq 125 ]
}

@test "names that are none of ours are left alone" {
	TYPECLAW_INIT_NO_SUCH_KEY=1 TYPECLAW_SOMETHING=2 run --separate-stderr init config
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "links of the INI are listed with where they stand" {
	ini <<<$'[symlinks]\n~/.foo-cli = workspace/.foo-cli\n/etc/foo = workspace/etc foo'
	run init config --config "$INI"
	[ "$status" -eq 0 ]
	[ "$(setting 'symlinks.~/.foo-cli')" = "workspace/.foo-cli ; $INI:2" ]
	[ "$(setting 'symlinks./etc/foo')" = "workspace/etc foo ; $INI:3" ]
}

@test "a file that was named and is missing or bad: run 125, other commands 3, nothing done" {
	agent_make
	ini <<<$'[init]\nlog = loud'
	for file in "$INI" "$BATS_TEST_TMPDIR/none.ini" "$BATS_TEST_TMPDIR"; do
		run --separate-stderr init run --config "$file" sh -c "echo started"
		[ "$status" -eq 125 ]
		[ -z "$output" ]
		[[ $stderr = *"$file"* ]]
		for command in link probe strategy config; do
			run --separate-stderr init "$command" --config "$file"
			[ "$status" -eq 3 ] || { echo "$command: $status $stderr"; false; }
			[ -z "$output" ]
		done
		run --separate-stderr init sandbox --config "$file" -- echo started
		[ "$status" -eq 125 ]
		[ -z "$output" ]
	done
}

@test "what is wrong with a file is said with file, line, key and what is allowed" {
	long=$(printf 'x%.0s' {1..190})
	while IFS='|' read -r line want text; do
		printf '%b' "$text" | ini
		run --separate-stderr init config --config "$INI"
		[ "$status" -eq 3 ] || { echo "$text: $status"; false; }
		[ -z "$output" ]
		[[ $stderr = *"$INI:$line: "* && $stderr = *$want* ]] || { echo "$text: $stderr"; false; }
	done <<-ROWS
		2|init.nonsense|[init]\nnonsense = 1\n
		2|nowhere.log|[nowhere]\nlog = info\n
		3|twice|[init]\nlog = info\nlog = info\n
		2|3600000|[init]\nkill_grace_ms = 3600001\n
		2|init.forward|[init]\nforward = Child\n
		2|1, 0, true, false|[sandbox]\nreal_proc = TRUE\n
		2|section nor|[init]\njust words\n
		2|190|[init]\nrewrite = $long\n
		3|indented|[init]\nlog = info\n  quiet\n
		2|':'|[symlinks]\n~/a:b = c\n
		2|'='|[symlinks]\n~/a = b=c\n
		2|absolute|[agent]\ndir = agent\n
		2|NUL|[init]\nlog = in\0000fo\n
	ROWS
}

@test "a file over 64 KiB is refused, and one just below is read" {
	{ echo '[init]'; for i in {1..600}; do printf '; %0100d\n' "$i"; done; echo 'log = quiet'; } | ini
	run init config --config "$INI"
	[ "$status" -eq 0 ]
	[[ $(setting init.log) = quiet* ]]
	{ cat "$INI"; for i in {1..100}; do printf '; %0100d\n' "$i"; done; } >"$INI.big"
	run --separate-stderr init config --config "$INI.big"
	[ "$status" -eq 3 ]
	[[ $stderr = *65536* ]]
}

@test "a file is taken only when all of it is good" {
	ini <<<$'[init]\nlog = quiet\nkill_grace_ms = never'
	agent_make
	run --separate-stderr init config --config "$INI"
	[ "$status" -eq 3 ]
	[ -z "$output" ]
}

@test "a fifo or a link loop as the file is refused and not waited for" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	SECONDS=0
	run --separate-stderr init config --config "$BATS_TEST_TMPDIR/fifo"
	[ "$status" -eq 3 ]
	[ "$SECONDS" -lt 10 ]
}

@test "foreign bytes of a file reach the terminal escaped" {
	printf '[init]\nlog = \e[31mred\n' | ini
	run --separate-stderr init config --config "$INI"
	[ "$status" -eq 3 ]
	[[ $stderr != *$'\e'* ]]
	[[ $stderr = *'\x1b'* ]]
}
