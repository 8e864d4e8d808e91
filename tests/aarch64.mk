# make aarch64: the binary and the unit tests cross-built with Debian's toolchain, and run under
# qemu-user as far as that goes: what starts itself again (probes, supervision) needs a kernel that
# knows the format, and qemu implements no namespaces of its own.
arm := $(BUILD)/aarch64
arm_sysroot = $(abspath $(arm))/sysroot
arm_cc = aarch64-linux-gnu-gcc -isystem $(arm_sysroot)/root/usr/include \
	-L$(arm_sysroot)/root/usr/lib/aarch64-linux-gnu \
	-L$(arm_sysroot)/root/lib/aarch64-linux-gnu
arm_units := test_agent_json test_config test_document test_image test_link_vectors test_links \
	test_options test_plan test_profile test_quote test_script test_strategy test_text

# The tests find loader and libraries by path: a variable would reach what they start here, and
# under qemu's -L a walk from / begins in that folder.
ifdef ARM_LIBRARIES
test_ldflags += -Wl,-rpath,$(ARM_LIBRARIES):/usr/aarch64-linux-gnu/lib \
	-Wl,--dynamic-linker=/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1
endif

aarch64:
	$(Q)tests/helpers/packages aarch64
	$(Q)tests/helpers/sysroot-aarch64 $(arm_sysroot)
	$(Q)$(MAKE) $(jobs) BUILD=$(arm) CC='$(arm_cc)' AR=aarch64-linux-gnu-ar \
		ARM_LIBRARIES=$(arm_sysroot)/root/usr/lib/aarch64-linux-gnu:$(arm_sysroot)/root/lib/aarch64-linux-gnu \
		STRIP=aarch64-linux-gnu-strip $(arm)/typeclaw-init $(arm_units:%=$(arm)/test/unit/%)
	$(Q)tests/helpers/run-aarch64 $(arm) $(arm_units)

.PHONY: aarch64
