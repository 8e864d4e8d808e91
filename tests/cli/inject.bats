# The helpers that make system calls fail, tested themselves: a helper that injects nothing would
# make every test that uses it pass.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup() {
	HELPERS=$BUILD/test/helpers
	REPORT=$BATS_TEST_TMPDIR/report
}

@test "refuse makes a call fail with its errno, each time, in children too" {
	run "$HELPERS/refuse" mkdir=EROFS,mkdirat=EROFS -- sh -c 'mkdir a; mkdir b; echo went on'
	[ "$status" -eq 0 ]
	says "a.*: Read-only file system"
	says "b.*: Read-only file system"
	says '^went on$'
}

@test "refuse looks at an argument when told to" {
	cd "$BATS_TEST_TMPDIR"
	mkdir a
	: >b
	# ls opens a folder with O_DIRECTORY (0x10000); cat opens a file without.
	run "$HELPERS/refuse" 'openat/2&0x10000=EIO' -- ls a
	[ "$status" -ne 0 ]
	says 'Input/output error'
	run "$HELPERS/refuse" 'openat/2&0x10000=EIO' -- cat b
	[ "$status" -eq 0 ]
}

@test "inject fails the one occurrence it is told to, and counts" {
	cd "$BATS_TEST_TMPDIR"
	run "$HELPERS/inject" --report "$REPORT" 'unlinkat=EPERM@2' -- \
		sh -c ': >a; : >b; : >c; rm -f a; rm -f b; rm -f c'
	says 'b.*: Operation not permitted'
	[ ! -e a ]
	[ -e b ]
	[ ! -e c ]
	[ "$(cat "$REPORT")" = 'unlinkat=EPERM@2 seen=3 injected=1' ]
}

@test "inject with a plus fails that occurrence and all later ones" {
	cd "$BATS_TEST_TMPDIR"
	run "$HELPERS/inject" --report "$REPORT" 'unlinkat=EPERM@2+' -- \
		sh -c ': >a; : >b; : >c; rm -f a; rm -f b; rm -f c'
	[ ! -e a ]
	[ -e b ]
	[ -e c ]
	[ "$(cat "$REPORT")" = 'unlinkat=EPERM@2+ seen=3 injected=2' ]
}

@test "inject says so when the occurrence never came, which ends a sweep" {
	run "$HELPERS/inject" --report "$REPORT" mkdirat=EIO@9 -- true
	[ "$status" -eq 0 ]
	[ "$(cat "$REPORT")" = 'mkdirat=EIO@9 seen=0 injected=0' ]
}

@test "inject kills before the call is made" {
	cd "$BATS_TEST_TMPDIR"
	: >a
	run "$HELPERS/inject" unlinkat=KILL@1 -- rm -f a
	[ "$status" -eq 137 ]
	[ -e a ]
}

@test "both end as the command ends, and with 99 for what they do not understand" {
	for helper in refuse inject; do
		run "$HELPERS/$helper" mkdirat=EIO -- sh -c 'exit 7'
		[ "$status" -eq 7 ]
		for rule in mkdirat nonsense=EIO mkdirat=ENONSENSE 'mkdirat=EIO,' =EIO '' \
			mkdirat/9\&1=EIO mkdirat=EIO@0 mkdirat=EIO@x; do
			run "$HELPERS/$helper" "$rule" -- true
			[ "$status" -eq 99 ] || { echo "$helper $rule: $status"; false; }
		done
		run "$HELPERS/$helper" mkdirat=EIO -- /no/such/command
		[ "$status" -eq 99 ]
	done
}
