# The full runs of what `make check` runs in a bounded way.
#
#   make race		1,000,000 attacked entries and 10,000 attacked replacements, each way
#   make faults		every failing call, with AddressSanitizer too
RACE_ENTRIES ?= 1000000
RACE_REPLACEMENTS ?= 10000

race: $(BUILD)/test/unit/test_link_race
	RACE_ENTRIES=$(RACE_ENTRIES) RACE_REPLACEMENTS=$(RACE_REPLACEMENTS) $<

faults: $(BUILD)/test/unit/test_link_faults $(BUILD)/asan/unit/test_link_faults
	$(foreach program,$^,FAULTS_ALL=1 $(program) &&) true

.PHONY: race faults
