# tap.awk: reads the TAP of cmocka and of bats, writes one line a fact, tab-separated:
#   plan N | pass N TITLE | skip REASON TITLE | fail N TITLE
# What belongs to failure N is written to the file PREFIX N: the lines before its `not ok` that
# belong to no other test (cmocka), and the `#` lines after it (both).
#
# cmocka 1.1 calls a skipped test `not ok N # SKIP title`, bats `ok N title # skip reason`.

function emit(kind, first, title)
{
	gsub(/\t/, " ", title)
	printf "%s\t%s\t%s\n", kind, first, title
}

/^1\.\.[0-9]+$/ && !planned {
	planned = 1
	emit("plan", substr($0, 4), "")
	next
}

/^not ok [0-9]+ # SKIP / {
	sub(/^not ok [0-9]+ # SKIP /, "")
	emit("skip", "cmocka skip()", $0)
	failing = 0; loose = ""
	next
}

/^(not )?ok [0-9]+/ {
	failing = /^not /
	sub(/^(not )?ok /, "")
	number = $1
	title = $0
	sub(/^[0-9]+ (- )?/, "", title)
	if (!failing && match(title, / # skip/)) {
		reason = substr(title, RSTART + 7)
		sub(/^ +/, "", reason)
		emit("skip", reason == "" ? " " : reason, substr(title, 1, RSTART - 1))
	} else if (failing) {
		out = prefix number
		printf "%s", loose >out
		emit("fail", number, title)
	} else {
		emit("pass", number, title)
	}
	loose = ""
	next
}

failing && /^#/ { print >out; next }
{ loose = loose $0 "\n" }
