# The examples do what they say.
bats_require_minimum_version 1.5.0
load ../helpers/common

EXAMPLES=$TOP/examples

# What YAML says, as JSON.
yaml() {
	/usr/bin/python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
}

fits() { # SCHEMA, on stdin JSON
	/usr/bin/python3 -c 'import json, sys, jsonschema
jsonschema.validate(json.load(sys.stdin), json.load(open(sys.argv[1])))' "$TOP/tests/fixtures/$1.schema.json"
}

@test "the compose file fits the specification and has all that plan asks for" {
	example=$(yaml <"$EXAMPLES/compose.yaml")
	fits compose <<<"$example"
	plan=$(init plan --format compose --agent-dir "$EXAMPLES/agent" | yaml)
	# Laid over the example, the plan changes nothing.
	[ "$(jq -S . <<<"$example")" = "$(jq -S --argjson plan "$plan" '. * $plan' <<<"$example")" ]
}

@test "the Pod fits the API and has all that plan asks for" {
	example=$(yaml <"$EXAMPLES/kubernetes.yaml")
	fits kubernetes <<<"$example"
	plan=$(init plan --format kubernetes --agent-dir "$EXAMPLES/agent" --seccomp scoped \
		--seccomp-file "$BATS_TEST_TMPDIR/typeclaw.json" 2>/dev/null | yaml)
	[ "$(jq -S '.spec.containers[0] | del(.image, .volumeMounts)' <<<"$example")" = \
		"$(jq -S '.spec.containers[0]' <<<"$plan")" ]
	[ "$(jq -S '.spec | del(.containers, .volumes)' <<<"$example")" = \
		"$(jq -S '.spec | del(.containers)' <<<"$plan")" ]
}

reader() { # COMMAND...: what it prints below `run`, and what strategy says
	agent_make
	# shellcheck disable=SC2016 # expanded in there
	init run --set init.log=quiet --set probes.budget_ms=1500 -- sh -c '"$@"; "$0" strategy' \
		"$TYPECLAW_INIT" "$@"
}

reads() { # COMMAND...
	run --separate-stderr reader "$@"
	echo "$output"
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = "${lines[1]}" ]
	[[ ${lines[0]} = real-proc || ${lines[0]} = proc-bind || ${lines[0]} = tmpfs ]]
}

# A descriptor that is not the boot's must be taken for nothing.
doubts() { # COMMAND...
	echo '{"schema":"typeclaw.strategy/1","strategy":"real-proc"}' >"$BATS_TEST_TMPDIR/forged"
	for id in 1:1 ''; do
		[ "$(TYPECLAW_STRATEGY_FD=7 TYPECLAW_STRATEGY_ID=$id "$@" 7<"$BATS_TEST_TMPDIR/forged")" = tmpfs ]
	done
	[ "$(TYPECLAW_STRATEGY_FD=99 TYPECLAW_STRATEGY_ID=1:1 "$@")" = tmpfs ]
	[ "$(TYPECLAW_STRATEGY_FD='7; id' TYPECLAW_STRATEGY_ID=1:1 "$@")" = tmpfs ]
	[ "$(env -u TYPECLAW_STRATEGY_FD "$@")" = tmpfs ]
	echo 'not JSON' >"$BATS_TEST_TMPDIR/forged"
	[ "$(TYPECLAW_STRATEGY_ID=$(stat -c %d:%i "$BATS_TEST_TMPDIR/forged") TYPECLAW_STRATEGY_FD=7 \
		"$@" 7<"$BATS_TEST_TMPDIR/forged")" = tmpfs ]
}

@test "the strategy is read from sh, and a descriptor that is not the boot's is not believed" {
	reads sh "$EXAMPLES/read/strategy.sh"
	doubts sh "$EXAMPLES/read/strategy.sh"
}

@test "the strategy is read from python, and a descriptor that is not the boot's is not believed" {
	reads /usr/bin/python3 "$EXAMPLES/read/strategy.py"
	doubts /usr/bin/python3 "$EXAMPLES/read/strategy.py"
}

@test "the strategy is read from node, and a descriptor that is not the boot's is not believed" {
	command -v node >/dev/null || skip "node is not installed"
	reads node "$EXAMPLES/read/strategy.js"
	doubts node "$EXAMPLES/read/strategy.js"
}

@test "the strategy is read from bun" {
	command -v bun >/dev/null || skip "bun is not installed, and no Debian package has it"
	reads bun "$EXAMPLES/read/strategy.js"
	doubts bun "$EXAMPLES/read/strategy.js"
}
