# PID 1 under load and beside others; both take minutes and are no part of `make check`.
load-pid1: programs
	$(Q)BUILD=$(BUILD) tests/load/pid1

bench: programs
	$(Q)BUILD=$(BUILD) tests/bench/pid1

.PHONY: load-pid1 bench
