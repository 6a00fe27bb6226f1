#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs into a temporary directory, moves it, and builds programs against it as an outsider does:
# with pkg-config and with CMake, against the shared and the static library, in C and in C++.
set -euo pipefail

root=$SOURCE_DIR
# shellcheck source=tools/build.sh
. "$root/tools/build.sh"
build=$BUILD_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}

for tool in pkg-config cmake ninja; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done

# A library with sanitizers cannot be linked by an outsider: ./run has built one without, or it is built here.
if grep -q '^XPERF_SANITIZE:BOOL=ON\|^XPERF_FUZZ:BOOL=ON' "$build/CMakeCache.txt"; then
	build=$SOURCE_DIR/build/run
	if [[ ! -x $build/xperf || ! -e $build/build.ninja ]]; then
		build=$BUILD_DIR/outside
		cmake -S "$SOURCE_DIR" -B "$build" -G Ninja -DXPERF_TESTS=OFF -DXPERF_LTO=OFF >/dev/null
	fi
fi
build "$build" xperf xperf_shared xperf_static man-functions
DESTDIR=$work/stage cmake --install "$build" --prefix /first >/dev/null
mv "$work/stage/first" "$work/prefix"
prefix=$work/prefix

pc=$(find "$prefix" -name xperf.pc)
export PKG_CONFIG_PATH=${pc%/*}
libdir=$(pkg-config --variable=libdir xperf)
export LD_LIBRARY_PATH=$libdir

for file in bin/xperf include/xperf/xperf.h share/man/man1/xperf-stat.1 share/man/man3/xp_self.3 \
	share/man/man3/xp_evlist_open.3 	share/man/man7/libxperf.7 \
	share/man/man5/xperf-metrics.5 share/xperf/metrics/default.txt \
	share/xperf/stat-v1.schema.json; do
	[[ -e $prefix/$file ]] || { echo "not installed: $file"; exit 1; }
done
for file in libxperf.so libxperf.so.0 libxperf.a; do
	[[ -e $libdir/$file ]] || { echo "not installed: $file in $libdir"; exit 1; }
done

# Files of metrics are found beside the program.
env -u XPERF_METRICS_DIR XDG_CONFIG_HOME="$work" "$prefix/bin/xperf" list metric | grep '^  insn_per_cycle ' >/dev/null ||
	{ echo "the installed program does not find its metrics"; exit 1; }

# Each file belongs to the program, to the library, or to what is needed to build with it.
for component in program library development; do
	DESTDIR=$work/parts cmake --install "$build" --prefix /$component --component $component >/dev/null
	(cd "$work/parts/$component" && find . ! -type d) >"$work/$component.files"
done
diff <(cd "$prefix" && find . ! -type d | LC_ALL=C sort) \
	<(cat "$work"/*.files | LC_ALL=C sort) || { echo "in no component, or in two"; exit 1; }
! grep -v '\.so\.0' "$work/library.files" || { echo "not for the package of the library"; exit 1; }

# A context, one event read in line, one region: what is exported, inlined and a macro.
cat >"$work/use.c" <<'END'
#define XPERF_REGIONS
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

static int count(struct xp_evlist *events, struct xp_count *ret_count)
{
	struct xp_self *self = NULL;
	struct xp_self_event event;
	int err = xp_self_open(events, &self, NULL);

	if (err)
		return 0; /* not everybody may count */
	XP_REGION_BEGIN("read");
	err = xp_self_event_init(self, 0, &event);
	if (!err)
		err = xp_self_event_read(&event, ret_count);
	XP_REGION_END("read");
	xp_self_close(self);
	return err < 0 ? err : 0;
}

int main(void)
{
	struct xp_ctx *ctx = NULL;
	struct xp_evlist *events = NULL;
	struct xp_count counted;
	int failed = xp_ctx_new(NULL, &ctx) || xp_evlist_new(ctx, &events) ||
		     xp_evlist_parse(events, "page-faults:u", NULL) || count(events, &counted);

	xp_evlist_free(events);
	xp_ctx_free(ctx);
	printf("%s\n", xp_version());
	return failed ? 1 : xp_version_num() == XP_VERSION_NUM ? 0 : 2;
}
END
cp "$work/use.c" "$work/use.cc"

# use HOW COMMAND...: runs a program built in one of the ways
use()
{
	local how=$1 version

	shift
	version=$("$@") || { echo "$how: the program fails"; exit 1; }
	[[ $version == "$(pkg-config --modversion xperf)" ]] ||
		{ echo "$how: the program says version $version"; exit 1; }
	echo "$how: works"
}

read -ra shared < <(pkg-config --cflags --libs xperf)
read -ra cflags < <(pkg-config --cflags xperf)
read -ra private < <(pkg-config --libs --static xperf | sed "s|-lxperf|$libdir/libxperf.a|")

"$CC" -std=c99 -pedantic -Wall -Wextra -Werror "$work/use.c" -o "$work/pc-shared" "${shared[@]}"
use "pkg-config, shared" "$work/pc-shared"
"$CC" -std=c99 -pedantic -Wall -Wextra -Werror "$work/use.c" -o "$work/pc-static" "${cflags[@]}" "${private[@]}"
use "pkg-config, static" env -u LD_LIBRARY_PATH "$work/pc-static"

# Of the static library a linker can leave out what a program does not call, and the program can use the
# names that the library uses inside.
cat >"$work/small.c" <<'END'
#include <stdio.h>
#include <xperf/xperf.h>

const char *demangle(const char *name) { return name; }
const char *cplus_demangle(const char *name) { return name; }

int main(void)
{
	return printf("%s\n", cplus_demangle(demangle(xp_version()))) < 0;
}
END
for flags in "" -Wl,--gc-sections; do
	"$CC" ${flags:+"$flags"} -s "$work/small.c" -o "$work/small$flags" "${cflags[@]}" "${private[@]}"
	use "own names, static $flags" env -u LD_LIBRARY_PATH "$work/small$flags"
done
whole=$(stat -c %s "$work/small") small=$(stat -c %s "$work/small-Wl,--gc-sections")
((small * 5 < whole)) || { echo "--gc-sections leaves $small bytes of $whole"; exit 1; }

languages=C
if command -v "${CXX:=c++}" >/dev/null; then
	languages="C CXX"
	"$CXX" -std=c++11 -pedantic -Wall -Wextra -Werror "$work/use.cc" -o "$work/pc-cxx" "${shared[@]}"
	use "pkg-config, C++" "$work/pc-cxx"
	"$CXX" -std=c++17 -pedantic -Wall -Wextra -Werror "$work/use.cc" -o "$work/pc-cxx-static" \
		"${cflags[@]}" "${private[@]}"
	use "pkg-config, C++, static" env -u LD_LIBRARY_PATH "$work/pc-cxx-static"
fi

cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES $languages)
find_package(xperf 0.1 REQUIRED)
foreach(language IN ITEMS $languages)
	string(REPLACE CXX cc suffix \${language})
	string(TOLOWER \${suffix} suffix)
	add_executable(cmake-\${language}-shared use.\${suffix})
	target_link_libraries(cmake-\${language}-shared PRIVATE xperf::xperf)
	add_executable(cmake-\${language}-static use.\${suffix})
	target_link_libraries(cmake-\${language}-static PRIVATE xperf::xperf_static)
endforeach()
END
CC=$CC cmake -S "$work" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" &&
	ninja -C "$work/cmake" >>"$work/log" || { cat "$work/log"; exit 1; }
for language in $languages; do
	use "CMake, $language, shared" "$work/cmake/cmake-$language-shared"
	use "CMake, $language, static" env -u LD_LIBRARY_PATH "$work/cmake/cmake-$language-static"
done
use "installed program" sh -c "'$prefix/bin/xperf' version | sed 's/.* //'"
