# plan and dockerfile on the host: golden output, quoting, the profile against the engine's own.
bats_require_minimum_version 1.5.0
load ../helpers/common

BASE=tests/fixtures/seccomp/docker-20.10.24.json
PACKAGED=/usr/share/gocode/src/github.com/docker/docker/profiles/seccomp/default.json

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	AGENT=$BATS_TEST_TMPDIR/agent
	mkdir -p "$AGENT"
}

agent() { # JSON: the agent folder's typeclaw.json
	printf '%s' "$1" >"$AGENT/typeclaw.json"
}

@test "at least 30 configurations print what they should in all formats, and all say the same" {
	run /usr/bin/python3 tests/helpers/plan_check.py "$TYPECLAW_INIT" tests/fixtures/plan
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(sed -n 's/ configurations, 0 wrong//p' <<<"${lines[-1]}")" -ge 30 ]
}

@test "the check of the configurations sees a wrong answer" {
	cp -r tests/fixtures "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	cat >liar <<-END
		#!/bin/sh
		# doubles nothing and quotes nothing
		"$TYPECLAW_INIT" "\$@" | sed "s/'//g; s/\\\$\\\$/\$/g"
	END
	chmod +x liar
	run /usr/bin/python3 "$TOP/tests/helpers/plan_check.py" ./liar fixtures/plan --update
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output = *18-hostile-paths* && $output = *13-scoped-name-with-quotes* ]]
}

@test "the built-in profile is made from the engine's, and nobody changed it by hand" {
	version=$(sed -n 's/.*docker-dev \(.*\)";/\1/p' dockerfile/seccomp_default.c)
	diff <(/usr/bin/python3 tests/helpers/seccomp_table.py "$BASE" "$version") \
		dockerfile/seccomp_default.c
}

@test "the engine's profile in the tree is the packaged one" {
	if [ ! -e "$PACKAGED" ]; then
		cd "$BATS_TEST_TMPDIR"
		timeout -s KILL 60 apt-get download golang-github-docker-docker-dev >log 2>&1 ||
			skip "the engine's source package cannot be had here: $(tail -1 log)"
		dpkg-deb -x golang-github-docker-docker-dev_*.deb .
		PACKAGED=.$PACKAGED
	fi
	cmp "$PACKAGED" "$TOP/$BASE"
}

# What an engine makes of a profile: nulls, empty members and comments mean nothing to it.
MEANING='.syscalls |= map(del(.comment) | with_entries(select(.value != null and .value != {} and .value != [])))'

@test "the scoped profile is the engine's and the delta, and nothing else" {
	agent '{}'
	init plan --agent-dir "$AGENT" --seccomp scoped --seccomp-file "$BATS_TEST_TMPDIR/p.json"
	diff <(jq -S "$MEANING" "$BASE") \
		<(jq -S "$MEANING | .syscalls |= map(select(.includes.arches != [\"amd64\",\"arm64\"]))" \
			"$BATS_TEST_TMPDIR/p.json")
	# shellcheck disable=SC2016
	run jq -r '.syscalls[] | select(.comment // "" | startswith("typeclaw-init")) | .names[]' \
		"$BATS_TEST_TMPDIR/p.json"
	[ "$(sort <<<"$output" | uniq -c | tr -s ' \n' ' ')" = \
		" 2 clone 7 mount 1 pivot_root 1 umount2 1 unshare " ]
}

@test "each opened call is bound to its argument, and a number survives a program that rounds" {
	agent '{}'
	init plan --agent-dir "$AGENT" --seccomp scoped --seccomp-file "$BATS_TEST_TMPDIR/p.json"
	run jq -c '.syscalls[] | select(.comment // "" | startswith("typeclaw-init")) |
		[.names[0], (.args[] | .index, .op, .value, .valueTwo // 0)]' "$BATS_TEST_TMPDIR/p.json"
	echo "$output"
	[ "$output" = '["clone",0,"SCMP_CMP_EQ",2114060305,0]
["clone",0,"SCMP_CMP_EQ",1040318481,0]
["unshare",0,"SCMP_CMP_EQ",268435456,0]
["mount",3,"SCMP_CMP_EQ",573440,0]
["mount",3,"SCMP_CMP_EQ",311296,0]
["mount",3,"SCMP_CMP_EQ",3236810752,0]
["mount",3,"SCMP_CMP_EQ",53248,0]
["mount",3,"SCMP_CMP_MASKED_EQ",9007199252640752,36896]
["mount",3,"SCMP_CMP_EQ",6,0]
["mount",3,"SCMP_CMP_EQ",10,0]
["umount2",1,"SCMP_CMP_EQ",2,0]
["pivot_root"]' ]
	# 2^53 - 1 without RDONLY NOSUID NODEV NOEXEC NOATIME NODIRATIME RELATIME
	[ $((9007199252640752)) -eq $(((1 << 53) - 1 & ~(1 | 2 | 4 | 8 | 1024 | 2048 | 1 << 21))) ]
}

# The filter that libseccomp makes of it, interpreted for machines of which one is not here.
@test "on x86-64 and aarch64 both layouts let through what bwrap calls, and nothing near it" {
	agent '{}'
	cd "$BATS_TEST_TMPDIR"
	init plan --agent-dir agent --seccomp scoped --seccomp-file docker.json
	init plan --agent-dir agent --seccomp scoped --seccomp-file oci.json --format kubernetes
	for layout in docker oci; do
		run /usr/bin/python3 "$TOP/tests/helpers/profile_sim.py" $layout $layout.json
		echo "$output"
		[ "$status" -eq 0 ]
		says '^amd64: .* 0 wrong$'
		says '^arm64: .* 0 wrong$'
	done
	# It sees what is open: a container with SYS_ADMIN is let through more by the engine's rules.
	run /usr/bin/python3 "$TOP/tests/helpers/profile_sim.py" docker docker.json CAP_SYS_ADMIN
	[ "$status" -eq 1 ]
	says '^arm64: setns '
}

@test "a base that is given is taken: the engine's own gives the built-in one, byte for byte" {
	agent '{}'
	init plan --agent-dir "$AGENT" --seccomp scoped --seccomp-file "$BATS_TEST_TMPDIR/a.json"
	init plan --agent-dir "$AGENT" --seccomp scoped --seccomp-file "$BATS_TEST_TMPDIR/b.json" \
		--seccomp-base "$BASE"
	diff <(jq -S "$MEANING" "$BATS_TEST_TMPDIR/a.json") <(jq -S "$MEANING" "$BATS_TEST_TMPDIR/b.json")
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/a.json")" = 644 ]
}

@test "a bad base, or no place for the profile, ends with 3, and no file is left or changed" {
	agent '{}'
	cd "$BATS_TEST_TMPDIR"
	echo '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[]}' >open.json
	echo 'what was there' >p.json
	run init plan --agent-dir agent --seccomp scoped --seccomp-file p.json --seccomp-base open.json
	[ "$status" -eq 3 ]
	says 'does not refuse by default'
	says_not security-opt
	run init plan --agent-dir agent --seccomp scoped --seccomp-file p.json --seccomp-base /dev/null
	[ "$status" -eq 3 ]
	run init plan --agent-dir agent --seccomp scoped --seccomp-file nowhere/p.json
	[ "$status" -eq 3 ]
	[ "$(cat p.json)" = 'what was there' ]
	[ "$(ls)" = "$(printf 'agent\nopen.json\np.json')" ]
}

@test "the Kubernetes profile has no conditions left, and none that would open more than docker's" {
	agent '{}'
	init plan --agent-dir "$AGENT" --format kubernetes --seccomp scoped \
		--seccomp-file "$BATS_TEST_TMPDIR/p.json" >/dev/null
	profile=$(<"$BATS_TEST_TMPDIR/p.json")
	value "$profile" '.defaultAction == "SCMP_ACT_ERRNO"'
	value "$profile" '[.syscalls[] | keys[]] | unique - ["names","action","args","errnoRet"] == []'
	value "$profile" '[.syscalls[] | select(.args == null) | .names[]] | contains(["openat","pivot_root"])'
	value "$profile" '[.syscalls[] | select(.action == "SCMP_ACT_ALLOW" and .args == null) | .names[]] as $open |
		["bpf","clone","fsopen","kexec_load","mount","perf_event_open","reboot","setns","umount2","unshare"] |
		. - $open == .'
	agent '{"sandbox":{"realProc":true}}'
	init plan --agent-dir "$AGENT" --format kubernetes --seccomp scoped \
		--seccomp-file "$BATS_TEST_TMPDIR/p.json" >/dev/null 2>&1
	value "$(<"$BATS_TEST_TMPDIR/p.json")" '[.syscalls[].names[]] | contains(["setns","fsopen"])'
}

@test "plan needs no root, no home and no environment, and says nothing but the flags" {
	agent '{}'
	chmod 755 "$BATS_TEST_TMPDIR" "$AGENT"
	run --separate-stderr env -i "$TYPECLAW_INIT" plan --agent-dir "$AGENT"
	[ "$status" -eq 0 ]
	[ "$output" = "--security-opt seccomp=unconfined" ]
	# shellcheck disable=SC2154 # bats sets it
	[ -z "$stderr" ]
}

@test "real-proc says on stderr that it reduces security" {
	agent '{"sandbox":{"realProc":true}}'
	run --separate-stderr init plan --agent-dir "$AGENT"
	[ "$output" = "--security-opt seccomp=unconfined --cap-add=SYS_ADMIN -e TYPECLAW_SANDBOX_REAL_PROC=1" ]
	[[ $stderr = *"Reduces security"* ]]
}

@test "a typeclaw.json that is missing, a link, or a folder that is none is said, status 3" {
	run init plan --agent-dir "$AGENT"
	[ "$status" -eq 3 ]
	says 'typeclaw.json.*No such file'
	ln -s /etc/passwd "$AGENT/typeclaw.json"
	run init plan --agent-dir "$AGENT"
	[ "$status" -eq 3 ]
	says 'symbolic link'
	says_not root:
	run init plan --agent-dir "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 3 ]
	says 'agent folder'
}

@test "words that make no sense are a usage error, status 2, and nothing is written" {
	agent '{}'
	cd "$BATS_TEST_TMPDIR"
	while read -r -a words; do
		run init plan --agent-dir agent "${words[@]}"
		[ "$status" -eq 2 ] || { echo "${words[*]}: $status $output"; return 1; }
	done <<-END
		--format yaml
		--format
		--null --format json
		--null --format compose
		--seccomp narrow
		--seccomp scoped
		--seccomp-file x.json
		--seccomp-base x.json
		--apparmor off
		--selinux enforcing
		--config x.ini
		more words
		--frobnicate
	END
	[ "$(ls)" = agent ]
}

@test "what cannot be written is no success" {
	agent '{}'
	run bash -c '"$TYPECLAW_INIT" plan --agent-dir "$1" >/dev/full' - "$AGENT"
	[ "$status" -eq 3 ]
}

@test "dockerfile: baseline packages, both names, exec form, stop signal and health check" {
	run --separate-stderr init dockerfile --base debian:trixie-slim --package ripgrep -- node 'a b.js'
	[ "$status" -eq 0 ]
	echo "$output"
	says '^FROM debian:trixie-slim$'
	says ' bubblewrap .* ripgrep'
	says '^COPY typeclaw-init /usr/local/bin/typeclaw-init$'
	says 'ln -s typeclaw-init /usr/local/bin/typeclaw-entrypoint$'
	says '^STOPSIGNAL SIGTERM$'
	says 'CMD \["/usr/local/bin/typeclaw-init", "doctor", "--quick", "--quiet"\]$'
	says '^ENTRYPOINT \["/usr/local/bin/typeclaw-entrypoint"\]$'
	says '^CMD \["node", "a b.js"\]$'
	says 'org.opencontainers.image.base.name="debian:trixie-slim"'
}

@test "dockerfile: an image's name that would be an instruction is refused, status 2" {
	for base in 'debian AS x' $'debian\nRUN id' '$BASE' '--platform=x' ''; do
		run init dockerfile --base "$base"
		[ "$status" -eq 2 ]
		says_not '^FROM'
	done
}

@test "dockerfile: the configuration goes in, its links are made while building" {
	printf '[agent]\ndir = /srv/agent\n[symlinks]\n~/.foo = workspace/foo\n' >"$BATS_TEST_TMPDIR/init.ini"
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr init dockerfile --config init.ini
	says '^COPY init.ini /etc/typeclaw/init.ini$'
	says '^WORKDIR /srv/agent$'
	says '^RUN \["/usr/local/bin/typeclaw-init", "link"\]$'
	run --separate-stderr init dockerfile
	says_not '"link"'
	printf "[nonsense]\nx = y\n" >bad.ini
	run init dockerfile --config bad.ini
	[ "$status" -eq 3 ]
}

@test "Dockerfile and examples name the version that is built" {
	version=$(init --version)
	version=${version#typeclaw-init }
	grep -q "image.version=\"$version\"" dockerfile/Dockerfile
	run grep -rhoE 'typeclaw-init:[0-9.]+[0-9]' dockerfile/Dockerfile examples
	[ "${#lines[@]}" -ge 4 ]
	[ "$(sort -u <<<"$output")" = "typeclaw-init:$version" ]
}

@test "make install puts both names and the examples below DESTDIR and prefix" {
	run make install DESTDIR="$BATS_TEST_TMPDIR/out" prefix=/opt/x
	echo "$output"
	[ "$status" -eq 0 ]
	cd "$BATS_TEST_TMPDIR/out/opt/x"
	cmp "$TYPECLAW_INIT" bin/typeclaw-init
	[ "$(readlink bin/typeclaw-entrypoint)" = typeclaw-init ]
	[ "$(bin/typeclaw-init --version)" = "typeclaw-init 0.1.0" ]
	cmp "$TOP/examples/agent/typeclaw.json" share/typeclaw-init/examples/agent/typeclaw.json
	make -s -C "$TOP" install DESTDIR="$BATS_TEST_TMPDIR/out" prefix=/opt/x
}
