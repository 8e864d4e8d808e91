# How much of the product the tests reach, and how much of what decides they watch.
#
#   make coverage		unit, cli and kernel tests against a build that counts; the gaps
#   make coverage-unit	the unit tests alone
#   make mutate		breaks the deciding code token by token; MUTATE_EVERY=N: each n-th break only,
#				MUTATE=SOURCE: of that file alone
ifdef COVERAGE
test_cflags += -O0 --coverage -fprofile-update=atomic
test_ldflags += --coverage
endif

cover := $(BUILD)/cover
cover_units = $(unit_tests:%=$(cover)/test/unit/%)

coverage: all helpers
coverage coverage-unit:
	$(Q)$(MAKE) $(jobs) BUILD=$(cover) COVERAGE=1 $(cover_units) $(cover)/test/typeclaw-init
	$(Q)find $(cover) -name '*.gcda' -delete
	$(Q)tests/helpers/coverage $(cover) $(if $(filter coverage,$@),cli)

.PHONY: coverage coverage-unit

MUTATE_EVERY ?= 1
mutate: $(patsubst %,$(BUILD)/asan/unit/%,test_verdict test_strategy test_document test_rules)
	$(Q)python3 tests/helpers/mutate.py $(BUILD) $(MUTATE_EVERY) $(MUTATE)

.PHONY: mutate
