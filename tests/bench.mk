# Figures, never asserted: ours beside what people use today, in interleaved rounds of one run.
.PHONY: bench bench-init bench-boot bench-sandbox
bench: bench-init bench-boot bench-sandbox

bench-packages:
	$(Q)tests/helpers/packages bench

bench-init: all helpers bench-packages
	$(Q)tests/bench/run

bench-boot: all helpers bench-packages
	$(Q)tests/bench/boot

bench-sandbox: all helpers
	$(Q)tests/bench/sandbox
