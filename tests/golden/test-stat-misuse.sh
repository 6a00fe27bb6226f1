#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What cannot be meant is said in one sentence, before anything runs.
set -uo pipefail
: "${XPERF:?}"
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# misuse SENTENCE ARGUMENTS...: status 129, the sentence on stderr, and the command was not run
misuse()
{
	local sentence=$1 status

	shift
	"$XPERF" stat "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	if [[ $status != 129 || -s $dir/out || -e $dir/ran ]] || ! grep -qF -- "$sentence" "$dir/err"; then
		echo "xperf stat $*: status $status, not 129 with '$sentence':"
		cat "$dir/out" "$dir/err"
		failed=1
	fi
	rm -f "$dir/ran"
}

ran=(touch "$dir/ran")
misuse "event syntax error: ''" -e '' "${ran[@]}"
misuse "event syntax error: 'nosuch'" -e nosuch "${ran[@]}"
misuse "event syntax error: 'cs,'" -e cs, "${ran[@]}"
misuse "-e: requires a value" -e
misuse "choose one" -x, -j "${ran[@]}"
misuse "choose one" -n -M Software "${ran[@]}"
misuse "choose one" -n --metric-only "${ran[@]}"
misuse "choose one" -g -M Software "${ran[@]}"
misuse "belongs to --topdown" --td-level 1 "${ran[@]}"
misuse "is 1 or 2" --topdown --td-level 3 "${ran[@]}"
misuse "less than 1" --topdown --td-level 0 "${ran[@]}"
misuse "cannot be undone" --no-metrics "${ran[@]}"
misuse "choose one" -n --control fd:0 "${ran[@]}"
misuse "--control: '3' is neither fd:" --control 3 "${ran[@]}"
misuse "choose one" -o "$dir/o" --log-fd 2 "${ran[@]}"
misuse "choose one" -a -A -p $$ "${ran[@]}"
misuse "processes or threads" -p $$ -t $$ "${ran[@]}"
misuse "need -a or -C" -A "${ran[@]}"
misuse "need -a or -C" --per-core "${ran[@]}"
misuse "needs -p, -t or -a" --per-thread "${ran[@]}"
misuse "-G: applies to the events of the preceding -e" -G / -e cs -a "${ran[@]}"
misuse "need -a or -C" -e cs -G / "${ran[@]}"
misuse "without -p and -t" -e cs --for-each-cgroup / -p $$ "${ran[@]}"
misuse "choose one" -e cs -a -G / --for-each-cgroup / "${ran[@]}"
misuse "choose one" -e cs -a -G / --per-thread "${ran[@]}"
misuse "exclude each other" --all-user --all-kernel "${ran[@]}"
misuse "needs a command" -r 3 -a
misuse "two or more runs" --table "${ran[@]}"
misuse "two or more runs" -r 1 --table "${ran[@]}"
misuse "0 or more" -r -1 "${ran[@]}"
misuse "'0x' is not a number" -r 0x "${ran[@]}"
misuse "'' is not a number" -r '' "${ran[@]}"
misuse "is less than 1" -I -5 "${ran[@]}"
misuse "out of range" -I 99999999999 "${ran[@]}"
misuse "needs a number of intervals, 1 or more, and -I" --interval-count 2 "${ran[@]}"
misuse "1 or more" --interval-count -2 -I 100 "${ran[@]}"
misuse "10 or more" --timeout 9 "${ran[@]}"
misuse "10 or more" --timeout -9 "${ran[@]}"
misuse "use --interval-count" --timeout 100 -I 10 "${ran[@]}"
misuse "0 or more, or -1" -D -2 "${ran[@]}"
misuse "the separator is empty" -x '' "${ran[@]}"
misuse "open descriptor" --log-fd -3 "${ran[@]}"
misuse "is not a list of CPUs" -C '' "${ran[@]}"
misuse "is not a list of CPUs" -C 1-0 "${ran[@]}"
misuse "is not a process id" -p 0 "${ran[@]}"
misuse "is not a thread id" -t 1,x "${ran[@]}"
misuse "is ambiguous" --per "${ran[@]}"
misuse "did you mean '--repeat'" --repaet 3 "${ran[@]}"
misuse "unknown option '-Z'" -Z "${ran[@]}"
misuse "there is none" --filter 'x == 1' -e cs "${ran[@]}"
misuse "there is none" --exclude-perf "${ran[@]}"
misuse "of the preceding -e, and it has none" -e cs --filter 'x == 1' "${ran[@]}"
misuse "of the preceding -e, and it has none" -e cs --exclude-perf "${ran[@]}"
misuse "cannot be undone" -e cs --no-filter "${ran[@]}"

# perf's own words in the command's place are not programs, unless -- says so.
misuse "unexpected argument 'touch'" report "${ran[@]}"
misuse "unexpected argument 'touch'" -e task-clock report "${ran[@]}"
misuse "of one run" -r 2 record "${ran[@]}"
for word in record report; do
	printf '#!/bin/sh\nexit 3\n' >"$dir/$word"
	chmod +x "$dir/$word"
	export PATH=$dir:$PATH
	"$XPERF" stat -n -- $word 2>/dev/null
	[[ $? == 3 ]] || { echo "stat -- $word: the program did not run"; failed=1; }
done
exit $failed
