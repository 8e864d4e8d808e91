# The harness itself: what every other Docker test relies on.
load harness

@test "a container runs with the image's tools, without a network, and its status comes out" {
	run box --entrypoint sh -- -c 'bwrap --version && ls /sys/class/net && exit 7'
	echo "$output"
	[ "$status" -eq 7 ]
	[[ ${lines[0]} = bubblewrap* ]]
	[ "${lines[1]}" = lo ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "a container in the background is followed, entered and waited for" {
	name=$(box_start --entrypoint sh -- -c 'echo ready; while [ ! -e /go ]; do sleep 0.05; done; exit 3')
	box_line "$name" '^ready$'
	box_exec "$name" touch /go
	[ "$(box_wait "$name")" = 3 ]
}

@test "a line that never comes is a failure and not a hang" {
	name=$(box_start --entrypoint sh -- -c 'echo other')
	run box_line "$name" '^ready$'
	[ "$status" -ne 0 ]
	[[ $output = *"no line like"*other* ]]
}

@test "no container of an earlier test is left" {
	[ -z "$(docker ps -aq)" ]
}
