# Figures, never asserted: ours beside what people use today, in interleaved rounds of one run.
bench: bench-pid1 bench-boot bench-sandbox

bench-packages:
	$(Q)tests/helpers/packages bench

bench-pid1: bench-packages programs
	$(Q)BUILD=$(BUILD) tests/bench/pid1

bench-boot: bench-packages programs
	$(Q)BUILD=$(BUILD) tests/bench/boot

bench-sandbox: programs
	$(Q)BUILD=$(BUILD) tests/bench/sandbox

.PHONY: bench bench-packages bench-pid1 bench-boot bench-sandbox
