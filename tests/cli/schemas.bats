# The JSON Schemas in schemas/ describe what the program really prints, and nothing else.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	agent_make
	DIR=$BATS_TEST_TMPDIR
	export TYPECLAW_PROBES_BUDGET_MS=600 TYPECLAW_INIT_LOG=quiet
}

# check N KIND: the N documents of $DIR fit their schema.
check() {
	local files=("$DIR"/*.json)

	[ "${#files[@]}" -eq "$1" ]
	run --separate-stderr python3 "$TOP/tests/helpers/schema_check.py" "$TOP/schemas" "${files[@]}"
	echo "$output ${stderr-}"
	[ "$status" -eq 0 ]
	[ "$(grep -Ec "^$2 [1-9][0-9]*\$" <<<"$output")" -eq "$1" ]
}

# strategy_of NAME ASSIGNMENT...: the document that a boot hands out.
strategy_of() {
	local name=$1 options=() assignment

	shift
	for assignment; do options+=(--set "$assignment"); done
	# shellcheck disable=SC2016 # expanded in there
	as_pid1 "$TYPECLAW_INIT" run "${options[@]}" \
		sh -c 'cat /proc/self/fd/$TYPECLAW_STRATEGY_FD' >"$DIR/$name.json"
}

@test "strategy documents of boots that went well and badly fit their schema" {
	mkdir -p "$AGENT/workspace"
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.x","to":"workspace/x"},{"from":"/proc/x","to":"workspace"}]')
	export TYPECLAW_SANDBOX_SYMLINKS
	strategy_of plain sandbox.writable_paths='workspace/a, workspace/b'
	strategy_of real sandbox.real_proc=true sandbox.network=inherit
	strategy_of missing sandbox.bwrap=/nonexistent/bwrap
	strategy_of unsafe sandbox.bwrap="$(fake_bwrap unsandboxed)"
	strategy_of unverified sandbox.bwrap="$(fake_bwrap exit0)" probes.retry_backoff_ms=
	check 5 strategy
	[ "$(jq -r .symlinks.refused "$DIR/plain.json")" = 1 ]
	[ "$(jq -r .reason "$DIR/missing.json")" = unverified ]
}

@test "what link --json prints fits its schema" {
	printf '%s' '[{"from":"~/.x","to":"workspace/x"},{"from":"/proc/x","to":"workspace"},7,{"to":"x"},
		{"from":1,"to":"workspace/y"},{"from":"~/a\u0000b","to":"workspace/z"},{"from":"~/k"}]' | base64 -w0 >"$DIR/value"
	TYPECLAW_SANDBOX_SYMLINKS=$(<"$DIR/value") init link --json --dry-run >"$DIR/dry.json" || [ $? -eq 1 ]
	TYPECLAW_SANDBOX_SYMLINKS=$(<"$DIR/value") init link --json >"$DIR/refused.json" || [ $? -eq 1 ]
	TYPECLAW_SANDBOX_SYMLINKS=$(<"$DIR/value") init link --json >"$DIR/again.json" || [ $? -eq 1 ]
	TYPECLAW_SANDBOX_SYMLINKS='!' init link --json >"$DIR/base64.json" || [ $? -eq 1 ]
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '{}') init link --json >"$DIR/array.json" || [ $? -eq 1 ]
	init link --json >"$DIR/none.json"
	check 6 links
}

@test "what probe --json prints fits its schema" {
	init probe --json >"$DIR/both.json" || [ $? -ge 10 ]
	init probe real-proc --json >"$DIR/real.json" || [ $? -ge 10 ]
	init probe proc-bind --json >"$DIR/bind.json" || [ $? -ge 10 ]
	init probe proc-bind --json --set sandbox.bwrap="$(fake_bwrap unsandboxed)" >"$DIR/unsafe.json" ||
		[ $? -ge 10 ]
	check 4 probe
}

@test "what doctor --json prints fits its schema" {
	init doctor --json >"$DIR/report.json" || [ $? -eq 1 ]
	init doctor --json --quick >"$DIR/quick.json" || [ $? -eq 1 ]
	check 2 doctor
}

@test "the schemas know every word of the code's tables, and no other" {
	words() { # FILE TABLE-PREFIX
		grep -o "\[$2[A-Z0-9_]*\] = {\{0,1\} *\"[a-z0-9-]*\"" "$TOP/$1" | cut -d'"' -f2 | sort
	}
	known() { # SCHEMA JQ-FILTER
		jq -r "[$2] | unique[] | select(. != null)" "$TOP/schemas/$1.schema.json" | sort
	}
	diff <(words symlinks/code.c LINK_ | grep -vx none) \
		<(known links '.properties.code.enum[], .properties.links.items.properties.result.enum[]')
	for schema in probe strategy; do
		diff <(words probes/findings.c CAUSE_) <(known $schema '.definitions.cause.enum[]')
		diff <(words probes/findings.c PROBE_) \
			<(known $schema '.properties.probes | .. | .verdict? | .enum? // empty | .[]')
	done
	diff <(words probes/checks.c CHECK_) \
		<(known probe '.properties.probes | .. | .id? | .enum? // empty | .[]')
	[ "$(words probes/checks.c CHECK_ | wc -l)" -ge 20 ]
}

@test "what sandbox --json prints fits its schema" {
	mkdir -p "$AGENT"/{workspace,memory,public/bar,.git,node_modules} && echo x >"$AGENT/.env"
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value '[{"from":"~/.x","to":"workspace/x"},{"from":"~/.y","to":"public/bar"}]')
	export TYPECLAW_SANDBOX_SYMLINKS TYPECLAW_SANDBOX_WRITABLE_PATHS=public/bar,missing,.git/x
	init sandbox --json >"$DIR/guest.json"
	init sandbox --role member --deny-syscalls --json -c 'bun add x' >"$DIR/member.json"
	init sandbox --see secrets --json >"$DIR/see.json"
	init sandbox --role owner --json >"$DIR/owner.json"
	init sandbox --profile public-bot --json >"$DIR/bot.json"
	init sandbox --profile trusted-maintenance --json >"$DIR/maintenance.json"
	TYPECLAW_SANDBOX_BWRAP=$(fake_bwrap exit0) init sandbox --json >"$DIR/unusable.json"
	check 7 sandbox
	[ "$(jq -r .usable "$DIR/unusable.json")" != yes ]
}
