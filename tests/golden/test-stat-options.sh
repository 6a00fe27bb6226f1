#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every option of perf stat is in the table of `xperf stat`, or refused in one sentence, with the
# reason in the manual.
set -uo pipefail
: "${XPERF:?}"
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
manual=${SOURCE_DIR:?}/man/xperf-stat.1

# Of perf 6.1 and 7.2, without "no-".
known=(affinity aggr all-cpus all-kernel all-user append big-num cgroup control cpu cputype csv-summary delay
	detailed event field-separator filter for-each-cgroup group hide-zero-events hybrid-merge inherit
	interval-clear interval-count interval-print json json-output log-fd merge metric-no-group metric-no-merge
	metric-no-threshold metric-only metrics null output per-cache per-cluster per-core
	per-die per-node per-socket per-thread percore-show-thread pfm-events pid post pre quiet repeat
	scale summary sync table td-level tid timeout topdown verbose)
refused=(bpf-attr-map=/x bpf-counters bpf-prog=1 iostat iostat=0
	pmu-filter=cpu record-tpebs smi-cost
	tpebs-mode=mean transaction)

"$XPERF" --list-options stat | cut -f2 | sed 's/^--//; s/^no-//' >"$dir/table"
for name in "${known[@]}"; do
	if ! grep -qx -- "$name" "$dir/table"; then
		echo "--$name is not in the table"
		failed=1
	fi
done
for option in "${refused[@]}"; do
	name=${option%%=*}
	"$XPERF" stat "--$option" touch "$dir/ran" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	if [[ $status != 129 || -e $dir/ran ]] ||
		! head -n 1 "$dir/err" | grep -q "^Error: --$name: ."; then
		echo "--$option: status $status, not 129 with the reason"
		cat "$dir/err"
		failed=1
	fi
	if ! sed '1,/^.Ss Options that are refused/d' "$manual" | grep -q "^\.It .*Fl -$name\b"; then
		echo "--$name: no reason in the manual"
		failed=1
	fi
done
# A level of a cache, and what is none.
for level in 3 L L0 L5 L22 x2 ''; do
	"$XPERF" stat -a "--per-cache=$level" true >"$dir/out" 2>"$dir/err"
	if [[ $? != 129 ]] || ! head -n 1 "$dir/err" | grep -q "is no level of a cache: L1 to L4\$"; then
		echo "--per-cache=$level is accepted, or refused without the reason"
		cat "$dir/err"
		failed=1
	fi
done
# What a wrapper may add to every call is nothing to refuse.
"$XPERF" stat --no-metric-only --no-affinity -n true 2>"$dir/err" || { cat "$dir/err"; failed=1; }
exit $failed
