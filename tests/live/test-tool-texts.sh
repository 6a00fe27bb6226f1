#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What programs around perf look for in its output is there when perf is xperf: tests/data/tool-texts.tsv.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record

ln -s "$(realpath "$XPERF")" perf
printf '#!/bin/sh\ni=0; while [ $i -lt 200000 ]; do i=$((i+1)); done\n' >spin
chmod +x spin
"$XPERF" record -q -e cpu-clock:u -d -g -o FILE sh -c './spin; true' 2>err || skip "$(head -n 1 err)"
"$XPERF" record -q -e cpu-clock:u -o PLAIN ./spin 2>err

# told PROGRAM STREAM HAS PATTERN COMMAND...: whether the pattern is there, or is not
told()
{
	local program=$1 stream=$2 has=$3 pattern=$4 result
	shift 4
	"$program" "$@" >out 2>err </dev/null
	case $stream in
	out) cp out shown ;;
	err) cp err shown ;;
	all) cat out err >shown ;;
	esac
	grep -E -q -- "$pattern" shown
	result=$?
	[[ $has == has ]] && ((result == 0)) || { [[ $has == not ]] && ((result == 1)); }
}

real=$(PATH=${PATH//$PWD:/} command -v perf) || real=
rows=0
while IFS=$'\t' read -r programs stream has line pattern; do
	[[ $programs != '#'* ]] || continue
	read -ra command <<<"${line//true/$(command -v true)}"
	command=("${command[@]/#spin/./spin}")
	rows=$((rows + 1))
	told ./perf "$stream" "$has" "${pattern//\'true\'/\'$(command -v true)\'}" "${command[@]}" ||
		complain "$programs: not as they expect: perf $line: $pattern"
	[[ ! $real ]] || told "$real" "$stream" "$has" "${pattern//\'true\'/\'$(command -v true)\'}" "${command[@]}" ||
		echo "perf itself prints otherwise: $line: $pattern"
done <"$SOURCE_DIR/tests/data/tool-texts.tsv"
((rows > 30)) || complain "only $rows rows were tried"
exit $failed
