# typeclaw-init: `make` builds the static binary, `make run` shows it, `make check` proves it.
#
# Packages stand in packages.txt and nowhere else; `make packages` installs them.
# V=1 shows the commands.  BUILD=DIR builds elsewhere, CC=clang with another compiler.

VERSION := 0.1.0
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
BUILD ?= build
STRIP ?= strip
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
MAKEFLAGS += --no-builtin-rules --no-print-directory
SHELL := /bin/bash
comma := ,

layers := init sandbox probes symlinks dockerfile entrypoint
sources := $(sort $(foreach layer,$(layers),$(wildcard $(layer)/*.c)))
libraries := -lcap -linih -ljansson

warnings := -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wpointer-arith -Wimplicit-fallthrough
hardening := -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2
common := -std=gnu11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I. $(warnings) -MMD -MP

# flavour: compile flags | link flags
# Nothing unwinds in there; a debugger reads .debug_frame.  Saves 25 KB.
release_cflags := $(common) $(hardening) -Os -g -fPIE -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables -fno-unwind-tables \
	-ffile-prefix-map=$(CURDIR)=.
# DT_RELR (glibc 2.36) takes 37 KB of relocations off a static-pie; not every linker has it for ARM.
relr := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),-Wl$(comma)-z$(comma)pack-relative-relocs)
release_ldflags := -static-pie -Wl,--gc-sections $(relr) -Wl,--fatal-warnings -Wl,-z,relro,-z,now \
	-Wl,-z,noexecstack -Wl,--build-id=sha1 -Wl,--no-eh-frame-hdr -Wl,-T,entrypoint/release.ld
test_cflags := $(common) -O1 -g -fPIE -DTYPECLAW_TEST_BUILD
test_ldflags := -pie
asan_cflags := $(common) -O1 -g -fPIE -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all -DTYPECLAW_TEST_BUILD
asan_ldflags := -pie -fsanitize=address,undefined
asan_extra := $(BUILD)/asan/tests/sanitize.o

entry := -Wl,-e,typeclaw_entry

# $(call say,WORD,OBJECT): one short line for a quiet step.
Q := $(if $(V),,@)
say = $(if $(V),,@$(if $(silent),,printf '  %-6s %s\n' '$(1)' '$(2)';))

all: $(BUILD)/typeclaw-init
	$(Q)[ "$(BUILD)" != build ] || [ ! -e build/typeclaw-init ] || \
		cp --remove-destination build/typeclaw-init typeclaw-init

$(BUILD)/typeclaw-init: $(BUILD)/release/typeclaw-init
	$(call say,STRIP,$@)$(STRIP) -o $@.new $< && mv $@.new $@

# $(1): the flavour.  Objects of the layers go into one archive, so that a unit test links
# everything but main.
define build_flavour
$(1)_objects := $$(sources:%.c=$(BUILD)/$(1)/%.o)
$(1)_archive := $(BUILD)/$(1)/typeclaw.a

$(BUILD)/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)$$(CC) $$($(1)_cflags) -c -o $$@ $$<

$$($(1)_archive): $$(filter-out %/entrypoint/main.o,$$($(1)_objects))
	$$(call say,AR,$$@)rm -f $$@ && $$(AR) rcs $$@ $$^

# The program alone begins at init/entry.c; helpers and unit tests have nothing to forward.
$(BUILD)/$(1)/typeclaw-init: $(BUILD)/$(1)/entrypoint/main.o $$($(1)_extra) $$($(1)_archive)
	$$(call say,LINK,$$@)$$(CC) $$($(1)_cflags) $$($(1)_ldflags) $$(entry) -o $$@ $$^ $$(libraries)

$(BUILD)/$(1)/bare_init: $(BUILD)/$(1)/tests/helpers/bare_init.o $$($(1)_extra) $$($(1)_archive)
	$$(call say,LINK,$$@)$$(CC) $$($(1)_cflags) $$($(1)_ldflags) $$(entry) -o $$@ $$^

$(BUILD)/$(1)/unit/%: $(BUILD)/$(1)/tests/unit/%.o $$($(1)_extra) $$($(1)_archive)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$$(CC) $$($(1)_cflags) $$($(1)_ldflags) -o $$@ $$^ -lcmocka $$(libraries)

-include $$($(1)_objects:.o=.d) $$(wildcard $(BUILD)/$(1)/tests/unit/*.d) \
	$$(wildcard $(BUILD)/$(1)/tests/helpers/*.d)
endef

$(foreach flavour,release test asan,$(eval $(call build_flavour,$(flavour))))

unit_tests := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
unit: $(unit_tests:%=$(BUILD)/test/unit/%) $(unit_tests:%=$(BUILD)/asan/unit/%)

# Small programs that tests need.  Each is built twice: dynamic, and static for use inside
# containers and empty roots.
fake_bwraps := unsandboxed nouserns sharepid slow hang hangterm background killed rwproc noproc \
	exit0 exit1 exit20 exit126 exit127
helper_programs := $(patsubst tests/helpers/%.c,%,$(wildcard tests/helpers/*.c))
helpers: $(helper_programs:%=$(BUILD)/test/helpers/%) $(helper_programs:%=$(BUILD)/static-helpers/%) \
		$(BUILD)/release/bare_init $(BUILD)/asan/bare_init
	$(Q)for kind in $(fake_bwraps); do \
		ln -f $(BUILD)/static-helpers/fake_bwrap $(BUILD)/static-helpers/bwrap-$$kind; done

$(BUILD)/test/helpers/%: $(BUILD)/test/tests/helpers/%.o $(test_archive)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(test_cflags) $(test_ldflags) -o $@ $^ $(libraries)

$(BUILD)/static-helpers/%: $(BUILD)/release/tests/helpers/%.o $(release_archive)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(release_cflags) $(release_ldflags) -o $@ $^ $(libraries)

# A folder may bring rules of its own; tests/fuzz.mk makes BUILD/fuzz/fuzz_NAME.
-include $(wildcard tests/*.mk packaging/*.mk)

# What tests need, all built; then the tiers.  tests/run says what each of them is.
programs: all unit helpers $(if $(wildcard tests/fuzz.mk),fuzz-programs)
	$(Q)rm -f $(filter-out $(addprefix %/,$(unit_tests)),$(wildcard $(BUILD)/*/unit/test_*))

jobs := $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
run_tiers = $(Q)BUILD=$(BUILD) tests/run

check: packages
	$(Q)$(MAKE) $(jobs) programs
	$(run_tiers)

check-unit check-cli check-fuzz check-docker: check-%:
	$(Q)$(MAKE) $(jobs) programs
	$(run_tiers) $*

run:
	$(Q)tests/helpers/packages build run
	$(Q)$(MAKE) $(jobs) all
	$(Q)tests/helpers/demo $(BUILD)/typeclaw-init

# Nothing happens, and no network is needed, where nothing is missing.
packages:
	$(Q)tests/helpers/packages build run check

# Both commands of the README on a bare Debian 12; needs root, debootstrap and the network.
fresh:
	$(Q)tests/helpers/packages fresh
	$(Q)tests/helpers/fresh

layers:
	$(Q)tests/helpers/layers && echo "every include is allowed"

c_files = $(shell git ls-files '*.[ch]')

format:
	$(Q)tests/helpers/packages format
	$(Q)clang-format -i $(c_files)

format-check:
	$(Q)clang-format --dry-run --Werror $(c_files)

prefix ?= /usr/local
share := $(prefix)/share/typeclaw-init

install: $(BUILD)/typeclaw-init install-data
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(share)
	install -m 0755 $(BUILD)/typeclaw-init $(DESTDIR)$(prefix)/bin/typeclaw-init
	ln -sfn typeclaw-init $(DESTDIR)$(prefix)/bin/typeclaw-entrypoint
	cp -R --no-preserve=ownership examples $(DESTDIR)$(share)/

# The product image; DOCKER_BUILD holds further options, such as --build-arg BASE=...
image:
	docker build -t typeclaw-init:$(VERSION) $(DOCKER_BUILD) -f dockerfile/Dockerfile .

# Both images from a bare Debian, with real packages: minutes and the network.
check-image:
	$(Q)tests/helpers/packages fresh
	$(Q)tests/helpers/image-check

.SECONDARY:
.PHONY: all unit helpers programs check check-unit check-cli check-fuzz check-docker run packages \
	layers fresh format format-check install image check-image clean

clean:
	rm -rf $(BUILD) typeclaw-init
