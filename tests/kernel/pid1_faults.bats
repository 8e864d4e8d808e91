# Every system call that PID 1 makes itself fails once, in each way that a kernel or a filter may
# choose: the child's status comes out, or a refusal that says why; nothing hangs and nobody dies.

load init

# broken CALL ERRNO N: the N-th call of PID 1 fails so.  Says nothing where that call was not made.
broken() {
	rm -f trace
	status=0
	timeout -s KILL 20 pid1 -n strace -qq -o trace -e trace="$1" -e inject="$1:error=$2:when=$3" \
		"$init" run "${quick[@]}" sh -c '(sleep 0.01 &) ; exit 42' >out.txt 2>err.txt 8>&- 9>&- || status=$?
	grep -q INJECTED trace || return 0
	injected=$((injected + 1))
	case $status in
	42) ;;
	125 | 126 | 127) grep -q 'init: .*:' err.txt || { echo "$*: no reason"; return 1; } ;;
	*) echo "$*: status $status"; cat trace err.txt; return 1 ;;
	esac
}

@test "no single failure of a system call hangs PID 1 or turns the child's status into another" {
	init=$BUILD/release/bare_init injected=0 # init/ alone: the boot has faults.bats
	for call in rt_sigaction fcntl openat fstatfs getdents64 prlimit64 newfstatat getpid prctl ioctl \
		faccessat2 vfork setpgid chdir close madvise wait4 rt_sigtimedwait kill rt_sigprocmask; do
		for errno in EPERM ENOSYS ENOMEM EINTR; do
			# what the C library needs to begin is not ours to survive; time that never
			# comes neither
			case $call/$errno in
			wait4/E[PN]* | rt_sigtimedwait/E[PN]* | getpid/*) continue ;;
			esac
			for number in 1 2; do broken "$call" "$errno" "$number" || return 1; done
		done
	done
	echo "$injected faults injected"
	[ "$injected" -gt 60 ]
}
