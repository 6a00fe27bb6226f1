#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples in the man pages: programs are built and run, commands are run.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Literal blocks of a page: programs become $work/N.c, command lines go to stdout.
examples()
{
	awk -v work="$work/$(basename "$1")" '
	/^\.Bd -literal/ { inside = 1; first = 1; next }
	/^\.Ed/ { inside = 0; if (file) close(file); file = ""; next }
	!inside { next }
	{ gsub(/\\e/, "\\"); gsub(/\\&/, "") }
	first && /^#include/ { file = work "-" ++nr ".c" }
	{ first = 0 }
	file { print > file; next }
	sub(/^\$ /, "") { print }' "$1"
}

# Can this machine count for us at all, for everyone, and in hardware?
can_count=0 can_count_all=0
"$XPERF" stat -e page-faults:u true >/dev/null 2>&1 && can_count=1
"$XPERF" stat -a -e context-switches true >/dev/null 2>&1 && can_count_all=1

can_count_hardware=0
"$XPERF" stat -e '{cycles,instructions}' true >/dev/null 2>&1 && can_count_hardware=1

sanitize=()
if grep -q '^XPERF_SANITIZE:BOOL=ON' "$BUILD_DIR/CMakeCache.txt"; then
	sanitize=("-fsanitize=address,undefined")
fi

mkdir "$work/bin"
ln -s "$XPERF" "$work/bin/xperf"
PATH=$work/bin:$PATH
# Recordings that the pages speak of.
for name in perf today before after {a,b}{1,2,3}; do
	cp tests/data/perfdata/files/local61-g-fp "$work/$name.data"
done
# A program they speak of, and what they write: below $work.
cp "$(type -P true)" "$work/prog"
export HOME=$work PERF_CONFIG=$work/settings
for page in man/*.[1-9]; do
	rm -f "$PERF_CONFIG"
	while read -r line; do
		status=0
		(cd "$work" && eval "$line") >"$work/output" 2>&1 </dev/null || status=$?
		case $line in
		*"xperf stat -a"* | *"xperf record -a"*) ((can_count_all)) || continue ;;
		*"xperf stat -e '{cycles"*) ((can_count_hardware)) || continue ;;
		*"xperf stat"* | *"xperf record"*) ((can_count)) || continue ;;
		*"check -q"*) ((status != 1)) || status=0 ;;
		esac
		((status == 0)) || { echo "$page: exit status $status: $line"; cat "$work/output"; failed=1; }
	done < <(examples "$page")
done

for program in "$work"/*.c; do
	name=${program##*/}
	"${CC:-cc}" -std=gnu17 -Wall -Wextra -Werror -I lib/include -c "$program" -o "${program%.c}.o" &&
		"${CC:-cc}" "${sanitize[@]}" "${program%.c}.o" "$BUILD_DIR/libxperf.a" -lm -o "${program%.c}" ||
		{ echo "$name: does not build"; failed=1; continue; }
	((can_count)) || continue
	"${program%.c}" >"$work/output" 2>&1 </dev/null ||
		{ echo "$name: exit status $?"; cat "$work/output"; failed=1; }
	[[ -s $work/output ]] || { echo "$name: prints nothing"; failed=1; }
done
if ((!failed && !can_count)); then
	skip "built, not run: this machine does not let us count"
fi
exit $failed
