#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The recorder's two threads and its caller's, under ThreadSanitizer (recorder-threads.c).
set -uo pipefail
cc=${CC:-cc} src=${SOURCE_DIR:?}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

echo 'int main(void) { return 0; }' >"$dir/try.c"
if ! "$cc" -fsanitize=thread "$dir/try.c" -o "$dir/try" 2>/dev/null || ! "$dir/try"; then
	echo "$cc has no ThreadSanitizer that runs here"
	exit 77
fi
seen=()
for folder in inline base sys code symbol symbol/elf evsel mmap unwind evlist session/{record,data/writer,data/build-ids,recorder}; do seen+=(-iquote "$src/lib/$folder"); done
"$cc" -std=gnu17 -D_GNU_SOURCE -O1 -g -pthread -fsanitize=thread -I"$src/lib/include" "${seen[@]}" \
	"$src"/tests/unit/recorder-threads.c "$src"/lib/session/recorder/*.c "$src"/lib/unwind/{chain-end,joiner}.c \
	"$src"/lib/session/data/writer/writer-output.c "$src"/lib/session/record/{record,sample-*}.c \
	"$src"/lib/mmap/{ring,ring-aux}.c "$src"/lib/base/{chain-ends,chain-mark,diag,id-map,intern,opts,pages,str}.c \
	-o "$dir/recorder-threads" || exit 1
TSAN_OPTIONS=halt_on_error=1:exitcode=66 "$dir/recorder-threads"
