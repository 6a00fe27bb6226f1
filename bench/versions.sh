#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What two builds of xperf cost, side by side: instructions in user space, which no load of the machine changes.
# Prints Markdown. Recordings are made here, by the older one.
#
# Usage: bench/versions.sh OLD NEW     two programs; needs valgrind and the tools of a release build
set -euo pipefail
old=${1:?bench/versions.sh OLD NEW} new=${2:?bench/versions.sh OLD NEW}
cd "$(dirname "$0")/.."
. bench/common.sh
tools=build/release/bench
needs valgrind "instructions cannot be counted"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work

# The least of three runs: what is left is what always happens.
instructions()
{
	for _ in 1 2 3; do
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null </dev/null |
			awk '/Collected/ { print $NF; exit }'
	done | sort -n | head -1
}
# print WHAT PARTS OLD NEW: per part, of which there are so many
print()
{
	awk -v w="$1" -v n="$2" -v b="$3" -v a="$4" 'BEGIN { printf "| %s | %.1f | %.1f | %+.1f %% |\n", w, b / n, a / n, (a / b - 1) * 100 }'
}
# row WHAT PARTS ARGUMENTS...
row() { print "$1" "$2" "$(instructions "$old" "${@:3}")" "$(instructions "$new" "${@:3}")"; }
# recorded PROGRAM FAULTS: instructions of a recording of so many page faults
recorded() { instructions "$1" record -q -o "$work/again" -e page-faults -c 1 -- "$tools/load" faults 1 "$2"; }
# more PROGRAM: for 50,000 samples more
more() { echo $(($(recorded "$1" 51000) - $(recorded "$1" 1000))); }
# samples FILE
samples() { "$new" script -i "$1" -F time | wc -l; }

"$old" record -q -o "$work/flat" -e page-faults -c 1 -- "$tools/load" faults 1 50000
"$old" record -q -o "$work/chains" -e cpu-clock -F 10000 -g -- "$tools/load" deep 2 200
nr_flat=$(samples "$work/flat")

echo "| instructions | old | new | change |"
echo "|---|---|---|---|"
row "\`stat\` of a command that does nothing" 1 stat "$tools/nop"
row "\`record\` of it" 1 record -q -o "$work/again" -e page-faults -c 1 -- "$tools/nop"
print "\`record\`, per sample more" 50000 "$(more "$old")" "$(more "$new")"
row "\`report\`, flat, per sample" "$nr_flat" report -i "$work/flat" --no-inline
row "\`script\`, flat, per sample" "$nr_flat" script -i "$work/flat" --no-inline
nr_chains=$(samples "$work/chains")
row "\`report\` with call chains, per sample, of $nr_chains" "$nr_chains" report -i "$work/chains" --no-inline
row "\`script\` with call chains, per sample" "$nr_chains" script -i "$work/chains" --no-inline
