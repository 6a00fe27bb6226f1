#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# .ci/package.sh [BUILD_DIR]: makes the Debian packages, lets lintian look at them, unpacks them into a
# temporary root, and checks that the program runs there and that programs outside can be built with the
# library. BUILD_DIR is that of the preset "package", or another one.
set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")
source=${self%/.ci/package.sh}
dir=${1:-$source/build/package}
root=$dir/root
faults=0

fault() { echo "$*"; faults=1; }

for tool in dpkg-deb dpkg-gensymbols; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
rm -rf "$root" "$dir"/*.deb
cmake --preset package -S "$source" -B "$dir" >/dev/null
cmake --build "$dir" --target package
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)

# Files of each package: a word with * stands for those that match it.
lib=usr/lib/$triplet
declare -A files=(
	[xperf]="usr/bin/xperf usr/share/man/man1/xperf.1.gz usr/share/man/man1/xperf-stat.1.gz
		usr/share/man/man5/xperf.data.5.gz usr/share/bash-completion/completions/xperf
		usr/share/zsh/site-functions/_xperf usr/share/fish/vendor_completions.d/xperf.fish
		usr/share/doc/xperf/changelog.gz"
	[libxperf0]="$lib/libxperf.so.0 $lib/libxperf.so.0.*"
	[libxperf-dev]="usr/include/xperf/xperf.h $lib/libxperf.so $lib/libxperf.a
		$lib/pkgconfig/xperf.pc $lib/cmake/xperf/xperfConfig.cmake usr/share/man/man3/xp_self.3.gz
		usr/share/man/man3/xp_evlist_open.3.gz 		usr/share/man/man7/libxperf.7.gz"
	[xperf-dbg]="usr/lib/debug/.build-id/*.debug"
)
for package in "${!files[@]}"; do
	deb=$(find "$dir" -maxdepth 1 -name "${package}_*.deb")
	echo "== ${deb##*/}"
	dpkg-deb --info "$deb"
	dpkg-deb --contents "$deb"
	dpkg-deb --extract "$deb" "$root"
	contents=$(dpkg-deb --contents "$deb" | awk '!/^d/ { print substr($6, 3) }')
	echo "$contents" >"$dir/$package.contents"
	for file in ${files[$package]} "usr/share/doc/$package/copyright" \
		"usr/share/doc/$package/changelog.Debian.gz"; do
		grep -q "^${file//\*/.*}\$" <<<"$contents" || fault "not in $package: $file"
	done
	licence=$root/usr/share/doc/$package/copyright
	[[ $(grep -c '^ cp-demangle\.o of libiberty' "$licence") == \
		"$(grep -c '^XPERF_STATIC_LIBIBERTY:INTERNAL=1$' "$dir/CMakeCache.txt")" ]] ||
		fault "$licence: libiberty is linked in and not named, or the reverse"
	for field in Description Section Maintainer; do
		[[ $(dpkg-deb --field "$deb" $field) ]] || fault "$package has no $field"
	done
done
twice=$(cat "$dir"/*.contents | sort | uniq -d)
[[ -z $twice ]] || fault "in two packages: $twice"

version=$(dpkg-deb --field "$dir"/libxperf0_*.deb Version)
[[ $(dpkg-deb --field "$dir"/libxperf-dev_*.deb Depends) == *"libxperf0 (= $version)"* ]] ||
	fault "libxperf-dev does not depend on its libxperf0"
[[ $(dpkg-deb --field "$dir"/xperf_*.deb Depends) != *libxperf0* ]] ||
	fault "xperf depends on the library, which is linked into it"
# Without these two, functions have no names and stacks no callers: to recommend them is not enough.
for package in xperf libxperf0; do
	for needed in libelf:libelf1 dwarf-unwind:libdw1; do
		"$root/usr/bin/xperf" check -q feature "${needed%:*}" || continue
		[[ $(dpkg-deb --field "$dir/$package"_*.deb Depends) == *"${needed#*:}"* ]] ||
			fault "$package does not depend on ${needed#*:}"
	done
done
for file in "$root"/usr/bin/xperf "$root/$lib"/libxperf.so.0; do
	! readelf -SW "$file" | grep ' \.symtab\| \.debug_' >/dev/null || fault "$file is not stripped"
done

# The stored list of symbols is that of the library.
mkdir -p "$dir/gensymbols/debian"
printf 'Source: xperf\n\nPackage: libxperf0\nArchitecture: any\n' >"$dir/gensymbols/debian/control"
dpkg-deb --ctrl-tarfile "$dir"/libxperf0_*.deb | tar -xO ./symbols >"$dir/gensymbols/symbols"
(cd "$dir/gensymbols" && dpkg-gensymbols -c4 -v"$version" -plibxperf0 -Isymbols -Onew \
	-e"$root/$lib/libxperf.so.0") || fault "symbols of libxperf0 differ from the library's"

# Packages that nobody publishes have no address of a maintainer.
if command -v lintian >/dev/null; then
	lintian --allow-root --fail-on error \
		--suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$dir"/*.deb ||
		fault "lintian found errors"
else
	echo "lintian is not installed: packages not checked with it"
fi

"$root/usr/bin/xperf" version
# The program has its names where the package of debug information is installed.
[[ $(nm "$root"/usr/lib/debug/.build-id/*/*.debug) == *" noploop"* ]] ||
	fault "xperf-dbg does not have the symbols of xperf"

# A program outside, through pkg-config and CMake
work=$dir/outside
rm -rf "$work"
mkdir -p "$work"
cp "$source/examples/count_self.c" "$work/use.c"
export PKG_CONFIG_PATH=$root/$lib/pkgconfig LD_LIBRARY_PATH=$root/$lib
read -ra flags < <(pkg-config --cflags --libs xperf)
"${CC:-cc}" "$work/use.c" -o "$work/use-pc" "${flags[@]}"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES C)
find_package(xperf 0.1 REQUIRED)
foreach(target IN ITEMS xperf xperf_static)
	add_executable(use-${target} use.c)
	target_link_libraries(use-${target} PRIVATE xperf::${target})
endforeach()
END
cmake -S "$work" -B "$work" -G Ninja -DCMAKE_FIND_ROOT_PATH="$root" \
	-DCMAKE_PREFIX_PATH="$root/usr" >/dev/null
ninja -C "$work" >/dev/null
for program in use-pc use-xperf use-xperf_static; do
	ldd "$work/$program" | grep -o "libxperf.* (" || [[ $program == *static ]]
	"$work/$program" >/dev/null || fault "$program fails"
done
exit $faults
