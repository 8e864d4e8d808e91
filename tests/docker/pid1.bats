# PID 1 in real containers: a terminal, the engine's signals and limits, a shared PID namespace,
# and as the engine's own init.
load harness

quick="-e TYPECLAW_PROBES_BUDGET_MS=0"

@test "docker run -it: Ctrl-Z wedges nothing, Ctrl-C reaches the child" {
	printf '%s\n' 'expect up' 'send \x1a' 'expect back' 'send \x1a' 'expect back' 'send \x03' >"$BATS_TEST_TMPDIR/script"
	# shellcheck disable=SC2086 # words
	run timeout -s KILL 40 "$BUILD/test/helpers/pty_script" docker run -it --network none \
		--label "$(harness_label)" $quick "$IMAGE" "$HELPERS/probe_child" job <"$BATS_TEST_TMPDIR/script"
	[ "$status" -eq 7 ]
}

@test "docker kill with a real-time signal, and the stop signal of an image" {
	# shellcheck disable=SC2086
	name=$(box_start $quick --stop-signal RTMIN+3 -- "$HELPERS/probe_child" signals RTMIN+3)
	box_line "$name" '^ready'
	docker kill -s USR1 "$name" >/dev/null
	box_line "$name" '^10 0 0'
	timeout -s KILL 30 docker stop -t 20 "$name" >/dev/null
	[ "$(box_wait "$name")" = 0 ]
	box_logs "$name" | grep -q '^37 0 0'
}

@test "a limit of one process: 125, and the errno says why" {
	# shellcheck disable=SC2086
	run box $quick --pids-limit 1 -- true
	[ "$status" -eq 125 ]
	[[ $output = *"Resource temporarily unavailable"* ]]
}

@test "--pid=host: what is left of ours is ended, strangers are not" {
	sleep 1000 3>&- &
	stranger=$!
	# shellcheck disable=SC2086
	run box $quick --pid=host -- sh -c 'sleep 1001 & exit 6'
	[ "$status" -eq 6 ]
	kill -0 "$stranger"
	kill "$stranger"
	run grep -lsxz 1001 /proc/[0-9]*/cmdline
	[ -z "$output" ]
}

@test "as the engine's own docker-init: recognised, forwards, reaps" {
	dir=$BATS_TEST_TMPDIR/own
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work"/bin "$work"/root/{sbin,proc,dev}
	ln -sf "$TYPECLAW_INIT" "$work/bin/docker-init"
	cp "$BUILD/static-helpers/probe_child" "$work/root/probe_child"
	PATH=$work/bin:$PATH tests/docker/daemon start "$dir"
	own="docker -H unix://$dir/sock"
	tar -C "$work/root" -c . | timeout -s KILL 30 $own import - small >/dev/null
	$own info 2>/dev/null | grep -i 'init version'
	timeout -s KILL 30 $own run -d --init --network none --name small small /probe_child signals >/dev/null
	wait_until 10 eval "$own logs small 2>&1 | grep -q ready"
	pid=$($own inspect -f '{{.State.Pid}}' small)
	cmp "/proc/$pid/exe" "$TYPECLAW_INIT"
	$own kill -s USR2 small >/dev/null
	$own stop -t 20 small >/dev/null
	[ "$($own wait small)" = 0 ]
	$own logs small 2>&1 | grep -q '^12 0 0'
	tests/docker/daemon stop "$dir"
}
