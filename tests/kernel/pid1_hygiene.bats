# Hygiene: what PID 1 keeps, what it shows of itself, and a log that never gets in the way.

load init

# What PID 1 lets go of comes right after the child's exec; this waits for the last step.
settled() { until_true '[ "$(readlink "/proc/$pid/cwd")" = / ] && [ "$(status_field "$pid" State)" = S ]'; }

@test "after the start PID 1 holds no descriptor but standard error" {
	begin -k 5 -k 200 -- -- probe_child signals
	expect ready
	settled
	for fd in $(ls "/proc/$pid/fd"); do
		[ "$fd" = 2 ] || [ "$(readlink "/proc/$pid/fd/$fd")" = "$(readlink "/proc/$pid/fd/2")" ] ||
			{ ls -l "/proc/$pid/fd"; return 1; }
	done
	signal TERM
	expect "15 *"
	ends 0
}

@test "a pipe's reader sees its end when the child closes it, not when PID 1 ends" {
	begin -- -- sh -c 'exec 1>&- 0<&-; trap "exit 0" TERM; while :; do sleep 0.05; done'
	settled
	run find "/proc/$pid/fd" -lname "*/out" -o -lname "*/in"
	[ -z "$output" ]
	signal TERM
	ends 0
}

@test "PID 1 does not keep a working directory busy" {
	mkdir busy
	cd busy
	mkfifo pid
	cd ..
	begin -- -- probe_child signals
	expect ready
	until_true '[ "$(readlink "/proc/$pid/cwd")" = / ]'
	signal TERM
	expect "15 *"
	ends 0
}

@test "no secret of the environment is left to read in PID 1" {
	export API_KEY=sk-very-secret-4711
	begin -- -- probe_child signals
	expect ready
	settled
	[ "$(tr -d '\0' <"/proc/$pid/environ" | wc -c)" -eq 0 ]
	grep -qa sk-very-secret-4711 "/proc/$(children "$pid")/environ"
	signal TERM
	expect "15 *"
	ends 0
}

@test "PID 1 is not dumpable: its own uid cannot read its memory or descriptors" {
	[ "$(id -u)" -eq 0 ] || skip "another uid needs root"
	export API_KEY=sk-very-secret-4711
	once -u 4242 -- -- sh -c 'sleep 0.1
		for file in environ maps mem auxv exe; do
			head -c 1 /proc/1/$file >/dev/null 2>&1 && echo "readable: $file"
		done
		for link in cwd exe root fd/2; do
			readlink /proc/1/$link >/dev/null && echo "resolves: $link"
		done
		grep -q Name /proc/1/status && echo alive'
	[ "$status" -eq 0 ]
	[ "$output" = alive ]
	# and the test can fail: a sleeping sibling of that uid is readable
	once -u 4242 -- -- sh -c 'sleep 9 & cat /proc/$!/environ | tr "\0" "\n" | grep API_KEY; kill $!'
	[[ $output = *4711* ]]
}

@test "PID 1 itself dumps no core" {
	begin -l core=4096 -- -- probe_child signals
	expect ready
	[ "$(awk '/^Max core file size/ { print $5 }' "/proc/$pid/limits")" = 0 ]
	[ "$(awk '/^Max core file size/ { print $5 }' "/proc/$(children "$pid")/limits")" = 4096 ]
	signal TERM
	expect "15 *"
	ends 0
}

@test "a full log pipe blocks nothing" {
	mkfifo log
	exec 6<>log
	dd if=/dev/zero of=log oflag=nonblock bs=4096 2>/dev/null || :
	err=log begin -- -v -- probe_child count USR1
	expect ready
	for _ in {1..50}; do signal USR1; done
	took_all
	signal TERM
	expect "counted [1-9]*"
	ends 0
	exec 6>&-
}

@test "a closed log pipe kills nobody, and its SIGPIPE is not forwarded" {
	mkfifo log
	exec 6<>log
	err=log begin -- -v -- probe_child signals
	expect ready
	exec 6>&-
	for _ in 1 2 3; do
		signal USR1
		expect "10 *"
	done
	signal PIPE
	expect "13 *"
	signal TERM
	expect "15 *"
	ends 0
}

@test "a log on a socket that nobody reads blocks nothing" {
	# descriptor 0 is the socket; its peer is closed with its owner's exec, or never read
	keep pid1 -S "$init" run "${quick[@]}" -v sh -c 'for i in 1 2 3 4 5; do kill -URG 1; done; exit 3' 2>&0
	[ "$status" -eq 3 ]
}

@test "a read-only root and an empty /proc are enough" {
	once -R -- -- sh -c 'sleep 1000 & exit 4'
	[ "$status" -eq 4 ]
	[[ $init != *asan* ]] || skip "AddressSanitizer itself needs /proc"
	once -P -- -- sh -c 'sleep 1000 & exit 4'
	[ "$status" -eq 4 ]
	once -n -P -- -- sh -c 'exit 4'
	[ "$status" -eq 4 ]
}

@test "an empty root is enough" {
	[ "$(id -u)" -eq 0 ] || skip "chroot(2) needs root"
	[[ $init != *asan* ]] || skip "AddressSanitizer itself needs its libraries"
	mkdir root
	cp "$init" root/init
	cp "$BUILD/static-helpers/probe_child" root/probe_child
	keep pid1 chroot root /init run "${quick[@]}" /probe_child state
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "mask 0000000000000000" ]
}

@test "it works as another user" {
	[ "$(id -u)" -eq 0 ] || skip "another uid needs root"
	once -u 4242 -- -- sh -c 'sleep 1000 & exit 4'
	[ "$status" -eq 4 ]
}

@test "init in init: statuses, signals and orphans pass through both" {
	once -- -- "$init" run "${quick[@]}" sh -c 'sleep 1000 & exit 44'
	[ "$status" -eq 44 ]
	begin -- -- "$init" run "${quick[@]}" probe_child signals
	expect ready
	signal RTMIN=3
	expect "34 -1 3"
	signal TERM
	expect "15 *"
	ends 0
}

# What it allocated, exactly: statm is a sum of per-CPU guesses since Linux 6.2, and pages of the
# program file come and go.
anonymous_kb() {
	awk '/^Anonymous:/ { print $2 }' "/proc/$pid/smaps_rollup"
}

@test "memory of PID 1 stays as it is over 2,000 signals and 500 orphans" {
	begin -- -- sh -c 'orphans 100 100 >&2; echo warm; read x; orphans 500 100 >&2; echo done; exec probe_child count USR1'
	expect warm
	before=$(anonymous_kb)
	tell go
	expect done
	expect ready
	signal USR1x2000
	took_all
	after=$(anonymous_kb)
	[ "$after" -le $((before + 8)) ]
	signal TERM
	expect "counted *"
	ends 0
}

@test "a failed start leaves its reason where Kubernetes looks, and follows no link there" {
	[ "$(id -u)" -eq 0 ] || skip "mounting needs root"
	[[ $init != *bare_init ]] || skip "bare_init reports to nobody"
	fail_with='mount -t tmpfs none /dev && mknod /dev/null c 1 3 && eval "$1"; shift
		"$0" run --set probes.budget_ms=0 /no/such/command'
	keep pid1 sh -c "$fail_with; cat /dev/termination-log" "$init" ': >/dev/termination-log'
	[[ $output = 'execute "/no/such/command": No such file or directory' ]]
	for trick in 'ln -s /dev/other /dev/termination-log; : >/dev/other' \
		'mkfifo /dev/termination-log; : >/dev/other' ': >/dev/other'; do
		keep pid1 sh -c "$fail_with; echo \$?; ls /dev; cat /dev/other" "$init" "$trick"
		[ "${lines[0]}" = 127 ]
		[[ ${lines[-1]} = other || ${lines[-1]} = termination-log ]] # and nothing of cat
	done
}

@test "a command that watches no child has the signal mask it was given" {
	[[ $init != *bare_init ]] || skip "bare_init has one command"
	strace -qq -o trace "$init" config >/dev/null
	grep -q '^rt_sigprocmask(SIG_SETMASK, \[\]' trace
}
