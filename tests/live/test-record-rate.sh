#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# More samples of a busy machine than it can take: the rate is lowered, which is told, and nothing is lost
# or cut. Periods of samples say what they stand for: together they are the time that passed on all CPUs.
set -uo pipefail
# shellcheck source=tests/live/record.sh
. "${SOURCE_DIR:?}/tests/live/record.sh"
"$XPERF" record -q -a -e cpu-clock -o probe true >out 2>err </dev/null ||
	skip "CPUs cannot be recorded here: $(head -n 1 err)"
[[ $(cat /proc/sys/kernel/perf_event_max_sample_rate) -ge 20000 ]] || skip "the kernel allows fewer samples"
cpus=$(nproc --all)

# loops.sh SECONDS: every CPU is busy
cat >loops.sh <<'END'
for _ in $(seq "$(nproc)"); do timeout "$1" sh -c 'while :; do :; done' & done
wait
END

for rate in 4000 20000; do
	for way in dwarf fp; do
		what="-a -F $rate --call-graph $way"
		"$XPERF" record -o busy -e cpu-clock -a -F $rate --call-graph $way sh loops.sh 2 >out 2>err </dev/null
		# A reader that does not get a CPU for long, where all else runs, too, loses some, not many.
		samples=$(sed -nE 's/^([0-9]+) samples? in .*/\1/p' err)
		lost=$(sed -nE 's/^Lost: ([0-9]+) records?:.*/\1/p' err)
		((${lost:-0} * 100 <= ${samples:-0})) || complain "$what: $lost lost of $samples"
		"$XPERF" script -i busy -F period >periods 2>err2
		read -r sum kinds < <(awk '{ s += $1; if (!seen[$1]++) n++ } END { printf "%.0f %d\n", s, n }' periods)
		wall=$(sed -n 's/^[0-9]* samples in \([0-9.]*\) s.*/\1/p' err)
		awk -v s="$sum" -v w="$wall" -v c="$cpus" 'BEGIN { exit !(s > w * c * 0.9e9 && s < w * c * 1.05e9) }' ||
			complain "$what: periods are $sum ns of $wall s on $cpus CPUs"
		if ((kinds > 1)); then
			grep -q '^Rate: for [0-9.]* s clocks were sampled less often' err ||
				complain "$what: a lower rate that is not told"
		fi
	done
done

# As often as was asked for, whatever it takes.
"$XPERF" record -o busy -e cpu-clock -a -F 20000 --max-cpu 0 --call-graph dwarf sh loops.sh 0.5 >out 2>err </dev/null
! grep '^Rate' err || complain "--max-cpu 0: a lower rate"
"$XPERF" script -i busy -F period 2>err2 | sort -u >periods
[[ $(<periods) =~ ^\ *50000\ *$ ]] || { cp periods out; complain "--max-cpu 0: other periods"; }
record --max-cpu 101 true
is 129 '^Error: --max-cpu is a share' '--max-cpu 101'
exit $failed
