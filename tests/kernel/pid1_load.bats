# What `make load` does at length, in short.

load init

@test "a TERM in the first 3 ms is never lost, and never hangs us" {
	run timeout -s KILL 60 start_and_term 150 "$EPOCHSECONDS" "$init" run "${quick[@]}" sleep 1000
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "3,000 signals, each after the one before: all arrive with their values, memory is flat" {
	run timeout -s KILL 60 paced_signals 3000 "$init" run "${quick[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "5,000 orphans, 1,000 at once, leave no zombie" {
	once -- -- orphans 5000 1000
	[ "$status" -eq 0 ]
}
