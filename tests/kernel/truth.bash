# The runner of truth.txt; see there.
#
#	truth_begin, truth_end		makes and removes the bwraps and the program, reachable for all
#	truth_rows GROUPS		the rows of the groups (a regular expression)
#	truth_check GROUP		runs the rows; prints the ones that came out differently
#	truth_mutate			for each check: blind, one row that names it must differ
#	truth_run HOST BWRAP MORE	one row's right side, as it comes out

TRUTH=${BASH_SOURCE[0]%/*}/truth.txt

truth_begin() {
	# uid 1000 must reach it, and nobody but us may write it or anything above.
	TRUTH_DIR=$(mktemp -d /usr/local/lib/typeclaw-truth.XXXXXX)
	export TRUTH_DIR
	chmod 755 "$TRUTH_DIR"
	cp "$BUILD/test/helpers/probe_here" "$BUILD"/static-helpers/{refuse,fake_bwrap} "$TRUTH_DIR"
	mkdir "$TRUTH_DIR/agent" "$TRUTH_DIR/open"
	truth_bwrap agent/bwrap 755
	truth_bwrap setuid 4755
	truth_bwrap group-writable 775
	truth_bwrap world-writable 757
	truth_bwrap not-executable 644
	printf 'true\n' >"$TRUTH_DIR/no-program"
	chmod 755 "$TRUTH_DIR/no-program"
	truth_bwrap stranger 755
	chown 1234 "$TRUTH_DIR/stranger"
	truth_bwrap open/bwrap 755
	chmod 777 "$TRUTH_DIR/open"
}

truth_end() {
	rm -rf "$TRUTH_DIR"
}

truth_bwrap() { # PLACE MODE
	cp /usr/bin/bwrap "$TRUTH_DIR/$1"
	chmod "$2" "$TRUTH_DIR/$1"
}

truth_place() { # BWRAP: its path
	case $1 in
	real) echo /usr/bin/bwrap ;;
	missing) echo "$TRUTH_DIR/no/bwrap" ;;
	relative) echo bwrap ;;
	setuid | group-writable | world-writable | stranger | not-executable | no-program) echo "$TRUTH_DIR/$1" ;;
	open-folder) echo "$TRUTH_DIR/open/bwrap" ;;
	below-agent) echo "$TRUTH_DIR/agent/bwrap" ;;
	*)
		# A link is there or not: rows that run at the same time may both make it.
		ln "$TRUTH_DIR/fake_bwrap" "$TRUTH_DIR/bwrap-$1" 2>/dev/null
		echo "$TRUTH_DIR/bwrap-$1"
		;;
	esac
}

truth_run() {
	local options=(--tmpfs --no-retry --timeout 5000 --agent-dir "$TRUTH_DIR/agent") word out
	local variables=()

	options+=(--bwrap "$(truth_place "$2")")
	case $2 in hang* | holds) options+=(--timeout 400) ;; esac
	for word in ${3//,/ }; do
		case $word in
		real) options+=(--real) ;;
		tmpfs) options+=(--no-bind) ;;
		net) options+=(--share-net) ;;
		spoil=*) variables+=(TYPECLAW_TEST_SPOIL="${word#*=}") ;;
		esac
	done
	out=$(env "${variables[@]}" "${@:4}" timeout -s KILL 30 tests/helpers/host "$1" \
		"$TRUTH_DIR/probe_here" "${options[@]}" 2>&1) || { echo "| failed: $out"; return; }
	awk '/^(proc-bind|tmpfs) / && $2 != "skipped" && !bind { bind = $2 " " $3 " " $6 }
	     /^real-proc / { real = $2 " " $3 " " $6 }
	     /^strategy / { usable = $5 " " $6 }
	     END { print "| " bind " | " real " | " usable }' <<<"$out"
}

truth_rows() {
	grep -E "^($1)" "$TRUTH" | grep -v '^#'
}

# Rows at a time: most of a row is waiting.
TRUTH_JOBS=3

truth_check() {
	local host bwrap more want have bad=0 n=0 row rows

	mapfile -t rows < <(truth_rows "$1 ")
	for row in "${rows[@]}"; do
		read -r _ host bwrap more want <<<"$row"
		n=$((n + 1))
		truth_run "$host" "$bwrap" "$more" </dev/null >"$BATS_TEST_TMPDIR/row.$n" 3>&- &
		[ $((n % TRUTH_JOBS)) -ne 0 ] || wait
	done
	wait
	n=0
	for row in "${rows[@]}"; do
		read -r _ host bwrap more want <<<"$row"
		n=$((n + 1))
		have=$(<"$BATS_TEST_TMPDIR/row.$n")
		# shellcheck disable=SC2053 # the row may hold a glob
		[[ $have != $want ]] || continue
		bad=$((bad + 1))
		printf '%s %s %s\n  want %s\n  have %s\n' "$host" "$bwrap" "$more" "$want" "$have"
	done
	echo "$n rows, $bad differ"
	[ "$n" -gt 0 ] && [ "$bad" -eq 0 ]
}

# A row that lists the check as failed comes out differently when the check is blind.
truth_mutate() {
	local check _ host bwrap more want have missed=0 n=0

	while read -r check _; do
		n=$((n + 1))
		read -r _ host bwrap more want < <(
			truth_rows . | grep -E "[ ,]${check}[ ,]" | grep -vE ' (hang|holds)' | sort -t, -k1,1 | head -n 1)
		[ -n "$want" ] || { echo "no row shows that $check fails"; missed=$((missed + 1)); continue; }
		have=$(truth_run "$host" "$bwrap" "$more" TYPECLAW_TEST_BLIND="$check" </dev/null)
		# shellcheck disable=SC2053
		[[ $have = $want ]] || continue
		echo "$check: blind, and $host $bwrap $more still says $want"
		missed=$((missed + 1))
	done < <("$TRUTH_DIR/probe_here" --list)
	echo "$n checks, $missed not needed"
	[ "$n" -ge 25 ] && [ "$missed" -eq 0 ]
}
