#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Call chains through code that a program made itself: right and whole, unwound while recording and
# afterwards, with the names that jit-PID.dump has, or /tmp/perf-PID.map; with the descriptions of frames
# that the dump has, whether the times of both are the same, or the map of the dump shows what they
# have to do with each other.
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

# remove_map: what the program has left in /tmp
remove_map()
{
	"$XPERF" script --no-inline -i data.jit -F pid,ip,dso >out 2>err
	rm -f "/tmp/perf-$(awk '/^ *[0-9]+/ && !/^\t/ { print $1; exit }' out).map"
}

truth_build jit "${CC:-cc}" "-O2 -fomit-frame-pointer" "" || skip "$(tail -n 1 log)"
build_judge || skip "no judge"
clock=()
for mode in "" ,raw mono mono,raw "map " "map ,raw"; do
	unset TRUTH_PERF_MAP
	[[ $mode != map* ]] || export TRUTH_PERF_MAP=1
	[[ $mode != mono* ]] || clock=(-k mono)
	[[ $mode == mono* ]] || clock=()
	raw=${mode#mono}
	# Where the recorder had no time for what the program did, once more.
	for _ in {1..5}; do
		truth_record jit -e page-faults:u -c 1 -d "${clock[@]}" --call-graph "dwarf${raw#map }" -- jit ||
			complain "$mode: cannot be recorded: $(tail -n 1 log)"
		grep -q '^Lost:' log || break
		[[ $mode != map* ]] || remove_map
	done
	truth_judge jit -s 16384 -v >out 2>err || complain "$mode: not all chains are right"
	"$XPERF" script --no-inline -i data.jit -F ip,sym >script 2>err
	if [[ $mode == map* ]]; then
		remove_map
		grep -q '(/tmp/perf-[0-9]*\.map)$' out || complain "$mode: no frame is in code that was made"
	fi
	cp script out
	shows under_made made_calls calls_made group_jit run main
	shows under_made made_calls between_made made_calls calls_made group_jit run main
	shows made_touches in_made group_jit run main
	[[ $mode != map* ]] || continue
	# The code itself, with the access that has caused the page fault
	if "$XPERF" check -q feature libcapstone; then
		"$XPERF" annotate -q -i data.jit -s made_touches >out 2>err
		grep -qE '^ *[1-9][0-9.]+ : .*\(' out || complain "$mode: made code is not shown: $(cat err)"
	fi
	# By the frames that the dump describes, before and after the code is replaced, and moved.
	above="without_frame_pointers group_jit run main"
	shows under_made made_small calls_made "$above"
	shows under_made made_small between_made made_small calls_made "$above"
	shows under_made made_large between_made made_large calls_made "$above"
done
exit $failed
