#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recordings made now, of kinds that no stored one is of: `script` and `report` print of them what
# perf does.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"
need_perf
need_tracefs
"$XPERF" check -q feature libelf || skip "built without libelf"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TZ=UTC LC_ALL=C HOME=$work PERF_CONFIG=/dev/null PAGER=

# record NAME OPTION...: on one CPU, so that records come in one order
record()
{
	perf record -q -o "$@" >/dev/null 2>&1 || skip "perf cannot record '${*:2}' here"
}

workload=(sh -c 'for i in 1 2 3; do ls / >/dev/null; done; exec true')

# In chains perf 6.1 has addresses as in the file; it cuts commands, and tells tips; nothing of
# quality.
plain()
{
	sed -E -e 's/^\t *[0-9a-f]+ (.* \(([^[]|\[[^kgu]).*)$/\tADDRESS \1/' -e '/^# Quality: /d' \
		-e '/^#$/d' -e '/^# \(Tip: /d' -e 's/\bperf-ex(ec?)?\b/perf-exec/' -e 's/ +/ /g' \
		-e 's/\.\.+/./g' -e 's/ $//' -e 's/\*ABS\*\+0x[0-9a-f]+@plt/@plt/'
}

failed=0
# same FILE COMMAND OPTION...
same()
{
	local file=$1
	shift
	perf "$@" -i "./$file" 2>/dev/null | plain >perf.txt
	"$XPERF" --no-pager "$@" -i "./$file" 2>ours.err | plain >ours.txt
	diff -u perf.txt ours.txt >differ.txt && return
	echo "$file: $*: differs from perf's"
	head -n 20 differ.txt
	failed=1
}

# Functions that tracepoints refer to, by name.
record kmem -e kmem:kmalloc -e kmem:kfree -- "${workload[@]}"
same kmem script
# A name of its own, which perf 6.1 reads, but does not give.
"$XPERF" record -q -e sched:sched_process_exec/name=program/ -o named -- "${workload[@]}" \
	>/dev/null 2>&1 || skip "xperf cannot record tracepoints here"
same named script
# Call chains into what was mapped before exec.
record chains -e kmem:kmalloc -g -- "${workload[@]}"
same chains script --no-inline
# Without times the order of the file counts.
record timeless --no-timestamp -e page-faults -c 1 -- "${workload[@]}"
same timeless script
same timeless report --stdio -s comm,dso
# Readings of groups count for their members, too.
record group -e '{page-faults,context-switches}:S' -c 20 --no-inherit -- ls -R /etc
same group report --stats
# What was mapped, with inodes.
record maps -e page-faults -c 10 -- true
same maps report --mmaps
same maps report --stdio -g none -s pid
# A clock by its name.
record clock -k CLOCK_TAI -e page-faults -c 10 -- true
same clock report --header-only
# Only an event without samples.
record dummy -e dummy:u -- true
same dummy script --show-mmap-events
exit $failed
