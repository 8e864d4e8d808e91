# What is made from the tables of the program, and packages.
#
#   make man completions	man pages and shell completions, in BUILD/man and BUILD/completions
RELEASE_DATE := 2026-11-22

packaging_programs := manual completion

$(packaging_programs:%=$(BUILD)/test/packaging/%): $(BUILD)/test/packaging/%: \
	$(BUILD)/test/packaging/%.o $(BUILD)/test/packaging/roff.o $(BUILD)/test/packaging/key_help.o \
	$(test_archive)
	$(call say,LINK,$@)$(CC) $(test_cflags) $(test_ldflags) -o $@ $^ $(libraries)

-include $(wildcard $(BUILD)/test/packaging/*.d)

man: $(BUILD)/man/.made
$(BUILD)/man/.made: $(BUILD)/test/packaging/manual $(wildcard packaging/man/*.roff)
	$(call say,MAN,$(@D))rm -rf $(@D) && mkdir -p $(@D) && \
		$< $(@D) packaging/man $(RELEASE_DATE) && touch $@

completions: $(BUILD)/completions/.made
$(BUILD)/completions/.made: $(BUILD)/test/packaging/completion
	$(call say,SHELLS,$(@D))mkdir -p $(@D) && for shell in bash zsh fish; do \
		$< $$shell >$(@D)/$$shell || exit 1; done && touch $@


# The part of `make install` that no machine's code is in.
zsh_functions ?= $(prefix)/share/zsh/site-functions

install-data: man completions
	install -d $(foreach n,1 5 7,$(DESTDIR)$(prefix)/share/man/man$(n)) \
		$(DESTDIR)$(prefix)/share/bash-completion/completions \
		$(DESTDIR)$(prefix)/share/fish/vendor_completions.d \
		$(DESTDIR)$(zsh_functions) $(DESTDIR)$(share)
	$(foreach n,1 5 7,install -m 0644 $(BUILD)/man/*.$(n) $(DESTDIR)$(prefix)/share/man/man$(n)/ &&) \
	ln -sfn typeclaw-init-run.1 $(DESTDIR)$(prefix)/share/man/man1/typeclaw-entrypoint.1
	for name in typeclaw-init typeclaw-entrypoint; do \
		install -m 0644 $(BUILD)/completions/bash \
			$(DESTDIR)$(prefix)/share/bash-completion/completions/$$name && \
		install -m 0644 $(BUILD)/completions/fish \
			$(DESTDIR)$(prefix)/share/fish/vendor_completions.d/$$name.fish || exit 1; done
	install -m 0644 $(BUILD)/completions/zsh $(DESTDIR)$(zsh_functions)/_typeclaw-init
	$(if $(wildcard schemas),cp -R --no-preserve=ownership schemas $(DESTDIR)$(share)/)

# The tests compare them with --help.
programs: man completions

.PHONY: man completions install-data

# The Debian package, in BUILD, judged by lintian.
deb: $(BUILD)/typeclaw-init man completions
	$(Q)tests/helpers/packages deb
	$(Q)set -e; package=$$(BUILD=$(BUILD) packaging/deb $(BUILD)); \
		lintian --fail-on error,warning --tag-display-limit 0 "$$package"; \
		dpkg-deb --info "$$package" | grep -E '^ (Package|Version|Architecture|Installed-Size)'; \
		ls -l "$$package"

# Two builds in two folders; nothing but the sources may show in the bytes.
reproducible:
	$(Q)tests/helpers/reproducible

.PHONY: deb reproducible
