#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that were compiled for a newer library, in which every structure that can grow has grown, do
# the same with this one.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "${SOURCE_DIR:?}"
mkdir "$work/xperf"
for header in lib/include/xperf/*.h; do
	awk '/^struct [a-z_]+ {$/ { first = 1; grows = 0 }
		first && /^\tsize_t size;/ { grows = 1; nr++ }
		/^\t[^/ *]/ { first = 0 }
		/^};/ && grows { print "\tuint64_t later[2];"; grows = 0 }
		{ print }' "$header" >"$work/xperf/${header##*/}"
done
grown=$(cat "$work"/xperf/*.h | grep -c "later\[2\]")
((grown > 20)) || { echo "only $grown structures"; exit 1; }

sanitize=()
if grep -q '^XPERF_SANITIZE:BOOL=ON' "$BUILD_DIR/CMakeCache.txt"; then
	sanitize=("-fsanitize=address,undefined")
fi
file=tests/data/perfdata/files/local61-g-fp
failed=0
for name in read_file symbolize top_functions_stream; do
	"${CC:-cc}" -std=gnu17 "${sanitize[@]}" -I "$work" "examples/$name.c" "$BUILD_DIR/libxperf.so" \
		-Wl,-rpath,"$BUILD_DIR" -o "$work/$name"
	"$work/$name" $file >"$work/newer" 2>&1 || { echo "$name: exit status $?"; cat "$work/newer"; failed=1; }
	"$BUILD_DIR/examples/example-$name" $file >"$work/today" 2>&1
	[[ -s $work/today ]] || { echo "$name: no output"; failed=1; }
	diff -u "$work/today" "$work/newer" || { echo "$name: differs"; failed=1; }
done
echo "$grown structures"
exit $failed
