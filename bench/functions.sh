#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a call of a function costs that `xperf stat --functions` counts, as fast as calls can come,
# beside an ordinary event of a uprobe there; prints Markdown. Times are CPU times of the program.
#
# Usage: bench/functions.sh [XPERF]     needs root, libbpf and capstone
#   CALLS=200000   in each run
#   ROUNDS=5       the medians of which are shown
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
needs_root
xperf=$(realpath "${1:-build/release/xperf}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C

cat >calls.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

volatile int sink;

__attribute__((noipa)) int returns(int x)
{
	return x + sink;
}

/* Its last instruction is a jump to returns(). */
__attribute__((noipa)) int jumps(int x)
{
	return returns(x + 1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int (*function)(int) = argc > 2 ? jumps : returns;
	int nr = atoi(argv[1]);
	double before = now();

	for (int i = 0; i < nr; i++)
		function(i);
	printf("%.1f\n", (now() - before) / nr);
	return 0;
}
END
"${CC:-cc}" -O2 -o calls calls.c

# cost OPTIONS... -- ARGUMENTS...: nanoseconds per call, the median
cost()
{
	local options=()

	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	for ((i = 0; i < ${ROUNDS:-5}; i++)); do
		"$xperf" stat -o /dev/null "${options[@]}" ./calls "${CALLS:-200000}" "$@"
	done | sort -n | awk '{ ns[NR] = $1 } END { print ns[int((NR + 1) / 2)] }'
}

# row TITLE OPTIONS... -- ARGUMENTS...
row()
{
	local ns

	ns=$(cost "${@:2}")
	awk -v title="$1" -v ns="$ns" -v probe="$probe" \
		'BEGIN { printf "| %s | %.2f | %.2f |\n", title, ns / 1000, ns / probe }'
}

probe=$(cost -e uprobe:./calls:returns --)
echo "| a call with | us of CPU | of an event's |"
echo "|---|---|---|"
row "nothing" -n --
row "stat -e uprobe:" -e uprobe:./calls:returns --
row "stat -e uprobe: and %return" -e uprobe:./calls:returns,uprobe:./calls:returns%return --
row "--functions, calls only" --functions jumps -- jumps
row "--functions, calls and times" --functions returns --
row "the same, one event" --functions returns -e page-faults --
row "the same, four events" --functions returns -e page-faults,context-switches,task-clock,minor-faults --
