# The man pages and completions say what --help says: no more, no less.
bats_require_minimum_version 1.5.0
load ../helpers/common

setup_file() {
	COMMANDS=$(init --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
	export COMMANDS
	[ "$(wc -w <<<"$COMMANDS")" -ge 6 ]
}

# option_words HEADING MIN MAX: the options below HEADING whose lines are indented by that much,
# sorted; `-r, --rewrite=FROM:TO` is two words, so is `-e STATUS`.
option_words() {
	awk -v heading="$1" -v least="$2" -v most="$3" '
		index($0, heading) == 1 { on = 1; next }
		/^[A-Z]/ { on = 0 }
		on && match($0, /^ *-/) && RLENGTH > least && RLENGTH <= most + 1 {
			comma = sub(/,$/, "", $1)
			print $1
			if (comma || ($1 ~ /^-[a-z]$/ && $0 ~ /^ *-. [A-Z]/)) print $2
		}' | sort
}

help_options() { # COMMAND
	init "$1" --help | option_words Options: 2 6
}

page_options() { # COMMAND
	mandoc -T ascii "$BUILD/man/typeclaw-init-$1.1" | col -bx | option_words OPTIONS 7 7
}

@test "every command has a page, with exactly the options of its --help" {
	for command in $COMMANDS; do
		help_options "$command" >"$BATS_TEST_TMPDIR/help"
		grep -q -- --help "$BATS_TEST_TMPDIR/help"
		page_options "$command" >"$BATS_TEST_TMPDIR/page"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/page"
	done
}

@test "no page is of something that does not exist, and no fragment of a page that does not" {
	for page in "$BUILD"/man/typeclaw-init-*.1; do
		name=${page##*/typeclaw-init-}
		grep -qx "${name%.1}" <<<"$COMMANDS"
	done
	for fragment in "$TOP"/packaging/man/*.roff; do
		page=${fragment##*/}
		[ -s "$BUILD/man/${page%.roff}" ]
	done
}

@test "mandoc and groff have nothing to say about any page" {
	for page in "$BUILD"/man/*.[157]; do
		run mandoc -T lint -W warning "$page"
		[ "$status" -eq 0 ] && [ -z "$output" ]
		run bash -c 'groff -man -ww -z -Tutf8 -rLL=78n "$1" 2>&1' - "$page"
		[ "$status" -eq 0 ] && [ -z "$output" ]
	done
}

@test "typeclaw-init.ini(5) has every key with its default and its variable" {
	page=$(mandoc -T ascii -O width=900 "$BUILD/man/typeclaw-init.ini.5" | col -bx)
	section=
	count=0
	while read -r key equals text; do
		[[ $key != \[* ]] || section=${key//[^a-z]/}
		[ "$equals" = = ] || continue
		standard=${text%%;*}
		standard=${standard%"${standard##*[! ]}"}
		grep -Eq "^ +$key = *$standard( |\$)" <<<"$page" || { echo "no $key = $standard"; false; }
		variable=TYPECLAW_${section}_$key
		grep -q "Environment: ${variable^^}\." <<<"$page" || { echo "no ${variable^^}"; false; }
		count=$((count + 1))
	done < <(env -u HOME "$TYPECLAW_INIT" config)
	[ "$count" -ge 18 ]
	[ "$count" -eq "$(grep -c 'Environment: TYPECLAW_' <<<"$page")" ]
}

@test "typeclaw-strategy(7) names every member of a real document" {
	agent_make
	# shellcheck disable=SC2016 # expanded in there
	document=$(as_pid1 TYPECLAW_PROBES_BUDGET_MS=600 TYPECLAW_INIT_LOG=quiet "$TYPECLAW_INIT" run \
		sh -c 'cat /proc/self/fd/$TYPECLAW_STRATEGY_FD')
	page=$(mandoc -T ascii "$BUILD/man/typeclaw-strategy.7" | col -bx)
	for member in $(value "$document" '[paths | map(strings) | last] | unique[] | strings'); do
		grep -Eq "(^|[ .(])$member([ .,)]|\$)" <<<"$page" || { echo "no $member"; false; }
	done
}

# The words that bash would offer after WORD...
bash_offers() {
	bash -c '. "$BUILD/completions/bash"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		compopt() { :; }
		_typeclaw_init && printf "%s\n" "${COMPREPLY[@]}"' - "$@" | sort
}

# The same of fish.
fish_offers() {
	fish --no-config -c "source $BUILD/completions/fish; complete -C '$*'" | cut -f1 | sort
}

@test "the completions offer every command and every long option of its --help" {
	for command in $COMMANDS; do
		bash_offers typeclaw-init "" | grep -qx "$command"
		help_options "$command" | sed -n 's/^\(--[^=]*\).*/\1/p' | sort >"$BATS_TEST_TMPDIR/help"
		bash_offers typeclaw-init "$command" -- >"$BATS_TEST_TMPDIR/bash"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/bash"
		fish_offers "typeclaw-init $command --" >"$BATS_TEST_TMPDIR/fish"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/fish"
		sed -n "/^_typeclaw_init_$command()/,/^}/s/.*'\*\(--[a-z-]*\).*/\1/p" \
			"$BUILD/completions/zsh" | sort >"$BATS_TEST_TMPDIR/zsh"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/zsh"
	done
	diff <(fish_offers "typeclaw-init ") <(sort <<<"$COMMANDS")
}

@test "the completions of bash and fish know values, keys and where a carried command begins" {
	diff <(printf '%s\n' docker) <(bash_offers typeclaw-init plan --format = d)
	diff <(printf '%s\n' init.log=) <(bash_offers typeclaw-init run --set init.l)
	diff <(printf '%s\n' proc-bind real-proc) <(bash_offers typeclaw-init probe '')
	diff <(printf '%s\n' --single-child) <(bash_offers typeclaw-entrypoint -e 3 --sin)
	[ -z "$(bash_offers typeclaw-init run ls --sin)" ]
	bash_offers typeclaw-init run -v unshar | grep -qx unshare
	diff <(printf '%s\n' --format=docker) <(fish_offers 'typeclaw-init plan --format=d')
	diff <(printf '%s\n' init.log=) <(fish_offers 'typeclaw-init run --set init.l')
	diff <(printf '%s\n' --single-child) <(fish_offers 'typeclaw-init run -e 3 --sin')
	[ -z "$(fish_offers 'typeclaw-init run ls --sin')" ]
}

@test "zsh completes a command, an option and a value" {
	mkdir "$BATS_TEST_TMPDIR/functions"
	cp "$BUILD/completions/zsh" "$BATS_TEST_TMPDIR/functions/_typeclaw-init"
	run timeout 30 "$TOP/tests/helpers/zsh-complete" "$BATS_TEST_TMPDIR/functions" \
		'typeclaw-init dock' 'typeclaw-init plan --exp' 'typeclaw-init plan --format=dock' \
		'typeclaw-init run --set init.exit' 'typeclaw-entrypoint --single'
	echo "$output"
	[ "$status" -eq 0 ]
	says '^typeclaw-init dockerfile$'
	says '^typeclaw-init plan --explain$'
	says '^typeclaw-init plan --format=docker$'
	says '^typeclaw-init run --set init.exit_ok=$'
	says '^typeclaw-entrypoint --single-child$'
}
