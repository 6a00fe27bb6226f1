#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of call chains there is if less of each stack is recorded, of programs at work, and how much
# earlier samples add to them; prints the tables of docs/call-stacks.md. One recording with 64 KiB of
# each stack is cut to 32, 16 and 8 KiB, so that chains are compared sample by sample.
#
# Usage: bench/call-stacks.sh [SCRIPT]     SCRIPT unwinds: xperf (default) or perf; needs a release build
# HZ is the frequency of samples, 499 by default.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/build/release
script=${1:-$build/xperf}
record=${RECORD:-$build/xperf}
source=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C
"${CC:-cc}" -O1 -D_GNU_SOURCE -o compare "$source/tests/truth/compare.c"
. "$source/tests/truth/programs.sh"

chains() {
	local file=$1

	shift
	"$script" script --no-inline --max-stack 1000 -i "$file" -F tid,time,ip,sym,dso "$@" 2>/dev/null
}

# compared: what share is at least as long as the whole ones, and how many have a frame that these contradict
compared() {
	./compare part whole | awk 'NF == 2 { of[$1] = $2; total += $1 == "missing" ? 0 : $2 }
		END { printf "| %.1f %% / %d ", 100 * (of["same"] + of["longer"]) / total, of["different"] }'
}

# row TITLE COMMAND...
row() {
	local title=$1 bytes
	shift
	command -v "$1" >/dev/null || { echo "$title: no $1" >&2; return; }
	"$record" record -q -e cpu-clock:u -F "${HZ:-499}" -m 64M --call-graph dwarf,65528,raw -o data "$@" >out 2>&1
	chains data "${alone[@]}" >whole
	printf '| %s ' "$title"
	# Whole chains end where a program or a thread starts.
	# The last functions of whole chains; a stripped program has no name for its own.
	awk 'function done() {
			chains++
			ends += (last " " before) ~ /(^| )(_start|_?_?clone3?|__libc_start_.*|_dl_start_user)( |$)/
		}
		/^\t/ { before = last; last = $2; frames++; next }
		last { done() } { last = before = "" }
		END { if (last) done(); printf "| %d | %.0f | %.1f %% ", chains, frames / chains, 100 * ends / chains }' whole
	for bytes in 32768 16384 8192; do
		"$build/bench/cut-stacks" data cut $bytes
		chains cut "${alone[@]}" >part
		compared
		((${#alone[@]})) || continue
		chains cut | sed 's/ \[earlier sample\]$//' >part
		compared
	done
	echo "|"
}

# Without frames of earlier samples, which perf does not know.
alone=(--no-join)
"$script" version | grep '^xperf' >/dev/null || alone=()

write_programs 1000 1000
seq 1 300000 | sort -R --random-source=<(yes) >lines
if ((${#alone[@]})); then
	echo "| | samples | frames of a chain | whole at 64 KiB | 32 KiB: same / different | joined | 16 KiB | joined | 8 KiB | joined |"
	echo "|---|---|---|---|---|---|---|---|---|---|"
else
	echo "| | samples | frames of a chain | whole at 64 KiB | 32 KiB: same / different | 16 KiB | 8 KiB |"
	echo "|---|---|---|---|---|---|---|"
fi
row "clang++ -O2, C++" clang++ -O2 -c work.cpp
row "g++ -O2, C++" g++ -O2 -c work.cpp
row "Python" python3 work.py
row "Node" node work.js
row "sort" sort lines
row "git log -S" git -C "$source" log -S snprintf --oneline -40
