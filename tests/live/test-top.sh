#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `top` as text: what runs is shown, it ends when it is told to or what it shows ends, and nothing of it
# stays behind.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record

# The workload runs until the test ends it, and leaves the others time.
nice -n 5 "$XPERF" test -w leafloop 600 &
work=$!
trap 'kill "$work" 2>/dev/null; rm -rf "$dir"' EXIT

# shows WHAT ARGUMENTS...: some refresh has the function, and top ends then
shows()
{
	local what=$1
	shift
	rm -f out
	"$XPERF" top --stdio -d 1 -p "$work" -e cpu-clock:u "$@" >out 2>err &
	pid=$!
	for ((i = 0; i < 1200; i++)); do
		grep -qs 'leaf' out && break
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -INT $pid
	finish
	[[ $status == 0 ]] || complain "$what: exit status $status"
	grep -Eq '^ +[0-9.]+%.* leaf' out || complain "$what: the function is not shown"
	grep -q "^# Samples: .* of event 'cpu-clock:u'$" out || complain "$what: the event is not shown"
}
shows 'a process'
shows 'call chains' --call-graph fp
grep -q -- '---' out || complain "call chains are not shown"
shows 'a sort key' -s sym -n
grep -q 'Samples  Symbol' out || complain "-s, -n: other columns"

# Which samples are counted: those of five seconds, or of one; at first there are fewer, and on a loaded
# machine the first refreshes may have none.
# wrong MOST: refreshes that say otherwise
wrong()
{
	grep -E '^# (Shown|No samples)' out | awk -v most="$1" \
		'/Shown/ { if ($0 !~ /of the last [0-9]+ s$/ || $7 > most || $7 < NR && $7 < most) print }'
}
"$XPERF" top --stdio -d 1 --refreshes 7 -p "$work" -e cpu-clock:u >out 2>err
[[ -z $(wrong 5) ]] || complain "seven refreshes show other samples"
grep -q '^# Shown: samples of the last 5 s$' out || complain 'the seventh refresh has not five seconds'
"$XPERF" top --stdio -z -d 1 --refreshes 3 -p "$work" -e cpu-clock:u >out 2>err
[[ -z $(wrong 1) ]] || complain "-z shows other samples"

# So many lines of rows, so many refreshes.
"$XPERF" top --stdio -d 1 --refreshes 3 -E 1 -p "$work" -e cpu-clock:u >out 2>err
status=$?
[[ $status == 0 && $(grep -c '^$' out) == 3 ]] || complain "--refreshes 3: exit status $status, or not three"
(($(grep -c '^ ' out) <= 3)) || complain "-E 1: more rows"

# Options that perf has, too, and those of the recorder.
for option in '-K' '-n' '-w 0,0' '--percentage relative' '--raw-trace' '--namespaces' '--all-cgroups' '--no-bpf-event' \
	'--num-thread-synthesize 2' '--overwrite' '--proc-map-timeout 500' '--group-sort-idx 0' '-i' '-m 16'; do
	# shellcheck disable=SC2086
	"$XPERF" top --stdio -d 1 --refreshes 1 -p "$work" -e cpu-clock:u $option >out 2>err
	status=$?
	[[ $status == 0 && ! -s err ]] || complain "$option: exit status $status"
done

# It ends with what it shows.
rm -f out
"$XPERF" top --stdio -d 1 -p "$work" -e cpu-clock:u >out 2>err &
pid=$!
until [[ -s out ]]; do kill -0 $pid || break; sleep 0.1; done
kill "$work"
finish
[[ $status == 0 ]] || complain "a process that ends: exit status $status"

"$XPERF" top --stdio -e nosuch >out 2>err
status=$?
is 129 "there is no event 'nosuch'" 'no such event'
"$XPERF" top nosuch >out 2>err
status=$?
is 129 "unexpected argument 'nosuch': .*-p shows a running process" 'an argument'
"$XPERF" top -- sleep 1 >out 2>err
status=$?
is 129 "unexpected argument 'sleep'" 'a command'
for option in '-f 5:percent-limit' '-D:symbols' '--hierarchy:tree' '--sym-annotate=leaf:press a' '--switch-on=x:record' '--stitch-lbr:branch'; do
	# shellcheck disable=SC2086
	"$XPERF" top ${option%:*} --stdio >out 2>err
	status=$?
	is 129 "${option#*:}" "$option"
done
exit $failed
