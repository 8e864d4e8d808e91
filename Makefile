# typeclaw-init: `make` builds the static binary, `make run` shows it, `make check` proves it.
#
# Packages stand in packages.txt and nowhere else; `make packages` installs them.

VERSION := 0.1.0
CC ?= gcc
BUILD ?= build
MAKEFLAGS += --no-builtin-rules

layers := init sandbox probes symlinks dockerfile entrypoint
sources := $(sort $(foreach layer,$(layers),$(wildcard $(layer)/*.c)))
libraries := -lcap -linih -ljansson

warnings := -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wpointer-arith -Wimplicit-fallthrough
hardening := -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2
common := -std=gnu11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I. $(warnings) -MMD -MP

# flavour: compile flags | link flags
release_cflags := $(common) $(hardening) -Os -g -fPIE -ffunction-sections -fdata-sections \
	-ffile-prefix-map=$(CURDIR)=.
release_ldflags := -static-pie -Wl,--gc-sections -Wl,--fatal-warnings -Wl,-z,relro,-z,now \
	-Wl,-z,noexecstack -Wl,--build-id=sha1
test_cflags := $(common) -O1 -g -fPIE -DTYPECLAW_TEST_BUILD
test_ldflags := -pie
asan_cflags := $(common) -O1 -g -fPIE -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all -DTYPECLAW_TEST_BUILD
asan_ldflags := -pie -fsanitize=address,undefined

all: typeclaw-init

typeclaw-init: $(BUILD)/release/typeclaw-init
	cp $< $@.new && strip $@.new && mv $@.new $@

# $(1): the flavour.  Objects of the layers go into one archive, so that a unit test links
# everything but main.
define build_flavour
$(1)_objects := $$(sources:%.c=$(BUILD)/$(1)/%.o)
$(1)_archive := $(BUILD)/$(1)/typeclaw.a

$(BUILD)/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$($(1)_cflags) -c -o $$@ $$<

$$($(1)_archive): $$(filter-out %/entrypoint/main.o,$$($(1)_objects))
	@rm -f $$@
	$$(AR) rcs $$@ $$^

$(BUILD)/$(1)/typeclaw-init: $(BUILD)/$(1)/entrypoint/main.o $$($(1)_archive)
	$$(CC) $$($(1)_cflags) $$($(1)_ldflags) -o $$@ $$^ $$(libraries)

$(BUILD)/$(1)/unit/%: $(BUILD)/$(1)/tests/unit/%.o $$($(1)_archive)
	@mkdir -p $$(@D)
	$$(CC) $$($(1)_cflags) $$($(1)_ldflags) -o $$@ $$^ -lcmocka $$(libraries)

-include $$($(1)_objects:.o=.d) $$(wildcard $(BUILD)/$(1)/tests/unit/*.d)
endef

$(foreach flavour,release test asan,$(eval $(call build_flavour,$(flavour))))

unit_tests := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
unit: $(unit_tests:%=$(BUILD)/test/unit/%) $(unit_tests:%=$(BUILD)/asan/unit/%)

.SECONDARY:
.PHONY: all unit clean

clean:
	rm -rf $(BUILD) typeclaw-init
