#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs into a temporary directory, moves it, and builds programs against it as an outsider does:
# with pkg-config and with CMake, against the shared and the static library, in C and in C++.
set -euo pipefail

build=$BUILD_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}

for tool in pkg-config cmake ninja; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done

# A library with sanitizers cannot be linked by an outsider: build one without.
if grep -q '^XPERF_SANITIZE:BOOL=ON\|^XPERF_FUZZ:BOOL=ON' "$build/CMakeCache.txt"; then
	build=$BUILD_DIR/outside
	cmake -S "$SOURCE_DIR" -B "$build" -G Ninja -DXPERF_TESTS=OFF -DXPERF_LTO=OFF >/dev/null
fi
ninja -C "$build" xperf xperf_shared xperf_static >"$work/log" || { cat "$work/log"; exit 1; }
DESTDIR=$work/stage cmake --install "$build" --prefix /first >/dev/null
mv "$work/stage/first" "$work/prefix"
prefix=$work/prefix

pc=$(find "$prefix" -name xperf.pc)
export PKG_CONFIG_PATH=${pc%/*}
libdir=$(pkg-config --variable=libdir xperf)
export LD_LIBRARY_PATH=$libdir

for file in bin/xperf include/xperf/xperf.h share/man/man1/xperf-stat.1 share/man/man3/libxperf.3; do
	[[ -e $prefix/$file ]] || { echo "not installed: $file"; exit 1; }
done
for file in libxperf.so libxperf.so.0 libxperf.a; do
	[[ -e $libdir/$file ]] || { echo "not installed: $file in $libdir"; exit 1; }
done

cat >"$work/use.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

int main(void)
{
	struct xp_ctx *ctx;

	if (xp_ctx_new(NULL, &ctx))
		return 1;
	xp_ctx_free(ctx);
	printf("%s\n", xp_version());
	return xp_version_num() == XP_VERSION_NUM ? 0 : 2;
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

"$CC" -Wall -Wextra -Werror "$work/use.c" -o "$work/pc-shared" "${shared[@]}"
use "pkg-config, shared" "$work/pc-shared"
"$CC" -Wall -Wextra -Werror "$work/use.c" -o "$work/pc-static" "${cflags[@]}" "${private[@]}"
use "pkg-config, static" env -u LD_LIBRARY_PATH "$work/pc-static"

languages=C
if command -v "${CXX:=c++}" >/dev/null; then
	languages="C CXX"
	"$CXX" -Wall -Wextra -Werror "$work/use.cc" -o "$work/pc-cxx" "${shared[@]}"
	use "pkg-config, C++" "$work/pc-cxx"
fi

cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES $languages)
find_package(xperf 0.1 REQUIRED)
add_executable(cmake-shared use.c)
target_link_libraries(cmake-shared PRIVATE xperf::xperf)
add_executable(cmake-static use.c)
target_link_libraries(cmake-static PRIVATE xperf::xperf_static)
END
CC=$CC cmake -S "$work" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" &&
	ninja -C "$work/cmake" >>"$work/log" || { cat "$work/log"; exit 1; }
use "CMake, shared" "$work/cmake/cmake-shared"
use "CMake, static" env -u LD_LIBRARY_PATH "$work/cmake/cmake-static"
use "installed program" sh -c "'$prefix/bin/xperf' version | sed 's/.* //'"
