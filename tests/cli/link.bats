# The symlink step as a person meets it: `link`, and the links of a boot, DESIGN section 6.
# shellcheck disable=SC2016,SC2088 # a tilde and a dollar stay what they are
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	agent_make
	export TYPECLAW_PROBES_BUDGET_MS=1
	INI=$BATS_TEST_TMPDIR/init.ini
}

teardown() {
	[ -z "${OPEN-}" ] || rm -rf "$OPEN"
}

links() { # JSON
	export TYPECLAW_SANDBOX_SYMLINKS
	TYPECLAW_SANDBOX_SYMLINKS=$(links_value "$1")
}

results() { # the results of `link --json`, in one line
	jq -r '[.links[].result] | join(" ")' <<<"$output"
}

state() { # all that is in home and agent, with the times of the last change
	find "$HOME_DIR" "$AGENT" -printf '%p %y %m %U %C@ %l\n' | sort
}

@test "each entry has a line: what was asked for, what became of it, and what was found where" {
	links '[{"from":"~/.a","to":"w/a"},{"from":"~/.b","to":"../x"},{"from":"~/.c","to":"etc/c"}]'
	ln -s /etc "$AGENT/etc"
	run --separate-stderr init link
	[ "$status" -eq 1 ]
	says '^"~/.a" -> "w/a": created$'
	says '^"~/.b" -> "../x": to-dotdot$'
	says '^"~/.c" -> "etc/c": target-is-link.*etc is a link to "/etc"'
	says '^1 created, 0 unchanged, 0 replaced, 2 refused$'
	[ -z "$stderr" ]
}

@test "the JSON has the keys of the contract, in its order, and null where nothing can be told" {
	links '[{"from":"~/.a","to":"w/a"},{"from":7},[]]'
	run --separate-stderr init link --json
	[ "$status" -eq 1 ]
	[ "$(jq -c keys_unsorted <<<"$output")" = '["schema","code","links","counts"]' ]
	[ "$(jq -c '.links[0] | keys_unsorted' <<<"$output")" = \
		'["index","from","to","result","path","target","detail"]' ]
	value "$output" '[.links[].index] == [0,1,2]'
	value "$output" '.links[1] == {"index":1,"from":null,"to":null,"result":"entry-bad-type",
		"path":null,"target":null,"detail":"\"from\" is a number"}'
	value "$output" '.links[2].result == "entry-not-object"'
	value "$output" '.counts == {"created":1,"unchanged":0,"replaced":0,"refused":2}'
}

@test "an old link of ours and a dangling one are replaced, a foreign link and a file are not" {
	ln -s "$AGENT/old" "$HOME_DIR/.ours"
	ln -s /nowhere "$HOME_DIR/.dangling"
	ln -s /usr/bin "$HOME_DIR/.foreign"
	echo precious >"$HOME_DIR/.file"
	links '[{"from":"~/.ours","to":"w"},{"from":"~/.dangling","to":"w"},
		{"from":"~/.foreign","to":"w"},{"from":"~/.file","to":"w"}]'
	run --separate-stderr init link --json
	[ "$status" -eq 1 ]
	[ "$(results)" = "replaced replaced foreign-link occupied" ]
	value "$output" '.links[2].detail == "a link to \"/usr/bin\" is there"'
	[ "$(readlink "$HOME_DIR/.ours")" = "$AGENT/w" ]
	[ "$(readlink "$HOME_DIR/.foreign")" = /usr/bin ]
	[ "$(cat "$HOME_DIR/.file")" = precious ]
	[ "$(find "$HOME_DIR" -name '.typeclaw-link.*')" = "" ]
}

@test "an existing file: nothing is made under the agent folder either" {
	echo precious >"$HOME_DIR/.file"
	links '[{"from":"~/.file","to":"w/x"}]'
	run init link
	[ "$status" -eq 1 ]
	[ ! -e "$AGENT/w" ]
}

@test "a dry run says what a run says, and changes nothing, not even a time" {
	ln -s "$AGENT/old" "$HOME_DIR/.ours"
	ln -s "$AGENT/left" "$HOME_DIR/.typeclaw-link.0123456789abcdef"
	links '[{"from":"~/.a/b","to":"w/a"},{"from":"~/.ours","to":"w"},{"from":"~/.a","to":"x"},
		{"from":"~/.a/b/c","to":"y"},{"from":"~/z","to":".git"}]'
	before=$(state)
	run --separate-stderr init link --dry-run --json
	[ "$status" -eq 1 ]
	[ "$(results)" = "created replaced occupied parent-is-link to-forbidden" ]
	dry=$output
	[ "$(state)" = "$before" ]
	run --separate-stderr init link --json
	[ "$(jq 'del(.links[].detail)' <<<"$output")" = "$(jq 'del(.links[].detail)' <<<"$dry")" ]
	[ "$(state)" != "$before" ]
}

@test "a second run finds everything unchanged and writes nothing" {
	links '[{"from":"~/.a/b","to":"w/a"},{"from":"~/.c","to":"w/c"}]'
	run init link
	[ "$status" -eq 0 ]
	before=$(state)
	run --separate-stderr init link --json
	[ "$status" -eq 0 ]
	[ "$(results)" = "unchanged unchanged" ]
	[ "$(state)" = "$before" ]
}

@test "a target that was swapped after the boot is noticed, and the link is not touched" {
	links '[{"from":"~/.a","to":"workspace/a"}]'
	run init link
	[ "$status" -eq 0 ]
	rmdir "$AGENT/workspace/a"
	ln -s /etc "$AGENT/workspace/a"
	before=$(state)
	for option in --dry-run --json; do
		run --separate-stderr init link $option --json
		[ "$status" -eq 1 ]
		[ "$(results)" = target-is-link ]
		value "$output" '.links[0].detail == "workspace/a is a link to \"/etc\""'
	done
	[ "$(state)" = "$before" ]
}

@test "foreign bytes reach neither the terminal nor the JSON as they are" {
	ln -s $'/\e[31mred\n' "$AGENT/w"
	links '[{"from":"~/.\u001b[2J","to":"w/\u202e"},{"from":"~/.\u0000","to":"x"}]'
	run init link
	[ "$status" -eq 1 ]
	[ "$(LC_ALL=C tr -d '\n\40-\176' <<<"$output")" = "" ]
	says '\\x1b\[31mred\\n'
	run --separate-stderr init link --json
	value "$output" '.links[0].from == "~/.\u001b[2J" and .links[1].from == "~/.\u0000"'
	value "$output" '.links[1].result == "nul"'
	[ "$(LC_ALL=C tr -cd '\33' <<<"$output")" = "" ]
}

@test "a wholly unreadable value: its code and where, no entry, and the INI's links all the same" {
	printf '[symlinks]\n~/.ini = w/ini\n' >"$INI"
	while IFS='|' read -r code value; do
		TYPECLAW_SANDBOX_SYMLINKS=$value run --separate-stderr init link --json --config "$INI"
		[ "$status" -eq 1 ]
		[ "$(jq -r .code <<<"$output")" = "$code" ] || { echo "$code: $output"; false; }
		[ "$(jq -r '.links[].from' <<<"$output")" = "~/.ini" ]
		TYPECLAW_SANDBOX_SYMLINKS=$value run init link --config "$INI"
		says "TYPECLAW_SANDBOX_SYMLINKS: $code: "
	done <<-ROWS
		env-bad-base64|%%%
		env-bad-json|$(links_value '[{]')
		env-not-array|$(links_value '{}')
		env-too-deep|$(links_value '[[[[[[[[[]]]]]]]]]')
		env-too-long|$(jq -nc '[range(65) | {from: "~/.\(.)", to: "w"}]' | base64 -w0)
	ROWS
	[ -L "$HOME_DIR/.ini" ]
}

@test "no value, an empty one and an empty array: nothing to do, status 0" {
	for value in '' "$(links_value '[]')"; do
		TYPECLAW_SANDBOX_SYMLINKS=$value run --separate-stderr init link --json
		[ "$status" -eq 0 ]
		value "$output" '.code == null and .links == []'
	done
	unset TYPECLAW_SANDBOX_SYMLINKS
	run init link
	[ "$status" -eq 0 ]
}

@test "links of the INI are made, and an entry of the environment replaces the INI's silently" {
	printf '[symlinks]\n~/.a = ini/a\n~/.b = ini/b\n' >"$INI"
	links '[{"from":"~/.a","to":"env/a"}]'
	run --separate-stderr init link --json --config "$INI"
	[ "$status" -eq 0 ]
	value "$output" '[.links[] | .to] == ["ini/b", "env/a"]'
	[ "$(readlink "$HOME_DIR/.a")" = "$AGENT/env/a" ]
	[ "$(readlink "$HOME_DIR/.b")" = "$AGENT/ini/b" ]
	[ ! -e "$AGENT/ini/a" ]
}

@test "bytes of an INI that are no UTF-8 still give valid JSON" {
	printf '[symlinks]\n~/.\xff\xfe = w\n' >"$INI"
	run --separate-stderr init link --json --config "$INI"
	jq -e '.links | length == 1' <<<"$output" || [ "$status" -eq 3 ]
}

@test "HOME that cannot be used refuses every ~ entry, with advice, and no other" {
	links '[{"from":"~/.a","to":"w"},{"from":"'"$BATS_TEST_TMPDIR"'/opt/b","to":"w"}]'
	for home in relative "$AGENT" "$BATS_TEST_TMPDIR/none"; do
		rm -rf "$BATS_TEST_TMPDIR/opt"
		HOME=$home run --separate-stderr init link --json
		[ "$status" -eq 1 ]
		[ "$(results)" = "home-unusable created" ]
		value "$output" '.links[0].detail | test("set \"home\" in \\[agent\\]")'
	done
}

@test "an arbitrary uid with HOME=/ gets its links through [agent] home" {
	need_root "to become uid 1000"
	OPEN=$(mktemp -d)
	chmod 755 "$OPEN"
	mkdir "$OPEN/agent" "$OPEN/home"
	chown 1000:1000 "$OPEN/agent" "$OPEN/home"
	cp "$TYPECLAW_INIT" "$OPEN/init"
	printf '[agent]\nhome = %s\n' "$OPEN/home" >"$OPEN/init.ini"
	links '[{"from":"~/.a","to":"w"}]'
	export TYPECLAW_AGENT_DIR=$OPEN/agent HOME=/
	cd /
	run --separate-stderr setpriv --reuid 1000 --regid 1000 --clear-groups "$OPEN/init" link --json
	[ "$status" -eq 1 ]
	[ "$(results)" = home-unusable ]
	run --separate-stderr setpriv --reuid 1000 --regid 1000 --clear-groups \
		"$OPEN/init" link --json --config "$OPEN/init.ini"
	[ "$status" -eq 0 ]
	[ "$(stat -c %u "$OPEN/home/.a")" = 1000 ]
	[ "$(stat -c %u "$OPEN/agent/w")" = 1000 ]
}

@test "as root over an agent folder of uid 1000, what is made in it belongs to uid 1000" {
	need_root "to give the folder away"
	chown 1000:1000 "$AGENT" "$AGENT/workspace"
	links '[{"from":"~/.a","to":"workspace/x/y"}]'
	run init link
	[ "$status" -eq 0 ]
	[ "$(stat -c %u:%g "$AGENT/workspace/x/y")" = 1000:1000 ]
	[ "$(stat -c %u "$HOME_DIR/.a")" = 0 ]
}

@test "on a read-only root right links are unchanged and the others fail cleanly" {
	need_root "to mount"
	links '[{"from":"~/.a","to":"workspace"}]'
	run init link
	[ "$status" -eq 0 ]
	links '[{"from":"~/.a","to":"workspace"},{"from":"~/.b","to":"w"},{"from":"~/.c/d","to":"w"}]'
	for option in --json --dry-run; do
		run --separate-stderr unshare --mount sh -c '
			mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"' \
			- "$BATS_TEST_TMPDIR" "$TYPECLAW_INIT" link --json $option
		[ "$status" -eq 1 ]
		[ "$(results)" = "unchanged error error" ]
		value "$output" '.links[1].detail | test("Read-only file system")'
	done
}

@test "without openat2, and without renameat2, the results are the same" {
	links '[{"from":"~/.a/b","to":"w/a"},{"from":"~/.old","to":"w"},{"from":"~/.f","to":"w"},
		{"from":"~/.t","to":"t"}]'
	ln -s /etc "$AGENT/t"
	for rules in openat2=ENOSYS openat2=EPERM renameat2=ENOSYS 'renameat2/4&2=EINVAL' \
		openat2=ENOSYS,renameat2=EINVAL; do
		rm -rf "$HOME_DIR"
		mkdir "$HOME_DIR"
		ln -s "$AGENT/old" "$HOME_DIR/.old"
		: >"$HOME_DIR/.f"
		run --separate-stderr "$BUILD/test/helpers/refuse" "$rules" -- \
			"$TYPECLAW_INIT" link --json
		[ "$(results)" = "created replaced occupied target-is-link" ] ||
			{ echo "$rules: $output"; false; }
		[ "$(readlink "$HOME_DIR/.old")" = "$AGENT/w" ]
		[ "$(find "$HOME_DIR" -name '.typeclaw-link.*')" = "" ]
	done
}

@test "a boot that is killed while it replaces a link is put right by the next" {
	links '[{"from":"~/.old","to":"w"}]'
	for call in symlinkat renameat2 unlinkat; do
		ln -sfn "$AGENT/old" "$HOME_DIR/.old"
		run "$BUILD/test/helpers/inject" "$call=KILL@1" -- "$TYPECLAW_INIT" link
		[ "$status" -eq 137 ]
		[[ $(readlink "$HOME_DIR/.old") = "$AGENT"/@(old|w) ]]
		run init link
		[ "$status" -eq 0 ]
		[ "$(readlink "$HOME_DIR/.old")" = "$AGENT/w" ]
		[ "$(find "$HOME_DIR" -name '.typeclaw-link.*')" = "" ]
	done
}

@test "a refused entry does not stop a boot, and the boot says so" {
	links '[{"from":"~/.a","to":"../x"},{"from":"~/.b","to":"w"}]'
	run init run sh -c 'test -L "$HOME/.b" && echo child ran'
	[ "$status" -eq 0 ]
	says 'child ran'
	says '"~/.a" -> "../x": to-dotdot'
}

@test "fail_if_refused: a boot with a refused entry exits 125, names it, and starts nothing" {
	links '[{"from":"~/.a","to":"w"},{"from":"~/.b","to":"../x"}]'
	TYPECLAW_SYMLINKS_FAIL_IF_REFUSED=true run init run touch "$BATS_TEST_TMPDIR/ran"
	[ "$status" -eq 125 ]
	says 'fail_if_refused: "~/.b" -> "../x": to-dotdot'
	[ ! -e "$BATS_TEST_TMPDIR/ran" ]
	TYPECLAW_SANDBOX_SYMLINKS='!' TYPECLAW_SYMLINKS_FAIL_IF_REFUSED=true \
		run init run touch "$BATS_TEST_TMPDIR/ran"
	[ "$status" -eq 125 ]
	says 'fail_if_refused: TYPECLAW_SANDBOX_SYMLINKS: env-bad-base64'
	[ ! -e "$BATS_TEST_TMPDIR/ran" ]
	links '[{"from":"~/.a","to":"w"}]'
	TYPECLAW_SYMLINKS_FAIL_IF_REFUSED=true run init run touch "$BATS_TEST_TMPDIR/ran"
	[ "$status" -eq 0 ]
	[ -e "$BATS_TEST_TMPDIR/ran" ]
}
