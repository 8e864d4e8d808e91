# The source tree and the binary it makes: layers, compilers, hardening, size.

# A copy of what the layer check reads, to break.
copy_of_the_tree() {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/tests"
	cp tests/layers.txt "$tree/tests"
	cp -r init sandbox probes symlinks "$tree"
	mkdir -p "$tree/entrypoint"
}

# lacks OPTION REGEX: readelf of the binary says something, and nowhere this.
lacks() {
	run readelf "$1" "$TYPECLAW_INIT"
	[ "$status" -eq 0 ] && [ -n "$output" ] && ! grep -Eq "$2" <<<"$output"
}

@test "no file includes a layer or a library that is not its own to include" {
	tests/helpers/layers
}

@test "the layer check bites: upwards, sideways, relative, computed and foreign includes" {
	copy_of_the_tree
	tests/helpers/layers "$tree"
	while IFS='|' read -r file line; do
		echo "$line" >"$tree/$file"
		run tests/helpers/layers "$tree"
		rm "$tree/$file"
		[ "$status" -ne 0 ] || { echo "not refused: $file: $line"; false; }
		[[ $output = "$file:1: "* ]]
	done <<-'ROWS'
		init/x.c|#include "sandbox/sandbox.h"
		init/x.h|# include "entrypoint/main.h"
		sandbox/x.c|#include "probes/probes.h"
		symlinks/x.c|#include "sandbox/sandbox.h"
		probes/x.c|#include "symlinks/links.h"
		probes/x.c|#include "../symlinks/links.h"
		probes/x.c|#include "init/../symlinks/links.h"
		probes/x.c|#include "facts.h"
		probes/x.c|#include HEADER
		probes/x.c|#include <jansson.h>
		init/x.c|#include <sys/capability.h>
		symlinks/x.c|#include <ini.h>
	ROWS
}

@test "clang builds it without a warning" {
	env -u CC make -j2 CC=clang BUILD="$BUILD/clang" all
}

@test "the binary is a static-pie without an interpreter or needed libraries" {
	readelf -hW "$TYPECLAW_INIT" | grep -q 'Type: *DYN'
	lacks -lW INTERP
	lacks -dW NEEDED
}

@test "the binary is hardened: relro, bind now, no executable stack, no text relocation" {
	readelf -lW "$TYPECLAW_INIT" | grep -q GNU_RELRO
	readelf -lW "$TYPECLAW_INIT" | grep GNU_STACK | grep -q 'RW '
	readelf -dW "$TYPECLAW_INIT" | grep -Eq 'FLAGS_1.*NOW.*PIE'
	lacks -dW TEXTREL
	lacks -lW 'LOAD.* RWE '
}

@test "the binary is stripped and below one MiB" {
	lacks -SW '\.(symtab|debug_info)'
	size=$(stat -c %s "$TYPECLAW_INIT")
	[ "$size" -lt 1048576 ] || { echo "$size bytes"; false; }
}

@test "the binary starts in an empty root" {
	[ "$(id -u)" -eq 0 ] || skip "chroot(2) needs root"
	mkdir "$BATS_TEST_TMPDIR/root"
	cp "$TYPECLAW_INIT" "$BATS_TEST_TMPDIR/root/init"
	run chroot "$BATS_TEST_TMPDIR/root" /init --version
	[ "$status" -eq 0 ]
	[[ $output = typeclaw-init\ * ]]
}

@test "nothing of the build machine is in the binary" {
	run grep -aF "$PWD" "$TYPECLAW_INIT"
	[ "$status" -eq 1 ]
}

@test "missing packages are named in one line to who is not root, and nothing is touched" {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/tests/helpers"
	cp tests/helpers/packages "$tree/tests/helpers"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null || true
	printf '# comment\nbuild\tno-such-package-a\ncheck\tno-such-package-b\nrun\tbash\n' >"$tree/packages.txt"
	as=() && [ "$(id -u)" -ne 0 ] || as=(setpriv --reuid 1000 --regid 1000 --clear-groups)
	run "${as[@]}" "$tree/tests/helpers/packages" build run check
	echo "$output"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output = *"only root"*"no-such-package-a no-such-package-b" ]]
	run "${as[@]}" "$tree/tests/helpers/packages" run
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "the scripts pass shellcheck" {
	mapfile -t scripts < <(grep -rlE '^#!/bin/(ba)?sh' tests .ci)
	[ "${#scripts[@]}" -gt 4 ]
	shellcheck -S warning "${scripts[@]}"
}
