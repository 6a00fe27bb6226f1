#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bits and numbers of perf_event_open(2) are defined in <xperf/attr.h> and <xperf/record.h> only. No
# other file names a bit again, or uses the kernel header's names, which older headers lack.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

# bits FILE...: lines that define a bit of sample_type, read_format, branch_sample_type or misc
bits()
{
	grep -nHE '\b(S|SAMPLE|FORMAT|BRANCH|MISC)_[A-Z_]+ *= *1 <<|FORMAT_(ENABLED|RUNNING|ID|GROUP|LOST) *=|#define +(SAMPLE|FORMAT|BRANCH|MISC)_[A-Z_]+ +\(?(UINT64_C|1)' "$@" || true
	grep -nHE '\b(TRACEPOINT|SOFTWARE|CALLCHAIN|WEIGHT_STRUCT|CALL_STACK|SWITCH_OUT|FORK_EXEC) *= *(1 <<|[0-9])' "$@" || true
	grep -nHE '^[^*"]*\bPERF_(SAMPLE|FORMAT|TYPE|COUNT_SW)_[A-Z]' "$@" | grep -v '/\*.*PERF_' || true
}

mapfile -t files < <(sources 'lib/*.[ch]' 'arch/*.[ch]' 'cli/*.[ch]' 'examples/*' |
	grep -vE '^lib/include/xperf/(attr|record).h$|^lib/sys/uapi.h$')
found=$(bits "${files[@]}")
[[ -z $found ]] || { echo "$found"; echo "use the names of <xperf/attr.h> and <xperf/record.h>"; exit 1; }
echo "${#files[@]} files define no bit of the kernel's"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n' 'enum { SAMPLE_READ = 1 << 4 };' 'type & PERF_SAMPLE_IP;' '#define FORMAT_ID (1U << 2)' \
	'enum { TRACEPOINT = 2 };' 'int fine = XP_SAMPLE_READ;' >"$work/wrong.c"
(($(bits "$work/wrong.c" | wc -l) == 4)) || { echo "wrong definitions go unnoticed"; exit 1; }
