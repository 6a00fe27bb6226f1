#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example in C++ builds as C++11 without warnings, counts a command, and reports what is wrong.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"

command -v c++ >/dev/null || skip "no C++ compiler"
"${XPERF:?}" stat -e page-faults:u true >/dev/null 2>&1 ||
	skip "the kernel does not let this process count"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sanitize=()
if grep -q '^XPERF_SANITIZE:BOOL=ON' "$BUILD_DIR/CMakeCache.txt"; then
	sanitize=("-fsanitize=address,undefined")
fi
c++ -std=c++11 -O1 -Wall -Wextra -Werror "${sanitize[@]}" -I "$SOURCE_DIR/lib/include" \
	"$SOURCE_DIR/examples/raii.cc" "$BUILD_DIR/libxperf.so" -Wl,-rpath,"$BUILD_DIR" -o "$work/raii"

output=$("$work/raii" "$XPERF" version)
echo "$output"
grep -qE '^ +[1-9][0-9]*  page-faults(:u)?$' <<<"$output" || { echo "no page faults"; exit 1; }
message=$("$work/raii" /nonexistent/command 2>&1) && { echo "no failure"; exit 1; }
echo "$message"
[[ $message == "raii: "*nonexistent* ]] || { echo "no reason"; exit 1; }
