# The Dockerfiles, built by a real engine.  There is no network while they are built, so the base
# is the test image: `apt-get` there only says whether the packages are there already.
bats_require_minimum_version 1.5.0
load harness

# A base that has the packages, without our binary, and with an apt-get that would rather fail
# than pretend otherwise; made once for this file.
setup_file() {
	export BASE=typeclaw-built-base CONTEXT=$BATS_FILE_TMPDIR
	[ -z "$TYPECLAW_NO_DOCKER" ] || return 0
	harness_client
	cat >"$CONTEXT/apt-get" <<-'END'
		#!/bin/sh
		# apt-get of a base that has everything: refuses what it does not have.
		case $1 in
		update) exit 0 ;;
		install) ;;
		*) exit 1 ;;
		esac
		for word; do
			case $word in
			bubblewrap) command -v bwrap >/dev/null || exit 100 ;;
			ca-certificates | curl | git | busybox) ;;
			install | --yes | --no-install-recommends) ;;
			*) echo "E: Unable to locate package $word" >&2; exit 100 ;;
			esac
		done
	END
	chmod +x "$CONTEXT/apt-get"
	printf 'FROM %s\nRUN ["rm", "/usr/local/bin/typeclaw-init", "/usr/local/bin/typeclaw-entrypoint"]\n%s\n' \
		"$IMAGE" 'COPY apt-get /usr/bin/apt-get' >"$CONTEXT/Dockerfile"
	build "$BASE"
	# And what `dockerfile` prints, built on it.
	export AGENT_IMAGE=typeclaw-built-agent
	cp "$TYPECLAW_INIT" "$CONTEXT/typeclaw-init"
	init dockerfile --base "$BASE" --package busybox -- printf '%s\n' 'a "b"' "it's \$HOME" 'c\d' \
		>"$CONTEXT/Dockerfile"
	build "$AGENT_IMAGE"
}

teardown_file() {
	[ -n "$TYPECLAW_NO_DOCKER" ] || docker rmi -f "$AGENT_IMAGE" "$BASE" >/dev/null 2>&1 || true
}

setup() {
	harness_setup
	CONTEXT=$BATS_TEST_TMPDIR/context TAG=typeclaw-built-$BATS_TEST_NUMBER
	mkdir -p "$CONTEXT"
	cp "$TYPECLAW_INIT" "$CONTEXT/typeclaw-init"
}

teardown() {
	harness_teardown
	[[ -n $TYPECLAW_NO_DOCKER || $TAG = "$AGENT_IMAGE" ]] || docker rmi -f "$TAG" >/dev/null 2>&1 || true
}

build() { # TAG OPTION...: what $CONTEXT/Dockerfile says
	local tag=$1

	shift
	DOCKER_BUILDKIT=0 timeout -s KILL 120 docker build --network none --force-rm -t "$tag" "$@" \
		"$CONTEXT" 2>&1
}

built() { # OPTION... -- CMD...: a container of what was built
	local image=$IMAGE

	IMAGE=$TAG
	box "$UNCONFINED" "$@"
	IMAGE=$image
}

@test "the Dockerfile that is printed builds, and what it builds boots and says what it is" {
	TAG=$AGENT_IMAGE
	# CMD arrives word for word: no shell read it.
	run --separate-stderr built --
	# shellcheck disable=SC2154 # bats sets it
	echo "$output" "$stderr"
	[ "$output" = "$(printf '%s\n' 'a "b"' "it's \$HOME" 'c\d')" ]
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr built -- sh -c 'cat /proc/self/fd/$TYPECLAW_STRATEGY_FD; echo
		readlink /usr/local/bin/typeclaw-entrypoint; pwd; tr "\0" " " </proc/1/cmdline'
	[ "$(value "${lines[0]}" .strategy)" = proc-bind ]
	[ "${lines[1]}" = typeclaw-init ]
	[ "${lines[2]}" = /agent ]
	[[ ${lines[3]} = /usr/local/bin/typeclaw-entrypoint* ]]
	image=$(docker image inspect "$TAG")
	value "$image" '.[0].Config.Entrypoint == ["/usr/local/bin/typeclaw-entrypoint"]'
	value "$image" '.[0].Config.Cmd[3] == "it'\''s $HOME"'
	value "$image" '.[0].Config.StopSignal == "SIGTERM"'
	value "$image" '.[0].Config.Healthcheck.Test == ["CMD","/usr/local/bin/typeclaw-init","doctor","--quick","--quiet"]'
	value "$image" ".[0].Config.Labels[\"org.opencontainers.image.base.name\"] == \"$BASE\""
	value "$image" '.[0].Config.WorkingDir == "/agent"'
}

health_is() { # NAME STATUS
	[ "$(docker inspect -f '{{.State.Health.Status}}' "$1")" = "$2" ]
}

@test "the health check finds the container healthy, and one whose sandbox cannot work not" {
	IMAGE=$AGENT_IMAGE
	good=$(box_start "$UNCONFINED" --health-interval=1s -- sleep 60)
	bad=$(box_start --health-interval=1s --health-start-period=0s --health-retries=1 -- sleep 60)
	wait_until 30 health_is "$good" healthy
	wait_until 30 health_is "$bad" unhealthy
}

@test "a base without the packages fails the build, and does not make an image without bwrap" {
	printf 'FROM %s\nRUN ["rm", "/usr/bin/bwrap"]\n' "$BASE" >"$CONTEXT/Dockerfile"
	build "$TAG-less"
	init dockerfile --base "$TAG-less" >"$CONTEXT/Dockerfile"
	run build "$TAG"
	docker rmi -f "$TAG-less" >/dev/null
	[ "$status" -ne 0 ]
	run docker image inspect "$TAG"
	[ "$status" -ne 0 ]
}

@test "links are baked in, and a boot on a read-only root finds them unchanged" {
	mkdir "$CONTEXT/agent"
	echo '{"sandbox":{"symlinks":[{"from":"~/.foo-cli","to":"workspace/.foo-cli"},
		{"from":"/etc/foo.d","to":"workspace/foo.d"}]}}' >"$CONTEXT/agent/typeclaw.json"
	init dockerfile --base "$IMAGE" --no-packages --agent-dir "$CONTEXT/agent" >"$CONTEXT/Dockerfile"
	run grep 'RUN [^[]' "$CONTEXT/Dockerfile"
	[ "$status" -eq 1 ]
	build "$TAG"
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr built --read-only -- sh -c 'readlink /root/.foo-cli; readlink /etc/foo.d
		cat /proc/self/fd/$TYPECLAW_STRATEGY_FD'
	echo "$output" "$stderr"
	[ "${lines[0]}" = /agent/workspace/.foo-cli ]
	[ "${lines[1]}" = /agent/workspace/foo.d ]
	value "${lines[2]}" '.symlinks == {"created":0,"unchanged":2,"replaced":0,"refused":0}'
	value "${lines[2]}" '.strategy == "proc-bind"'
}

@test "a configuration is baked in, with its links and its agent folder" {
	printf '[agent]\ndir = /srv/agent\n[symlinks]\n/opt/tool = workspace/tool\n' >"$CONTEXT/my.ini"
	(cd "$CONTEXT" && init dockerfile --base "$IMAGE" --no-packages --config my.ini >Dockerfile)
	build "$TAG"
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr built --read-only -- sh -c 'readlink /opt/tool; cat /proc/self/fd/$TYPECLAW_STRATEGY_FD'
	echo "$output" "$stderr"
	[ "${lines[0]}" = /srv/agent/workspace/tool ]
	value "${lines[1]}" '.symlinks.unchanged == 1 and .sandbox.agent_dir == "/srv/agent"'
}

@test "a link that cannot be baked fails the build" {
	printf '[symlinks]\n/proc/x = workspace/tool\n' >"$CONTEXT/my.ini"
	(cd "$CONTEXT" && init dockerfile --base "$IMAGE" --no-packages --config my.ini >Dockerfile)
	run build "$TAG"
	echo "$output"
	[ "$status" -ne 0 ]
	says 'from-system-root'
}

@test "the product's own Dockerfile builds in two stages, and the result boots" {
	# Its compiler is the one thing that this base does not have: `make install` brings the binary
	# that is under test.
	cat >"$CONTEXT/make" <<-'END'
		#!/bin/sh
		for word; do
			case $word in DESTDIR=*) out=${word#*=} ;; install) install=1 ;; esac
		done
		[ -n "$install" ] || exit 0
		mkdir -p "$out/usr/local/bin" && cp typeclaw-init "$out/usr/local/bin" &&
			ln -s typeclaw-init "$out/usr/local/bin/typeclaw-entrypoint"
	END
	chmod +x "$CONTEXT/make"
	printf 'FROM %s\nCOPY make /usr/bin/make\n' "$BASE" >"$CONTEXT/Dockerfile"
	build "$TAG-make"
	cp "$TOP/dockerfile/Dockerfile" "$CONTEXT/Dockerfile"
	mkdir -p "$CONTEXT/tests/helpers"
	printf '#!/bin/sh\nexit 0\n' >"$CONTEXT/tests/helpers/packages"
	chmod +x "$CONTEXT/tests/helpers/packages"
	cp "$TOP/packages.txt" "$CONTEXT"
	run build "$TAG" --build-arg BASE="$BASE" --build-arg BUILD_BASE="$TAG-make"
	echo "$output"
	docker rmi -f "$TAG-make" >/dev/null
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2016 # expanded in there
	run --separate-stderr built -- sh -c 'cat /proc/self/fd/$TYPECLAW_STRATEGY_FD'
	value "$output" '.strategy == "proc-bind"'
	[ "$(docker image inspect -f '{{json .Config.Entrypoint}}' "$TAG")" = '["/usr/local/bin/typeclaw-entrypoint"]' ]
}
