# What leaves the tree: the package, and bytes that tell nothing of where they were made.
bats_require_minimum_version 1.5.0
load ../helpers/common

@test "the package holds the binary under test, both names, pages, completions and schemas" {
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr "$TOP/packaging/deb" .
	echo "$output ${stderr-}"
	[ "$status" -eq 0 ]
	package=$output
	dpkg-deb -x "$package" root
	cmp "$TYPECLAW_INIT" root/usr/bin/typeclaw-init
	[ "$(root/usr/bin/typeclaw-entrypoint --version)" = "$(init --version)" ]
	for command in $(init --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		[ -s "root/usr/share/man/man1/typeclaw-init-$command.1.gz" ]
	done
	gzip -dc root/usr/share/man/man1/typeclaw-entrypoint.1.gz | grep -q 'TYPECLAW-INIT-RUN'
	[ -s root/usr/share/man/man5/typeclaw-init.ini.5.gz ]
	[ -s root/usr/share/man/man7/typeclaw-strategy.7.gz ]
	[ "$(find root -name '*.schema.json' | wc -l)" -ge 4 ]
	[ "$(find root -path '*completion*' -name 'typeclaw-init*' | wc -l)" -ge 2 ]
	[ -z "$(find root -perm /022 ! -type l)" ]
	dpkg-deb -e "$package" control
	(cd root && md5sum --quiet -c ../control/md5sums)
	[ "typeclaw-init $(sed -n 's/^Version: //p' control/control)" = "$(init --version)" ]
}

@test "one version and one date stand in the Makefile, the change log and the pages" {
	version=$(sed -n 's/^VERSION := //p' "$TOP/Makefile")
	[ -n "$version" ]
	[ "$(init --version)" = "typeclaw-init $version" ]
	head -1 "$TOP/packaging/debian/changelog" | grep -q "^typeclaw-init ($version) "
	day=$(date -u -d "$(sed -n 's/^ -- .*>  //p;/^ -- /q' "$TOP/packaging/debian/changelog")" +%F)
	grep -q "^RELEASE_DATE := $day\$" "$TOP/packaging/packaging.mk"
	grep -q "^.TH TYPECLAW-INIT 1 $day \"typeclaw-init $version\"" "$BUILD/man/typeclaw-init.1"
}

# The long form is `make reproducible`: two builds in two folders.
@test "neither the folder nor the time of the build shows in the binary" {
	run ! grep -aFq "$TOP" "$TYPECLAW_INIT"
	run ! grep -aFq "$TOP" "$BUILD/release/typeclaw-init"
	run ! git -C "$TOP" grep -nE '__(DATE|TIME|TIMESTAMP)__' -- '*.[ch]'
}
