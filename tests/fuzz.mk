# Fuzz targets: every tests/fuzz/fuzz_NAME.c is a libFuzzer program with AddressSanitizer and
# UndefinedBehaviorSanitizer, and tests/fuzz/NAME/ is its corpus, which is kept.
#
#   make fuzz-programs		builds them; `make check` runs each for some seconds
#   make fuzz FUZZ_RUNS=N	the long run; what it finds new is added to the corpus
#   make fuzz-merge		keeps of each corpus only what reaches something of its own
#
# An input that makes a target fail is left in BUILD/fuzz/ and belongs into the corpus once it is
# mended.
FUZZ_RUNS ?= 2000000

fuzz_cflags := $(common) -O1 -g -fPIE -fno-omit-frame-pointer -DTYPECLAW_TEST_BUILD \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
fuzz_ldflags := -pie -fsanitize=fuzzer,address,undefined
$(eval $(call build_flavour,fuzz))

# Only clang has libFuzzer.
$(BUILD)/fuzz/%: CC := clang

fuzz_names := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz_programs := $(fuzz_names:%=$(BUILD)/fuzz/fuzz_%)

$(fuzz_programs): $(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(fuzz_archive)
	$(call say,LINK,$@)$(CC) $(fuzz_cflags) $(fuzz_ldflags) -o $@ $^ $(libraries)

-include $(wildcard $(BUILD)/fuzz/tests/fuzz/*.d)

fuzz-programs: $(fuzz_programs)

fuzz: $(fuzz_names:%=fuzz-%)

$(fuzz_names:%=fuzz-%): fuzz-%: $(BUILD)/fuzz/fuzz_%
	mkdir -p tests/fuzz/$*
	$< -runs=$(FUZZ_RUNS) -timeout=10 -print_final_stats=1 \
		-artifact_prefix=$(BUILD)/fuzz/$*- tests/fuzz/$*

fuzz-merge: $(fuzz_programs)
	$(foreach name,$(fuzz_names),rm -rf $(BUILD)/fuzz/old && mv tests/fuzz/$(name) \
		$(BUILD)/fuzz/old && mkdir tests/fuzz/$(name) && $(BUILD)/fuzz/fuzz_$(name) -merge=1 \
		tests/fuzz/$(name) $(BUILD)/fuzz/old &&) true

.PHONY: fuzz fuzz-programs fuzz-merge $(fuzz_names:%=fuzz-%)
