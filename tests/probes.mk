# The long runs of tests/kernel/strays.bats and faults.bats; `make check` has a bounded part.
strays: all helpers
	STRAYS=3000 bats -f 'middle of its probes' tests/kernel/strays.bats --show-output-of-passing-tests

probe-load: all
	tests/helpers/load 32 200 $(BUILD)/typeclaw-init

probe-faults: all helpers
	FAULTS=1000 bats tests/kernel/faults.bats

.PHONY: strays probe-load probe-faults
