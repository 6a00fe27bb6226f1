#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every option of perf stat is in the manual's table: it works, or is refused in one sentence with the reason
# that is there.
set -uo pipefail
: "${XPERF:?}"
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
manual=${SOURCE_DIR:?}/man/xperf-stat.1

# Of perf 6.1 and 7.2, without "no-".
perf=(affinity aggr all-cpus all-kernel all-user append big-num bpf-attr-map bpf-counters bpf-prog cgroup control
	cpu cputype csv-summary delay detailed event field-separator filter for-each-cgroup group hide-zero-events
	hybrid-merge inherit interval-clear interval-count interval-print iostat json-output log-fd merge
	metric-no-group metric-no-merge metric-no-threshold metric-only metrics null output per-cache
	per-cluster per-core per-die per-node per-socket per-thread percore-show-thread pfm-events pid
	pmu-filter post pre quiet record-tpebs repeat scale smi-cost summary sync table td-level tid timeout
	topdown tpebs-mode transaction verbose)

# The table of the manual, as lines "LETTER NAME VALUE works|refused REASON", tabs between them: "-" for none.
sed '1,/^\.Ss Options of perf stat/d' "$manual" | awk '/^\.It / {
	letter = value = "-"
	for (i = 2; $i != "Ta"; i++) {
		if ($i == "Ar")
			value = $(i + 1)
		if ($(i - 1) == "Fl" && $i ~ /^-/)
			name = substr($i, 2)
		else if ($(i - 1) == "Fl")
			letter = $i
	}
	what = $(i + 1)
	reason = $0
	sub(/.* Ta [a-z]+:? ?/, "", reason)
	sub(/:$/, "", what)
	print letter "\t" name "\t" value "\t" what "\t" reason
}' >"$dir/manual"
diff <(printf '%s\n' "${perf[@]}" | sort) <(cut -f2 "$dir/manual" | sed 's/^no-//' | sort) ||
	{ echo "< is in perf, > in the manual's table"; failed=1; }
if [[ $(perf version 2>/dev/null) == "perf version "[67].* ]]; then
	perf stat -h 2>&1 | sed -nE 's/^ +(-[A-Za-z], )?--([a-z0-9-]+).*/\2/p' | sed 's/^no-//' |
		grep -vxFf <(cut -f2 "$dir/manual" | sed 's/^no-//') >"$dir/missing" &&
		{ echo "of $(perf version), not in the manual's table:" && cat "$dir/missing"; failed=1; }
fi

# A value that the parser accepts.
value_of()
{
	case $1 in
	cgroup | for-each-cgroup) echo /,/ ;;
	control) echo fd:0 ;;
	bpf-prog | cpu | pid | tid | log-fd) echo 1 ;;
	event | pfm-events) echo page-faults ;;
	field-separator) echo , ;;
	filter) echo 'prev_pid != 0' ;;
	per-cache) echo L2 ;;
	delay | interval-* | repeat | td-level | timeout) echo 20 ;;
	*) echo x ;;
	esac
}

# works NAME VALUE: it is in the table of the program, and its parser accepts it; --help ends the parsing
works()
{
	local option=--$1
	local -a before=()

	"$XPERF" --list-options stat | cut -f2 | grep -x -- "--$1" >/dev/null || { echo "--$1 is not in the table"; failed=1; }
	[[ $2 == - ]] || option="$option=$(value_of "$1")"
	[[ $1 != cgroup && $1 != filter ]] || before=(-e page-faults)
	"$XPERF" stat "${before[@]}" "$option" --help >"$dir/out" 2>"$dir/err" ||
		{ echo "$option is not accepted"; cat "$dir/err"; failed=1; }
}

# refused NAME VALUE REASON: the parser says so, with the reason, and nothing runs
refused()
{
	local option=--$1

	[[ $2 == - ]] || option=$option=x
	"$XPERF" stat "$option" touch "$dir/ran" >"$dir/out" 2>"$dir/err" </dev/null
	if [[ $? != 129 || -e $dir/ran ]] || [[ $(head -n 1 "$dir/err") != "Error: --$1: $3" ]]; then
		echo "$option is not refused with the reason of the manual: $3"
		cat "$dir/err"
		failed=1
	fi
}

# lacking NAME PATTERN: where the machine has the events, it works; else nothing runs, and what it lacks is said
lacking()
{
	local option
	for option in "--$1" "--no-$1 --$1"; do
		# shellcheck disable=SC2086
		"$XPERF" stat $option touch "$dir/ran" >"$dir/out" 2>"$dir/err" </dev/null && continue
		if [[ -e $dir/ran ]] || ! head -n 1 "$dir/err" | grep -E "^Error: (--$1: )?$2" >/dev/null; then
			echo "$option is not refused with what the machine lacks"
			cat "$dir/err"
			failed=1
		fi
	done
}

while IFS=$'\t' read -r letter name value what reason; do
	case $what in
	works)
		works "$name" "$value"
		[[ $letter == - ]] || letter=-$letter
		"$XPERF" --list-options stat | grep "^$letter	--$name	" >/dev/null ||
			{ echo "--$name: the letter is not $letter"; failed=1; }
		;;
	refused)
		refused "$name" "$value" "$reason"
		[[ $letter == - || $("$XPERF" stat "-$letter" x 2>&1) == "Error: -$letter: $(
			"$XPERF" stat "--$name" x 2>&1 | sed -n 's/^Error: [^:]*: //p')"* ]] ||
			{ echo "-$letter is not --$name"; failed=1; }
		;;
	*)
		echo "--$name: '$what' is neither works nor refused"
		failed=1
		;;
	esac
done <"$dir/manual"
lacking smi-cost '([a-z_]+(/[a-z]+/)? cannot be counted: .|There is no /sys/devices/cpu/freeze_on_smi: |/sys/devices/cpu/freeze_on_smi )'
rm -f "$dir/ran"
lacking iostat '(uncore_iio/event=1/ cannot be counted: .|the kernel does not say |uncore_iio_[0-9]+ counts on |The root port |/sys/devices/uncore_iio_)'
rm -f "$dir/ran"
# A level of a cache, and what is none.
for level in 3 L L0 L5 L22 x2 ''; do
	"$XPERF" stat -a "--per-cache=$level" true >"$dir/out" 2>"$dir/err"
	if [[ $? != 129 ]] || ! head -n 1 "$dir/err" | grep "is no level of a cache: L1 to L4\$" >/dev/null; then
		echo "--per-cache=$level is accepted, or refused without the reason"
		cat "$dir/err"
		failed=1
	fi
done
# What is no list of ids, and what cannot be counted together with BPF programs.
for ids in 0 x '1,' ,1 1,,2 -1 4294967296 ' 1' ''; do
	"$XPERF" stat "--bpf-prog=$ids" touch "$dir/ran" >"$dir/out" 2>"$dir/err"
	if [[ $? != 129 || -e $dir/ran ]] || ! head -n 1 "$dir/err" | grep "is no list of ids of BPF programs" >/dev/null; then
		echo "--bpf-prog=$ids is accepted, or refused without the reason"
		cat "$dir/err"
		failed=1
	fi
done
for other in "-p 1" "-t 1" "-a -e page-faults -G /" "-a --for-each-cgroup /" "-a --per-thread" --bpf-counters \
	"--functions x" -n; do
	# shellcheck disable=SC2086
	"$XPERF" stat -b 1 $other touch "$dir/ran" >"$dir/out" 2>"$dir/err"
	if [[ $? != 129 || -e $dir/ran ]] || ! head -n 1 "$dir/err" | grep "^Error: -b counts .* cannot be combined with it\$" >/dev/null; then
		echo "-b 1 $other is accepted, or refused without the reason"
		cat "$dir/err"
		failed=1
	fi
done
# What a wrapper may add to every call is nothing to refuse.
"$XPERF" stat --no-metric-only --no-affinity -n true 2>"$dir/err" || { cat "$dir/err"; failed=1; }
exit $failed
