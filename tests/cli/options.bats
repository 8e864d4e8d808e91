# Commands, options, statuses and messages, DESIGN section 4.
bats_require_minimum_version 1.5.0
load ../helpers/common

# The commands that --help lists: every test that walks them needs that there are some.
setup_file() {
	COMMANDS=$(init --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
	export COMMANDS
	[ "$(wc -w <<<"$COMMANDS")" -ge 6 ]
}

# The status of a usage error of command $1.
usage_status() {
	case $1 in
	run | sandbox) echo 125 ;;
	*) echo 2 ;;
	esac
}

@test "--version prints one line on stdout" {
	run --separate-stderr init --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^typeclaw-init\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[ -z "$stderr" ]
}

@test "--help lists the contract's commands" {
	run --separate-stderr init --help
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for command in run link probe strategy sandbox config; do
		says "^  $command +[a-z]"
	done
}

@test "every command has --help, -h and help COMMAND, all the same text on stdout" {
	for command in $COMMANDS; do
		run --separate-stderr init "$command" --help
		[ "$status" -eq 0 ] && [ -z "$stderr" ]
		says "^Usage: typeclaw-init $command"
		text=$output
		run --separate-stderr init "$command" -h
		[ "$output" = "$text" ]
		run --separate-stderr init help "$command"
		[ "$output" = "$text" ]
	done
}

@test "no help line is wider than 100 columns" {
	for command in $COMMANDS; do
		init "$command" --help | awk 'length > 100 { print; bad = 1 } END { exit bad }'
	done
}

@test "every command takes --config and --set" {
	for command in $COMMANDS; do
		[ "$command" != help ] || continue
		run init "$command" --help
		says '--config=FILE'
		says '--set=SECTION.KEY=VALUE'
	done
}

@test "without a command: a usage error with where help is" {
	run --separate-stderr init
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr = *--help* ]]
}

@test "an unknown command is a usage error, and its bytes are escaped" {
	run --separate-stderr init $'no\e[31m'
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr = *'no\x1b[31m'* ]]
}

@test "an unknown option is a usage error of every command, named and escaped" {
	for command in $COMMANDS; do
		run --separate-stderr init "$command" $'--bogus\n'
		[ "$status" -eq "$(usage_status "$command")" ] || { echo "$command: $status"; false; }
		[ -z "$output" ]
		[[ $stderr = *'--bogus\n'* ]]
	done
}

@test "an option without its value, or with one that it does not take, is a usage error" {
	for command in $COMMANDS; do
		[ "$command" != help ] || continue
		run --separate-stderr init "$command" --set
		[ "$status" -eq "$(usage_status "$command")" ]
		[[ $stderr = *--set* ]]
		run --separate-stderr init "$command" --config
		[ "$status" -eq "$(usage_status "$command")" ]
		run --separate-stderr init "$command" --help=yes
		[ "$status" -eq "$(usage_status "$command")" ]
	done
}

@test "--set with an unknown key, no value or a bad one is a usage error that says what is allowed" {
	while IFS='|' read -r assignment want; do
		run --separate-stderr init config --set "$assignment"
		[ "$status" -eq 2 ] || { echo "$assignment: $status $output"; false; }
		[ -z "$output" ]
		[[ $stderr = *$want* ]] || { echo "$assignment: $stderr"; false; }
	done <<-'ROWS'
		nonsense.key=1|unknown key
		init.kill_grace_ms|SECTION.KEY=VALUE
		init=1|SECTION.KEY=VALUE
		init.kill_grace_ms=-1|3600000
		init.kill_grace_ms=1e3|3600000
		init.forward=everyone|child|group|all
		sandbox.real_proc=yes|1, 0, true, false
		agent.dir=relative|absolute
	ROWS
}

@test "run and sandbox without a command are usage errors" {
	for command in run sandbox; do
		run --separate-stderr init "$command"
		[ "$status" -eq 125 ]
		[ -n "$stderr" ]
		run --separate-stderr init "$command" --
		[ "$status" -eq 125 ]
	done
}

@test "options end at the first word that is none" {
	agent_make
	run --separate-stderr as_pid1 "$TYPECLAW_INIT" run --set probes.budget_ms=1500 \
		sh -c 'echo "$0 $*"' --help -x
	[ "$status" -eq 0 ]
	[ "$output" = "--help -x" ]
}

@test "typeclaw-entrypoint is run under another name" {
	agent_make
	ln "$TYPECLAW_INIT" "$BUILD/typeclaw-entrypoint" 2>/dev/null || true
	run --separate-stderr as_pid1 TYPECLAW_PROBES_BUDGET_MS=1500 "$BUILD/typeclaw-entrypoint" \
		sh -c 'echo "pid 1 is ours"; exit 7'
	[ "$status" -eq 7 ]
	[ "$output" = "pid 1 is ours" ]
	run --separate-stderr "$BUILD/typeclaw-entrypoint" --bogus
	[ "$status" -eq 125 ]
}

@test "output that cannot be written is no success" {
	for words in --version --help config "help run"; do
		# shellcheck disable=SC2086 # words
		status=0
		"$TYPECLAW_INIT" $words >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
		[ "$status" -gt 0 ] && [ "$status" -lt 126 ]
		grep -q '^typeclaw-init: ' "$BATS_TEST_TMPDIR/err"
	done
}

@test "a closed stdout or stderr does no harm" {
	"$TYPECLAW_INIT" --version 2>&-
	run bash -c '"$TYPECLAW_INIT" bogus 2>&-'
	[ "$status" -eq 2 ]
	run bash -c '"$TYPECLAW_INIT" --version >&-'
	[ "$status" -ne 139 ]
}
