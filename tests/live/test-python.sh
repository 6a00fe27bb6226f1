#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program in Python binds the shared library by its described interface: structs are as in C, it counts
# a function of its own, and reads a recording's samples as `xperf script` does.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"

command -v python3 >/dev/null || skip "python3 is not installed"
[[ $(getconf LONG_BIT) == 64 ]] || skip "the interface is described for machines of 64 bits"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$BUILD_DIR/libxperf.so

# A library with sanitizers needs theirs in the program.
preload=()
if grep -q '^XPERF_SANITIZE:BOOL=ON' "$BUILD_DIR/CMakeCache.txt"; then
	preload=(env ASAN_OPTIONS=detect_leaks=0
		LD_PRELOAD="$("$CC" -print-file-name=libasan.so) $("$CC" -print-file-name=libubsan.so)")
fi
python()
{
	"${preload[@]}" python3 -B "$SOURCE_DIR/tests/live/python/use.py" "$SOURCE_DIR/lib/libxperf.abi" \
		"$library" "$@"
}

python layouts

# Recordings of this byte order and of the other one
for name in local72-multi local-s390x61-z; do
	file=$SOURCE_DIR/tests/data/perfdata/files/$name
	python read "$file" | awk '{ print $2, $3 }' | sort >"$work/read"
	"$XPERF" script -f -i "$file" -F pid,time --ns | tr -d ':.' | awk 'NF { sub(/^0+/, "", $2); print $1, $2 }' |
		sort >"$work/script"
	[[ -s $work/read ]] && diff "$work/read" "$work/script" ||
		{ echo "$name: not the samples that script prints"; exit 1; }
	echo "$name: $(wc -l <"$work/read") samples"
done

"$XPERF" stat -e task-clock:u true >/dev/null 2>&1 ||
	skip "the kernel does not let this process count; layouts and reading are as they should be"
python count
