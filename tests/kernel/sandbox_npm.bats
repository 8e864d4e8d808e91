# A real package manager in tool calls: npm of this machine, packages from disk, no network.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	need_root "in a user namespace of our own the host's bwrap belongs to nobody"
	need_userns
	command -v npm >/dev/null || skip "no npm here"
	GROUND=$(root_dir) AGENT=$GROUND/agent
	export TYPECLAW_AGENT_DIR=$AGENT TYPECLAW_PROBES_BUDGET_MS=1500
	mkdir -p "$AGENT"/{workspace,memory,sessions,public,mounts,.git/hooks,node_modules/typeclaw}
	echo "KEY=sesame-open" >"$AGENT/.env"
	PACKAGE='{"name":"agent","version":"1.0.0","dependencies":{"typeclaw":"1.0.0"}}'
	echo "$PACKAGE" >"$AGENT/package.json"
	echo '{"name":"typeclaw","version":"1.0.0"}' >"$AGENT/node_modules/typeclaw/package.json"
	for file in AGENTS.md README.md node_modules/typeclaw/index.js; do echo mine >"$AGENT/$file"; done
	package "$AGENT/public/pad.tgz"
}

teardown() {
	rm -rf "$GROUND"
}

# package FILE [POSTINSTALL]: a package `pad` that pads, with a program, as npm pack makes them.
package() {
	local dir=$GROUND/pack/package scripts=

	mkdir -p "$dir"
	[ $# -lt 2 ] || scripts=',"scripts":{"postinstall":"sh ./post.sh"}'
	printf '{"name":"pad","version":"1.0.0","main":"index.js","bin":{"pad":"cli.js"}%s}\n' \
		"$scripts" >"$dir/package.json"
	echo 'module.exports = (s, n) => s.padStart(n);' >"$dir/index.js"
	printf '#!/usr/bin/env node\nconsole.log(require("./index.js")("x", 3));\n' >"$dir/cli.js"
	printf '%s\n' "${2-}" >"$dir/post.sh"
	chmod +x "$dir/cli.js"
	tar -C "$GROUND/pack" -czf "$1" package
}

NPM="npm --offline --no-audit --no-fund --loglevel=error"

call() {
	run --separate-stderr with_own_run timeout -s KILL 60 "$TYPECLAW_INIT" sandbox "$@"
	echo "status $status: $output / $stderr"
}

# The same with a `bun` that is npm, so that the package-install mode is what happens.
bun_call() {
	printf '#!/bin/sh\nverb=$1\nshift\nexec %s $verb "$@"\n' "$NPM" >"$GROUND/bun"
	chmod 755 "$GROUND/bun"
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr with_own_run timeout -s KILL 60 sh -c 'mount -t tmpfs none /usr/local/bin &&
		cp "$1" /usr/local/bin/bun && shift && exec "$@"' - "$GROUND/bun" "$TYPECLAW_INIT" sandbox "$@"
	echo "status $status: $output / $stderr"
}

@test "guest: npm installs and runs below public/, and nothing at the agent's root" {
	call -c "cd public && mkdir app && cd app && echo '{}' >package.json &&
		$NPM install ../pad.tgz >/dev/null && npx --no-install pad && node -p 'require(\"pad\")(\"y\", 2)'"
	[ "$status" -eq 0 ]
	[ "$output" = $'  x\n y' ]
	call -c "$NPM install public/pad.tgz"
	[ "$status" -ne 0 ]
	[ ! -e "$AGENT/node_modules/pad" ]
	[ "$(cat "$AGENT/package.json")" = "$PACKAGE" ]
}

@test "member: npm installs and runs below workspace/, and not at the root in the ordinary jail" {
	call --role member -c "cd workspace && echo '{}' >package.json &&
		$NPM install ../public/pad.tgz >/dev/null && npx --no-install pad"
	[ "$status" -eq 0 ]
	[ "$output" = '  x' ]
	[ -e "$AGENT/workspace/node_modules/pad/index.js" ]
	call --role member -c "$NPM install public/pad.tgz"
	[ "$status" -ne 0 ]
	[ ! -e "$AGENT/node_modules/pad" ]
}

@test "package install: the root takes it, package.json and node_modules are the agent's own" {
	bun_call --role member -c 'bun add ./public/pad.tgz'
	[ "$status" -eq 0 ]
	[ -e "$AGENT/node_modules/pad/index.js" ]
	grep -q '"pad"' "$AGENT/package.json"
	[ "$(cat "$AGENT/node_modules/typeclaw/index.js")" = mine ]
	call --role member -- node -p 'require("pad")("z", 2)'
	[ "$output" = ' z' ]
}

@test "package install: a guest, a chain and a link at the root get the ordinary jail" {
	call --json -c 'bun add ./public/pad.tgz'
	value "$output" '.install.writable_root == false and .install.result == "not-asked"'
	call --role member --json -c 'bun add ./public/pad.tgz; true'
	value "$output" '.install.writable_root == false and .install.result == "not-asked"'
	call --role member --json -c 'bun add ./public/pad.tgz'
	value "$output" '.install.writable_root and .install.result == "taken"'
	value "$output" ".protected.dirs | index(\"$AGENT/.git\") and index(\"$AGENT/node_modules/typeclaw\")"
	ln -s README.md "$AGENT/CLAUDE.md"
	call --role member --json -c 'bun add ./public/pad.tgz'
	value "$output" '.install == {"writable_root":false,"result":"link","because_of":"CLAUDE.md"}'
	bun_call --role member -c 'bun add ./public/pad.tgz'
	[ "$status" -ne 0 ]
	[ ! -e "$AGENT/node_modules/pad" ]
}

# What a hostile package does once it may run: each row is one try, said in mounts/log.
HOSTILE='
cd "$INIT_CWD"
try() { name=$1; shift; ("$@") >/dev/null 2>&1 && echo "$name DONE" >>mounts/log; }
write() { echo evil >>"$1"; }
try git-hook write .git/hooks/post-commit
try runtime write node_modules/typeclaw/index.js
try runtime-replaced sh -c "rm -rf node_modules/typeclaw || mv node_modules/typeclaw node_modules/t; mkdir node_modules/typeclaw && echo evil >node_modules/typeclaw/index.js"
try modules-moved sh -c "mv node_modules nm && mkdir -p node_modules/typeclaw && echo evil >node_modules/typeclaw/index.js"
try prompt write AGENTS.md
try prompt-replaced mv public/pad.tgz AGENTS.md
try readme write README.md
try env-read grep sesame .env
try env-removed rm .env
try memory write memory/x
try git-moved mv .git git
try workspace-swapped sh -c "mv workspace w && ln -s .git workspace"
try public-swapped sh -c "mv public p && ln -s .git public"
try umounted umount .git
echo evil >../evil
echo ran >>mounts/log'

@test "package install: a hostile package reaches nothing that was protected" {
	package "$AGENT/public/pad.tgz" "$HOSTILE"
	bun_call --role member -c 'bun add ./public/pad.tgz'
	cat "$AGENT/mounts/log"
	[ "$(cat "$AGENT/mounts/log")" = ran ]
	[ "$(cat "$AGENT/AGENTS.md" "$AGENT/README.md" "$AGENT/node_modules/typeclaw/index.js" | sort -u)" = mine ]
	[ -z "$(ls -A "$AGENT/.git/hooks" "$AGENT/memory" | grep -v :)" ]
	[ "$(cat "$AGENT/.env")" = KEY=sesame-open ]
	[ ! -e "$GROUND/evil" ]
	# The same rows break where nothing is protected.
	INIT_CWD=$AGENT sh "$GROUND/pack/package/post.sh"
	cat "$AGENT/mounts/log"
	[ "$(grep -c DONE "$AGENT/mounts/log")" -ge 12 ]
}
