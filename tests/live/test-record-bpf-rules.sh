#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --bpf: call chains that the kernel makes by rules, of programs without frame pointers that know
# their call chains (tests/truth/). None has a frame that was not there. How many are complete depends
# on when rules are there, so only that there are some is tried, several times.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
. "$SOURCE_DIR/tests/truth/truth.sh"
export HOME=$dir TRUTH_SPIN=${TRUTH_SPIN:-200000}
[[ $(uname -m) == x86_64 ]] || skip "rules are those of x86-64"
command -v nm >/dev/null || skip "no nm"
build_judge 2>log || skip "$(head -n 1 log)"
"$XPERF" record -e cpu-clock:u --bpf -o probe true >out 2>err </dev/null ||
	skip "no BPF program sees samples here: $(grep -v '^Note' err | head -n 1)"
! grep '^Note: callers are found by frame pointers' err >why || skip "$(head -n 1 why)"
what=
truth_build probe "${CC:-cc}" "-O2 -fomit-frame-pointer" "" || skip "no compiler: $(tail -n 1 log)"
judged=0

# Of a hundred chains so many have to be complete in one of five tries. All are, but those before the kernel has the
# rules, which is soon on an idle machine: 12 to 16 of some 18 are complete there.
share=50

# judge_row NAME COMPILER FLAGS LINK_FLAGS
judge_row()
{
	local right short wrong most=0

	truth_build "$@" || return 0
	for _ in 1 2 3 4 5; do
		if ! truth_record clock -e cpu-clock:u -F 2000 --bpf -- hot; then
			cp log err
			complain "$1: cannot be recorded"
			return
		fi
		# There are no addresses of data in sums.
		"$XPERF" script -i data.clock --max-stack 2000 -F tid,ip,dso 2>log |
			sed -E 's/^ *([0-9]+) *$/\1 0/' >script
		./judge -s 16384 -c -v symbols points.clock <script >verdict
		read -r _ _ right short wrong _ < <(tail -n 1 verdict)
		echo "$1: $right right, $short short, $wrong wrong"
		if [[ $wrong != 0 ]]; then
			cp verdict out
			complain "$1: $wrong chains have frames that were not there"
			return
		fi
		((right == 0 || right * 100 < share * (right + short))) || { judged=$((judged + 1)); return; }
		((right <= most)) || most=$right
	done
	# Where there never was a rule in time, nothing was judged.
	((most == 0)) || complain "$1: fewer than $share % of the chains are complete in each of five tries"
}

TRUTH_ROWS=${TRUTH_ROWS:-'gcc-O2|clang-O2|stripped'}
each_truth_row judge_row

# By frame pointers where that was asked for.
"$XPERF" record -e cpu-clock:u --bpf --call-graph fp -o file true >out 2>err </dev/null ||
	complain "--bpf --call-graph fp fails"
! grep -q 'in code that no rule' err || complain "--call-graph fp uses rules"

# lose TIME: the recorder is held up while the workload maps code
lose()
{
	kill -STOP "$recorder"
	touch "map.$1"
	until [[ -e mapped.$1 || ! -e /proc/$recorder ]]; do sleep 0.01; done
	lost_at=$(cut -d' ' -f1 /proc/uptime)
	kill -CONT "$recorder"
	# The kernel tells of a loss with the next record on that CPU.
	touch "resumed.$1"
	until [[ -e told.$1 || ! -e /proc/$recorder ]]; do sleep 0.01; done
}

# loses FILE: leaves a recording behind that lost records of maps twice, one soon after the other, and
# $lost_at: the time after that
loses()
{
	rm -f spinning map.* mapped.* resumed.* told.*
	"$XPERF" record -e cpu-clock:u -F 1000 --bpf -m 1 -o "$1" -- sh -c './loss-work spin 8 &
		for i in 1 2; do
			until [ -e map.$i ]; do sleep 0.01; done; ./loss-work map 20000; touch mapped.$i
			until [ -e resumed.$i ]; do sleep 0.01; done
			for cpu in $0; do taskset -c "$cpu" true; done; touch told.$i
		done; wait' "$(seq -s " " 0 $(($(nproc) - 1)))" >out 2>err </dev/null &
	recorder=$!
	until [[ -e spinning || ! -e /proc/$recorder ]]; do sleep 0.01; done
	lose 1
	lose 2
	wait "$recorder" && grep -q '^Lost: .* records' err
}

# sampled FILE FUNCTION TIME: it is in a call chain of a sample after that time
sampled()
{
	"$XPERF" script -i "$1" --comm loss-work -F time,ip,sym 2>log | awk -v name="$2" -v after="$3" \
		'/^ *[0-9.]+:/ { time = $1 + 0 } $2 == name && time > after { n++ } END { exit !n }'
}

# Maps of processes are read from /proc where the kernel has lost records of them. When rules are there,
# and how long a process runs after the loss, is chance.
"${CC:-cc}" -O2 -fomit-frame-pointer -o loss-work "$SOURCE_DIR/tests/live/loss-work.c" 2>log ||
	skip "no compiler: $(tail -n 1 log)"
lost=0 found=0
for _ in 1 2 3 4 5; do
	loses lost.data && sampled lost.data _start 0 && sampled lost.data inner $((${lost_at%.*} + 2)) || continue
	lost=1
	sampled lost.data _start $((${lost_at%.*} + 2)) && { found=1; break; }
done
((!lost || found)) || complain "no call chain is complete that was made after a loss"
# What helps chains by frame pointers would not help these.
"$XPERF" report -i lost.data >out 2>err
! grep -q 'call-graph dwarf' out err || complain "report advises to copy stacks"

((failed)) || ((judged)) || skip "no rules were there in time"
exit "$failed"
