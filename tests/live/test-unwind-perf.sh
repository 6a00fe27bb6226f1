#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Call chains of raw stacks are those that perf 6.1, or 7.2, computes from the same recordings, or longer, or
# they reach the thread's first function where perf loses its way or leaves out callers. At most two of
# a thousand differ otherwise than in the cases below. TRUTH_SCRIPT names another program
# to compare with perf, TRUTH_VERBOSE=1 prints each chain that is not the same.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
. "$SOURCE_DIR/tests/live/perf.sh"
. "$SOURCE_DIR/tests/truth/truth.sh"
. "$SOURCE_DIR/tests/truth/programs.sh"
need_record
need_perf 6.1 7.2
export HOME=$dir
need_unwinding
"${CC:-cc}" -O1 -D_GNU_SOURCE -o compare "$truth/compare.c" 2>log || skip "$(head -n 1 log)"

# perf has no frames of earlier samples. Chains of both go on until the first function.
alone=(--no-join)
[[ $("$TRUTH_SCRIPT" version 2>/dev/null) != "perf version"* ]] || alone=()
whole=(--max-stack 2000)

# Lines of compare.c that may be, each after its reason.
cases=('^$')

# compared NAME FILE OPTIONS...: one line, and what is not the same and no case
compared()
{
	local name=$1 file=$2 rest

	shift 2
	"$TRUTH_SCRIPT" script --no-inline "${alone[@]}" "${whole[@]}" -f -i "$file" "$@" -F tid,time,ip,sym,dso >ours 2>log || {
		complain "$name: $(tail -n 1 log)"
		return
	}
	perf script --no-inline "${whole[@]}" -f -i "$file" "$@" -F tid,time,ip,sym,dso >theirs 2>/dev/null
	./compare ${TRUTH_VERBOSE:+-v} ours theirs >compared
	rest=$(grep '^at ' compared | grep -v -E -f <(printf '%s\n' "${cases[@]}"))
	awk -v name="$name" -v rest="$rest" 'NF == 2 { of[$1] = $2 }
		END {
			total = of["same"] + of["longer"] + of["shorter"] + of["unknown"] + of["different"]
			perf_worse = of["skipped"] + of["lost"]
			total += perf_worse
			printf "%s: %d samples, %d as of perf, %d longer, %d whole where perf is not, %d shorter (%d more without files), %d different\n",
				name, total, of["same"], of["longer"], perf_worse, of["shorter"], of["unknown"], of["different"]
			if (rest != "")
				print rest
			if (!total)
				exit 2
			# perf guesses where no file describes the code.
			right = of["same"] + of["longer"] + perf_worse + of["unknown"]
			exit of["missing"] > 0 || right < 0.995 * total || (of["different"] > 0.002 * total && rest != "")
		}' compared
	case $? in
	0) nr=$((nr + 1)) ;;
	2) echo "$name: not tried: no samples" ;;
	*) failed=1 ;;
	esac
	[[ ! ${TRUTH_VERBOSE-} ]] || cat compared
}

# recorded NAME COMMAND...
recorded()
{
	local name=$1

	shift
	command -v "$1" >/dev/null || { echo "$name: not tried: no $1"; return; }
	"$XPERF" record -q -e cpu-clock:u -F 499 -m 8M --call-graph dwarf,32768,raw -o data "$@" >out 2>log ||
		{ echo "$name: not tried: $(tail -n 1 log)"; return; }
	compared "$name" data
	rm -f data
}

write_programs 400 150
nr=0
recorded "clang, C++" clang++ -O2 -c work.cpp
recorded "gcc, C++" g++ -O2 -c work.cpp
recorded "Python" python3 work.py
recorded "Node" node work.js
# shellcheck disable=SC2043
for file in local61-pipe-dwarf; do
	[[ -e ${XPERF_CORPUS:-}/files/$file ]] || continue
	compared "$file" "$XPERF_CORPUS/files/$file" --symfs "$XPERF_CORPUS/symfs"
done
((nr)) || ((failed)) || skip "nothing was compared"
exit $failed
