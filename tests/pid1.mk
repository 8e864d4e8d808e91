# PID 1 under load takes minutes and is no part of `make check`; beside others it is in bench.mk.
load-pid1: programs
	$(Q)BUILD=$(BUILD) tests/load/pid1

.PHONY: load-pid1
