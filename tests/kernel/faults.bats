# A system call of the probe that fails can only take certainty away: never `safe` after one, and
# never `unsafe` because of one.  bwrap's own calls are left alone.
bats_require_minimum_version 1.5.0
load ../helpers/common

# How many occurrences of each call are tried; FAULTS=1000 tries them all.
FAULTS=${FAULTS:-8}

# Which of the three is probed; its proof is called safe here, available or not.
SHAPE=proc-bind

probe_injected() { # RULE: the verdict; the report is left in $BATS_TEST_TMPDIR/report
	local options=()

	[ "$SHAPE" = proc-bind ] || options=(--no-bind)
	[ "$SHAPE" != tmpfs ] || options+=(--tmpfs)
	[ "$SHAPE" != real-proc ] || options+=(--real)
	unshare --mount --pid --fork --mount-proc --kill-child=KILL \
		"$BUILD/static-helpers/inject" --spare bwrap --report "$BATS_TEST_TMPDIR/report" "$1" \
		-- "$BUILD/static-helpers/probe_here" --no-retry --timeout 3000 "${options[@]}" \
		2>&1 </dev/null | awk -v shape="$SHAPE" \
		'$1 == shape { print $2 == "available" ? "safe" : $2 }'
}

seen() {
	sed -n 's/.* seen=\([0-9]*\) .*/\1/p' "$BATS_TEST_TMPDIR/report"
}

# CALL=ERRNO FIRST LAST: every occurrence but the first FIRST and the last LAST decides something.
sweep() {
	local n verdict total step injected=0 bad=0

	verdict=$(probe_injected "$1@100000")
	[ "$verdict" = safe ] || { echo "$1: without a fault $verdict"; return 1; }
	total=$(($(seen) - $3))
	step=$(((total - $2 + FAULTS - 1) / FAULTS))
	[ "$step" -ge 1 ] || { echo "$1: seen $(seen) times only"; return 1; }
	for ((n = $2 + 1; n <= total; n += step)); do
		verdict=$(probe_injected "$1@$n")
		grep -q ' injected=1$' "$BATS_TEST_TMPDIR/report" || continue
		injected=$((injected + 1))
		[[ $verdict = safe || $verdict = unsafe ]] || continue
		bad=$((bad + 1))
		echo "$1@$n: $verdict"
	done
	echo "$1: $injected injected of $total, $bad wrong"
	# What the kernel runs first differs from run to run, so a last one may not come.
	[ "$injected" -ge 1 ] && [ "$injected" -ge $(((total - $2) / step - 1)) ] && [ "$bad" -eq 0 ]
}

setup() {
	need_root "the probe runs in a PID namespace of its own"
}

sweeps() { # rows: CALL=ERRNO FIRST LAST WHY
	local rule first last why failed=0

	while read -r rule first last why; do
		sweep "$rule" "$first" "$last" || failed=$((failed + 1))
	done
	[ "$failed" -eq 0 ]
}

@test "proc-bind: a failed system call of the probe is never safe and never unsafe" {
	sweeps <<-'ROWS'
		socketpair=EMFILE 0 0
		clone=EAGAIN 0 0
		pipe2=EMFILE 0 0
		execveat=ENOENT 0 0
		execve=EACCES 1 0 the first is ours
		sendmsg=EIO 0 0
		recvmsg=EIO 0 0
		recvfrom=EIO 0 0
		setsockopt=EPERM 0 0
		shutdown=EIO 0 0
		rt_sigpending=EIO 0 0
		waitid=ECHILD 0 0
		memfd_create=ENOMEM 0 0
		statfs=EIO 0 0
		fcntl=EBADF 0 0
		setsid=EPERM 0 0
		getdents64=EIO 0 0
		readlinkat=EIO 0 0
		read=EIO 0 0
		openat=EIO 8 4 the facts come first, the search for strays last
		openat=EMFILE 8 4
	ROWS
}

@test "real-proc: a failed system call of the probe is never available" {
	SHAPE=real-proc
	sweeps <<-'ROWS'
		mount=EIO 0 0
		clone=EAGAIN 0 0
		socketpair=EMFILE 0 0
		pipe2=EMFILE 0 0
		execve=EACCES 1 0 the first is ours
		sendmsg=EIO 0 0
		recvmsg=EIO 0 0
		statfs=EIO 0 0
		setsid=EPERM 0 0
		getdents64=EIO 0 0
		readlinkat=EIO 0 0
		read=EIO 0 0
	ROWS
}

@test "tmpfs: a failed system call of the probe is never safe" {
	SHAPE=tmpfs
	sweeps <<-'ROWS'
		clone=EAGAIN 0 0
		socketpair=EMFILE 0 0
		sendmsg=EIO 0 0
		recvmsg=EIO 0 0
		getdents64=EIO 0 0
		readlinkat=EIO 0 0
	ROWS
}
