#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What reading one's own counters costs, and a region; beside read(2), and PAPI where it is installed.
# Prints Markdown.
#
# Usage: bench/self.sh [--guest]     needs a release build
#
# --guest: in the emulated arm64 machine of tests/guest, which has a PMU. There an instruction takes a
# nanosecond, the kernel's, too: the column of times counts instructions.
set -euo pipefail
cd "$(dirname "$0")/.."

table()
{
	awk -F'\t' '
		NF == 1 { notes = notes "\n" $0 "."; next }
		$1 == "nothing" { ns = $2; instructions = $3
			print "| way | " (instructions == "" ? "" : "instructions of user space | ") "ns |"
			print (instructions == "" ? "|---|---|" : "|---|---|---|"); next }
		{ printf "| %s | ", $1
		  if (instructions != "") printf "%.0f | ", $3 - instructions
		  printf "%.1f |\n", $2 - ns }
		END { print notes }'
}

if [[ ${1:-} == --guest ]]; then
	export SOURCE_DIR=$PWD BUILD_DIR=$PWD/build/release
	bash tests/guest/test-arm64.sh bench/self-guest.sh | grep -v '^==\|^Linux' | table
else
	build/release/bench/self | table
fi
