#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What perf lists, xperf lists, in the same layout; what xperf lists besides, it says is not supported.
set -uo pipefail
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
need_perf
: "${XPERF:?}"
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# Kinds both have; perf's tables of vendors' events are not compared.
perf list 2>/dev/null |
	grep -E '\[(Hardware|Software|Tool|Hardware cache|Kernel PMU|Tracepoint) event\]' | sort >"$tmp/perf"
"$XPERF" list 2>/dev/null | sed 's/\] .*/]/' | sort >"$tmp/xperf"
missing=$(comm -23 "$tmp/perf" "$tmp/xperf")
[[ -z $missing ]] || { echo "perf lists, xperf does not:"; echo "$missing"; failed=1; }

# Values of the machine are tool events of perf 7, which older ones do not have; no perf has max_rss.
values='^ *(core_wide|has_pmem|max_rss|num_[a-z_]+|slots|smt_on|system_tsc_freq|target_cpu) '
"$XPERF" list 2>/dev/null | grep -vE "not (supported|permitted)(: |$)|Raw hardware|breakpoint|Vendor event|$values" |
	sed 's/\] .*/]/' | sort >"$tmp/opens"
more=$(comm -13 "$tmp/perf" "$tmp/opens")
[[ -z $more ]] || { echo "xperf lists as openable, perf does not list:"; echo "$more"; failed=1; }
echo "$(wc -l <"$tmp/perf") events"
exit $failed
