# gcc -fanalyzer, clang-tidy and cppcheck; what they are wrong about stands in tests/analyze.txt.
analyze:
	$(Q)tests/helpers/packages analyze
	$(Q)tests/helpers/analyze $(TOOLS)

.PHONY: analyze
