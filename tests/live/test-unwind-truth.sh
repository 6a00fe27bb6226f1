#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that know their call chains (tests/truth/), built in many ways, are recorded with copies of
# the stack, which are unwound while recording, and afterwards. No chain has a frame that was not there,
# and where the copy reaches, chains are whole.
# TRUTH_RECORD and TRUTH_SCRIPT name other programs to judge, such as perf; TRUTH_ROWS rows of the
# table (a regular expression); TRUTH_VERBOSE=1 prints each chain that is not right;
# TRUTH_BUILT a folder with a folder for each row, and one "probe", if there is no compiler here.
# A build with sanitizers, which takes ten times as long, tries one row of each kind of file.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
. "$SOURCE_DIR/tests/truth/truth.sh"
need_record
export HOME=$dir
if grep -qs '^XPERF_SANITIZE:BOOL=ON' "${BUILD_DIR-}/CMakeCache.txt"; then
	: "${TRUTH_ROWS:=gcc-O2|clang-O2|static-pie|stripped|no-hdr|debug-.*|memfd|gone}"
fi
[[ ${TRUTH_BUILT-} ]] || command -v nm >/dev/null || skip "no nm"
build_judge 2>log || skip "$(head -n 1 log)"

# Each sample has 64 KiB, and they come as fast as the program makes them.
small_ring=0
"$XPERF" record -q -e page-faults:u -m 64M -o probe true 2>err || small_ring=1
rm -f probe
ring=(-m 64M)
((!small_ring)) || ring=()

need_unwinding

# Unwound afterwards, and while recording.
modes=(",raw" "")
[[ $("$TRUTH_RECORD" version 2>/dev/null) != "perf version"* ]] || modes=("")
judge=()
[[ ! ${TRUTH_VERBOSE-} ]] || judge=(-v)
nr=0

# may_be_short: what is gone cannot be read afterwards, what is in no directory only while its process lives
may_be_short()
{
	has memfd || { has gone && [[ ${mode-} == ,raw || ${#modes[@]} == 1 ]]; }
}

# judged NAME SUFFIX OPTIONS...: one line, and the points that are not right
judged()
{
	local name=$1 suffix=$2 status=0 right short wrong none

	shift 2
	truth_judge "$suffix" "${judge[@]}" "$@" >verdict || status=$?
	if ((status > 2)); then
		complain "$name: cannot be judged: $(tail -n 1 log)"
		return
	fi
	read -r _ _ right short wrong none < <(tail -n 1 verdict)
	echo "$name: $right right, $short short, $wrong wrong, $none not judged"
	[[ ! ${TRUTH_VERBOSE-} ]] || sed -n '/^ .* right short/q; p' verdict
	may_be_short || awk '/right +short +wrong/ { table = 1; next }
		table && !/^all / && ($(NF - 1) > 0 || $(NF - 2) > 0) { print "    " $0 }' verdict
	((wrong == 0 && right + short > 0)) || failed=1
	((short == 0)) || may_be_short || failed=1
	((none == 0 || small_ring)) || [[ $suffix == clock ]] || failed=1
	nr=$((nr + 1))
}

# recorded NAME SUFFIX OPTIONS... -- GROUPS...: fails if not; once more if the disk could not follow
recorded()
{
	local name=$1

	shift
	for _ in 1 2 3; do
		if ! truth_record "$@"; then
			complain "$name: cannot be recorded: $(tail -n 1 log)"
			return 1
		fi
		grep -q '^Lost:' log || return 0
	done
	echo "$name: not tried: $(grep '^Lost:' log)"
	return 1
}

# try_row NAME COMPILER FLAGS LINK_FLAGS: in each mode
try_row()
{
	local name=$1 compiler=$2 groups run mode

	truth_build "$@" || {
		if [[ ! ${TRUTH_BUILT-} ]] && ! command -v "$compiler" >/dev/null; then
			echo "$name: not tried: no $compiler"
		else
			echo "$name: not tried: it cannot be built: $(grep -m 1 -iE 'error|cannot' log)"
		fi
		return
	}
	for mode in "${modes[@]}"; do
		while read -r groups; do
			! has gone || [[ -e truth ]] || mv away truth
			run="$name, ${groups/"$common_groups"/common}${mode/,/, }"
			# shellcheck disable=SC2086 # words
			recorded "$run" points -e page-faults:u -c 1 -d "${ring[@]}" \
				--call-graph "dwarf,65528$mode" -- $groups || continue
			! has gone || mv truth away
			judged "$run" points
		done < <(truth_runs)
		if has clock && TRUTH_SPIN=${TRUTH_SPIN:-1000000} recorded "$name, clock${mode/,/, }" clock \
			-e cpu-clock:u -F 5000 -d "${ring[@]}" --call-graph "dwarf,16384$mode" -- hot; then
			judged "$name, clock${mode/,/, }" clock -s 16384 -c
		fi
	done
	rm -f data.* script
}

each_truth_row try_row
((nr)) || skip "no program could be built"
exit $failed
