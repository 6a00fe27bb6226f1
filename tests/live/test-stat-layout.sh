#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same command line gives the same lines from xperf as from perf, numbers aside: scripts that
# cut perf's output apart go on working.
set -uo pipefail
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
need_perf
: "${XPERF:?}"
export LC_ALL=C

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# Numbers become N (a count of 0 in an interval may be <not counted>, as a clock may round to 0), bars
# of --table become #,
# the scale of rates goes, what xperf says below the table in addition, and the quotes around a name with a comma in it,
# which perf leaves out.
plain()
{
	sed -E -e '/^ *(Not supported|Note|Reason)/,/^$/{/^$/!d}' \
		-e 's/<not counted>/0/g' -e 's/,"([^",]+,[^"]*)",/,\1,/' \
		-e 's/[0-9]+(\.[0-9]+)?/N/g' -e 's/[KMG]\/sec/\/sec/g' -e 's/,[KMG]?\/sec/,\/sec/g' \
		-e 's/ \( \+- *N% \)//' -e 's/\([-+]N\) #+/(N) #/' -e 's/"\(null\)"/""/g' -e 's/ +/ /g' -e 's/ $//' "$1" | uniq | cat -s
}

# print_both ARGS...: whether both print the same
print_both()
{
	perf stat -o "$tmp/perf" "$@" >/dev/null 2>"$tmp/perf.err" </dev/null
	"$XPERF" stat -o "$tmp/xperf" "$@" >/dev/null 2>"$tmp/xperf.err" </dev/null
	[[ $* != *-j* ]] || sed -i '/^#/d; /^$/d' "$tmp/perf" # perf's date line is no JSON
	plain "$tmp/perf" >"$tmp/perf.plain"
	plain "$tmp/xperf" >"$tmp/xperf.plain"
	diff -u "$tmp/perf.plain" "$tmp/xperf.plain" >"$tmp/diff"
}

# same ARGS...: both with `stat ARGS`. What one of them had no time for on a crowded machine is printed
# otherwise: what differs always is wrong.
same()
{
	for _ in {1..5}; do
		print_both "$@" && return
	done
	echo "stat $*: not as perf prints it"
	cat "$tmp/diff" "$tmp/xperf.err"
	failed=1
}

software=page-faults,context-switches,task-clock
for format in "" "-x," -j; do
	# shellcheck disable=SC2086
	{
		same $format -e $software true
		same $format -e "{$software}" true
		same $format -e page-faults:u,cs:k true
		same $format -e duration_time -e page-faults true
		same $format -r 3 -e task-clock true
		same $format -i -e $software true
		same $format --null true
		same $format -r 2 --table -e task-clock true
		same $format -r 2 --table --null true
		same $format --null -a -A true
		same $format --null -I 40 sleep 0.1
		same $format --null -I 40 --summary sleep 0.1
		same $format -a -e $software true
		same $format -a -A -e page-faults true
		same $format -C 0 -e page-faults true
		for mode in socket die core node; do
			same $format -a --per-$mode -e page-faults,cs true
		done
		same $format -I 40 --interval-count 2 -e page-faults sleep 0.1
		same $format -I 40 --interval-count 2 --summary -e page-faults sleep 0.1
		same $format -D 10 -e page-faults sleep 0.03
	}
done
if perf stat -e msr/tsc/ true >/dev/null 2>&1; then
	for format in "" "-x,"; do
		# shellcheck disable=SC2086
		same $format -a -A -e msr/tsc,percore/,cs true
		# shellcheck disable=SC2086
		same $format -a -A --percore-show-thread -e msr/tsc,percore/,cs true
	done
fi
same -x ';' -e page-faults true
same -x '\t' -e page-faults true
same -I 40 --interval-count 2 -x, --no-csv-summary --summary -e page-faults sleep 0.1
same true
same -d true
same -ddd true
same -d -e page-faults true
same -x, true
same -j true
exit $failed
