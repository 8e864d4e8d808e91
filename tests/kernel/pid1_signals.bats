# Signals: forwarded, each of them, with what they carry, to the child and to nobody else.

load init

@test "a signal that was pending when we were exec'ed reaches the child" {
	begin -b USR1,RTMIN+1 -q USR1,RTMIN+1 -- -- probe_child signals
	expect ready
	expect "10 *"
	expect "35 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "every forwardable signal from 1 to 64 reaches the child, 32 and 33 too" {
	begin -- -- probe_child signals TERM
	expect ready
	for number in {1..64}; do
		case $number in 9 | 15 | 17 | 19) continue ;; esac
		signal "$number"
		expect "$number *"
	done
	signal TERM
	expect "15 *"
	ends 0
}

@test "a value that was queued with a signal arrives, real-time or not" {
	begin -- -- probe_child signals
	expect ready
	for spec in USR1=7 RTMIN=42 RTMAX=-1 32=5 33=2147483647; do
		signal "$spec"
		expect "$(case $spec in USR1*) echo 10 ;; RTMIN*) echo 34 ;; RTMAX*) echo 64 ;;
			*) echo "${spec%=*}" ;; esac) -1 ${spec#*=}"
	done
	signal TERM
	expect "15 *"
	ends 0
}

@test "a signal without a value arrives as one without" {
	begin -- -- probe_child signals
	expect ready
	signal USR1
	expect "10 0 0"
	signal TERM
	expect "15 0 0"
	ends 0
}

@test "a value travels through a rewrite" {
	begin -- -r USR1:RTMIN+3 -- probe_child signals
	expect ready
	signal USR1=99
	expect "37 -1 99"
	signal TERM
	expect "15 *"
	ends 0
}

@test "what was queued while PID 1 was frozen is all delivered, real-time ones each time" {
	begin -- -- probe_child signals
	expect ready
	kill -STOP "$pid"
	in_state "$pid" T
	signal RTMIN+2=1 RTMIN+2=2 RTMIN+2=3 32=4 32=5 USR1
	kill -CONT "$pid"
	seen=$(for _ in 1 2 3 4 5 6 7; do read -r -t 10 -u 8 line && echo "$line"; done | sort)
	[ "$seen" = "$(printf '%s\n' '10 0 0' '18 0 0' '32 -1 4' '32 -1 5' '36 -1 1' '36 -1 2' '36 -1 3' | sort)" ]
	signal TERM
	expect "15 *"
	ends 0
}

@test "with no room to queue 10,000 USR1 are survived and one arrives after the last" {
	begin -l sigpending=0 -- -- probe_child count USR1
	expect ready
	signal USR1x10000
	took_all
	signal TERM
	expect "counted [1-9]*"
	ends 0
}

@test "a value that finds no room in the child's queue still arrives as a plain signal" {
	begin -- -- sh -c 'ulimit -i 0; exec probe_child signals'
	expect ready
	signal RTMIN=5
	expect "34 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "TERM ends a child that does not handle it: 143" {
	begin -- -- sh -c 'echo ready; exec sleep 1000'
	expect ready
	signal TERM
	ends 143
}

@test "SIGKILL of the child is seen as 137, not forwarded by anybody" {
	begin -- -- sh -c 'echo ready; exec sleep 1000'
	expect ready
	kill -KILL "$(children "$pid")"
	ends 137
}

@test "CHLD is about our own children and is not forwarded" {
	begin -- -- probe_child signals
	expect ready
	signal CHLD CHLD
	signal TERM
	expect "15 *"
	ends 0
}

@test "rewrite: by name, by number, to another signal and to 0, which drops it" {
	begin -- -r TERM:QUIT -r 10:0 -r SIGHUP:SIGRTMIN+3 -- probe_child signals QUIT
	expect ready
	signal USR1
	signal HUP
	expect "37 *"
	signal TERM
	expect "3 *"
	ends 0
}

@test "only the child is signalled by default, its group with -g" {
	script='trap "echo main" USR1; trap "exit 0" TERM
		sh -c "trap \"echo grandchild; exit\" USR1; echo up; while :; do sleep 0.05; done" &
		while :; do sleep 0.05; done'
	begin -- -- sh -c "$script"
	expect up
	signal USR1
	expect main
	signal TERM
	ends 0
	begin -- -g -- sh -c "$script"
	expect up
	signal USR1
	read -r -t 10 -u 8 one
	read -r -t 10 -u 8 other
	[ "$(printf '%s\n' "$one" "$other" | sort | xargs)" = "grandchild main" ]
	signal TERM
	ends 0
}

@test "a grandchild in a group of its own is signalled by forward = all alone" {
	script='trap : USR1; trap "exit 0" TERM
		setsid sh -c "trap \"echo grandchild; exit\" USR1; echo up; while :; do sleep 0.05; done" &
		while :; do sleep 0.05; done'
	begin -- -g -- sh -c "$script"
	expect up
	signal USR1
	signal TERM
	ends 0
	begin -- --set init.forward=all -- sh -c "$script"
	expect up
	signal USR1
	expect grandchild
	signal TERM
	ends 0
}

@test "a child that left its group is still reached with -g" {
	begin -- -g -- probe_child leave
	expect ready
	signal USR1
	expect "10 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "a child that changed its user cannot be signalled: said once, and survived" {
	[ "$(id -u)" -eq 0 ] || skip "setpriv needs root"
	chmod 755 .
	begin -D 5 -- -- setpriv --reuid=1000 --clear-groups probe_child signals
	expect ready
	signal USR1 USR2 HUP
	took_all
	[ "$(grep -c 'not forwarded' err)" -eq 1 ]
	grep -q 'SIGHUP\|SIGUSR1\|SIGUSR2' err
	sigsend "$(children "$pid")" TERM
	expect "15 *"
	ends 0
}

@test "kill 1 from the child comes back to it once" {
	begin -- -- probe_child signals
	expect ready
	nsenter -t "$pid" -p -m "$helpers/sigsend" 1 USR1
	expect "10 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "kill -1 inside leaves PID 1 alive" {
	once -- -- sh -c 'sleep 1000 & kill -TERM -1; wait; exit 7'
	[ "$status" -eq 7 ]
}

@test "a SEGV that somebody sends is forwarded, a real fault of ours kills us" {
	begin -- -- probe_child signals
	expect ready
	signal SEGV
	expect "11 *"
	sabotage "$pid"
	signal USR1
	wait "$job" || status=$?
	job=
	[ "$status" -eq 132 ]
}

@test "a stopped and continued child is no child that ended" {
	begin -- -- probe_child signals
	expect ready
	child=$(children "$pid")
	kill -STOP "$child"
	in_state "$child" T
	signal USR1
	kill -CONT "$child"
	expect "10 *"
	expect "18 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "a child that is traced is no child that ended" {
	begin -- -- probe_child signals
	expect ready
	child=$(children "$pid")
	traced "$child"
	signal USR1
	expect "10 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "a forwarded signal costs two system calls, and none allocates or opens anything" {
	begin -- -- probe_child count USR1
	expect ready
	traced "$pid"
	for _ in {1..20}; do
		signal USR1=1
		took_all
	done
	signal TERM
	expect "counted *"
	ends 0
	calls=$(grep -cE '^(rt_sigtimedwait|kill|rt_sigqueueinfo)\(' trace)
	forwarded=$(grep -cE '^(kill|rt_sigqueueinfo)\(' trace)
	[ "$forwarded" -ge 2 ]
	[ "$calls" -le $((2 * forwarded + 4)) ]
	run grep -E '^(brk|mmap|open|openat|dup|pipe|socket|poll|nanosleep)' trace
	[ "$status" -eq 1 ]
}

@test "an idle PID 1 never wakes up" {
	begin -- -- probe_child signals
	expect ready
	in_state "$pid" S
	before=$(status_field "$pid" voluntary_ctxt_switches)
	read -r -t 2.5 <> <(:) || :
	[ "$(status_field "$pid" voluntary_ctxt_switches)" -eq "$before" ]
	signal TERM
	expect "15 *"
	ends 0
}

@test "a signal from our dying parent, -p, reaches the child; a parent that was dead counts" {
	for signal in USR1 TERM; do
		begin -n -- -p "$signal" -- probe_child signals "$signal"
		expect ready
		kill -KILL "$(status_field "$pid" PPid)"
		expect "$(kill -l "$signal") *"
		wait "$job" || :
		job=
	done
}
