# The end: statuses, orphans, grace and timeouts, and who is waited for.

load init

milliseconds() { echo $((${EPOCHREALTIME/./} / 1000)); }

@test "exit statuses come out as they went in" {
	for status_in in 0 1 2 77 125 126 127 128 143 254 255; do
		once -- -- sh -c "exit $status_in"
		[ "$status" -eq "$status_in" ]
	done
}

@test "a death by signal N is 128+N, with or without a core" {
	for number in 9 11 6 37 64; do
		once -- -- probe_child end "$number"
		[ "$status" -eq $((128 + number)) ]
	done
}

@test "statuses that count as success become 0, 143 too, others do not" {
	once -- -e 143 -e 7 -- sh -c 'kill -TERM $$'
	[ "$status" -eq 0 ]
	once -- -e 143 -e 7 -- sh -c 'exit 7'
	[ "$status" -eq 0 ]
	once -- -e 143 -e 7 -- sh -c 'exit 8'
	[ "$status" -eq 8 ]
}

@test "1,000 ends in one SIGCHLD, the main child's among them: its status is found" {
	begin -- -- probe_child crowd 999 42
	expect ready
	kill -STOP "$pid"
	in_state "$pid" T
	tell go
	until_true '[ "$(grep -ls "^State:.*Z" /proc/[0-9]*/status | xargs -r grep -lsx "PPid:.$pid" | wc -l)" -eq 1000 ]'
	kill -CONT "$pid"
	ends 42
}

@test "2,000 orphans, 500 at once: none is left after a second" {
	once -- -- orphans 2000 500
	[ "$status" -eq 0 ]
	[[ $output = *"left 0 after"* ]]
}

@test "reaping costs less than two system calls each when many end at once" {
	begin -- -- probe_child crowd 500 0
	expect ready
	kill -STOP "$pid"
	in_state "$pid" T
	traced "$pid"
	tell go
	until_true '[ "$(grep -ls "^State:.*Z" /proc/[0-9]*/status | xargs -r grep -lsx "PPid:.$pid" | wc -l)" -eq 501 ]'
	kill -CONT "$pid"
	ends 0
	[ "$(grep -c '^wait4.*WIFEXITED' trace)" -ge 500 ]
	[ "$(wc -l <trace)" -lt 600 ]
}

@test "an orphan that outlives the main child is ended" {
	once -- -- sh -c 'sleep 1000 & exit 5'
	[ "$status" -eq 5 ]
}

@test "what is left gets TERM first and may end by itself" {
	begin -- --set init.kill_grace_ms=20000 -- sh -c \
		'sh -c "trap \"echo bye; exit\" TERM; echo up; while :; do sleep 0.02; done" & read x; exit 5'
	expect up
	tell go
	expect bye
	ends 5
}

@test "a grandchild that ignores TERM is killed after the grace, late orphans too" {
	begin -- --set init.kill_grace_ms=300 -- sh -c \
		'trap "" TERM; sh -c "(sleep 1000 & sleep 1000) & sleep 1000" & echo up; read x; exit 6'
	expect up
	start=$(milliseconds)
	tell go
	ends 6
	took=$(($(milliseconds) - start))
	[ "$took" -ge 300 ]
	[ "$took" -lt 5000 ]
}

@test "a grace of 0 kills at once" {
	begin -- --set init.kill_grace_ms=0 -- sh -c 'trap "" TERM; sleep 1000 & echo up; read x; exit 6'
	expect up
	tell go
	ends 6
}

@test "nobody left: the grace is not waited for" {
	start=$(milliseconds)
	once -- --set init.kill_grace_ms=60000 -- true
	[ "$status" -eq 0 ]
	[ $(($(milliseconds) - start)) -lt 20000 ]
}

@test "wait = all waits for orphans and keeps the main child's status" {
	begin -- --set init.wait=all -- sh -c 'exec 3<&0; sh -c "read x <&3; echo last" & exit 9'
	until_true 'children "$pid" | grep -q . && [ "$(grep -c . /proc/$pid/task/$pid/children)" -eq 1 ] &&
		grep -qa "read x" "/proc/$(children "$pid")/cmdline"'
	tell go
	expect last
	ends 9
}

@test "wait = all: a TERM after the main child's end reaches what is left" {
	begin -- --set init.wait=all -- sh -c \
		'sh -c "trap \"echo bye; exit\" TERM; echo up; while :; do sleep 0.02; done" & exit 9'
	expect up
	until_true '[ "$(children "$pid" | wc -w)" -eq 1 ]'
	signal TERM
	expect bye
	ends 9
}

@test "a main child that ignores TERM is killed by the stop timeout: 137" {
	begin -- --set init.stop_timeout_ms=300 -- sh -c 'trap "" TERM; echo up; while :; do sleep 0.05; done'
	expect up
	start=$(milliseconds)
	signal TERM
	ends 137
	[ $(($(milliseconds) - start)) -ge 300 ]
	grep -q 'did not end in 300 ms' err
}

@test "the stop timeout runs from the first TERM, and for one that was rewritten" {
	begin -- --set init.stop_timeout_ms=600 -r TERM:USR1 -- probe_child signals
	expect ready
	start=$(milliseconds)
	signal TERM
	expect "10 *"
	until_true '[ $(($(milliseconds) - start)) -gt 300 ]'
	signal TERM
	expect "10 *"
	ends 137
	[ $(($(milliseconds) - start)) -lt 900 ]
}

@test "the stop timeout is nothing to a child that ends in time" {
	begin -- --set init.stop_timeout_ms=30000 -- probe_child signals
	expect ready
	signal TERM
	expect "15 *"
	ends 0
}

@test "stops of PID 1 do not lengthen the grace" {
	begin -- --set init.kill_grace_ms=500 -- sh -c 'trap "" TERM; sleep 1000 & echo up; read x; exit 6'
	expect up
	start=$(milliseconds)
	tell go
	for _ in 1 2 3; do
		kill -STOP "$pid" 2>/dev/null && in_state "$pid" T && kill -CONT "$pid" || break
	done
	ends 6
	took=$(($(milliseconds) - start))
	[ "$took" -ge 500 ] && [ "$took" -lt 3000 ]
}

@test "-w says what was reaped" {
	once -- -w -- sh -c '(sleep 0.01 &) ; sleep 0.2; exit 0'
	[ "$status" -eq 0 ]
	[[ $said = *"Reaped zombie process"* ]]
	once -- -- sh -c '(sleep 0.01 &) ; sleep 0.2; exit 0'
	[[ $said != *"Reaped zombie process"* ]]
}

@test "not PID 1: orphans are adopted and ended, strangers are not" {
	sleep 1000 3>&- 8>&- 9>&- &
	stranger=$!
	once -n -- -- sh -c 'setsid sh -c "sleep 1000 & sleep 1000" & sleep 0.1; exit 8'
	[ "$status" -eq 8 ]
	kill -0 "$stranger"
	kill "$stranger"
	run pgrep -f "^sleep 1000$" -P 1
	[ "$status" -ne 0 ] || [ -z "$output" ]
}

@test "not PID 1: an orphan that ignores TERM is killed, with those it makes meanwhile" {
	begin -n -- --set init.kill_grace_ms=200 -- sh -c \
		'setsid sh -c "trap \"\" TERM; echo up; while :; do sleep 0.05; done" & read x; exit 6'
	expect up
	tell go
	ends 6
}

@test "not PID 1: no word about it" {
	once -n -- -- true
	[ "$status" -eq 0 ]
	[[ $said != *"PID 1"* && $said != *reaper* ]]
}

@test "our parent's death ends the child with -p KILL, even when it was before we looked" {
	begin -n -- -p KILL -- sh -c 'echo $$; exec sleep 1000'
	read -r -t 10 -u 8 child
	kill -KILL "$(status_field "$pid" PPid)"
	wait "$job" || :
	job=
	until_true '! kill -0 "$pid" 2>/dev/null'
	kill -KILL "$child" 2>/dev/null || :
}

@test "a child killed by the OOM killer is 137 and takes nobody along" {
	once -- -- sh -c 'echo 1000 >/proc/self/oom_score_adj; kill -KILL $$'
	[ "$status" -eq 137 ]
}

@test "a child of the child with another exit signal is reaped as well" {
	once -- -- sh -c 'exec orphans 50 50'
	[ "$status" -eq 0 ]
}
