#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Call chains through code that a program made itself: whole, unwound while recording and afterwards,
# with the names that jit-PID.dump has, or /tmp/perf-PID.map. That their addresses are right is
# live/unwind-truth.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
. "$SOURCE_DIR/tests/truth/truth.sh"
need_record
need_unwinding

# shows CHAIN...: a sample has these functions, one called by the next
shows()
{
	awk -v wanted="$*" '/^\t/ { chain = chain " " $2; next }
		{ found += index(chain " ", " " wanted " ") > 0; chain = "" }
		END { exit !(found + (index(chain " ", " " wanted " ") > 0)) }' script ||
		complain "${mode:-unwound while recording}: no chain has $*"
}

truth_build jit "${CC:-cc}" "-O2 -fomit-frame-pointer" "" || skip "$(tail -n 1 log)"
for mode in "" ,raw "map " "map ,raw"; do
	unset TRUTH_PERF_MAP
	[[ $mode != map* ]] || export TRUTH_PERF_MAP=1
	truth_record jit -e page-faults:u -c 1 -d --call-graph "dwarf${mode#map }" -- jit ||
		complain "$mode: cannot be recorded: $(tail -n 1 log)"
	"$XPERF" script --no-inline -i data.jit -F ip,sym >script 2>err
	if [[ $mode == map* ]]; then
		"$XPERF" script --no-inline -i data.jit -F pid,ip,dso >out 2>err
		rm -f "/tmp/perf-$(awk '/^ *[0-9]+/ && !/^\t/ { print $1; exit }' out).map"
		grep -q '(/tmp/perf-[0-9]*\.map)$' out || complain "$mode: no frame is in code that was made"
	fi
	cp script out
	shows under_made made_calls calls_made group_jit run main
	shows under_made made_calls between_made made_calls calls_made group_jit run main
	shows made_touches in_made group_jit run main
done
exit $failed
