#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a program to a picture in one command: what is drawn is the recording that was made, and the
# exit status is that of the program.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
scenarios=$scratch
unset DISPLAY WAYLAND_DISPLAY SSH_CONNECTION BROWSER XDG_RUNTIME_DIR
cd "$scratch" || exit 1
printf '%s\n' "machine cpus=2" "pmu general=4" "program one" \
	"run 500ms sys=20 cycles=3_000_000 instructions=4_200_000 page-faults=2" "exit 7" >now.sim

# ended STATUS WHAT
ended()
{
	[[ $status == "$1" ]] || complain "$2: exit status $status, not $1"
}

sim now record -e cycles -c 1000000 --flamegraph one.svg one
ended 7 '--flamegraph'
grep -q "^The flame graph is in 'one.svg'" err || complain 'it is not said where the flame graph is'
[[ ! -s out ]] || complain '--flamegraph: something is on standard output'
mv one.svg recorded.svg
sim now flamegraph -o one.svg
cmp recorded.svg one.svg || complain '--flamegraph: not the picture that xperf flamegraph draws'
grep -q '1,500,000,000 cycles, 100.00%' one.svg ||
	complain '--flamegraph: not all samples are in it'

# Into a pipe goes what the program prints, not the recording.
rm -f perf.data one.svg
XPERF_SIM=now.sim "$XPERFSIM" record -q -e cycles -c 1000000 --flamegraph one.svg one 2>err | cat >out
[[ -s perf.data && -s one.svg && ! -s out && ! -s err ]] || complain '--flamegraph into a pipe, -q'
sim now record -q -e cycles -c 1000000 --flamegraph - one
ended 7 '--flamegraph -'
mv out one.svg
sim now flamegraph -o -
cmp out one.svg || complain '--flamegraph -: another picture'

# Where nothing can be drawn, nothing is recorded.
rm perf.data
mkdir directory
ln -s nothing dangling
for name in /nonexistent/one.svg directory one.svg/two.svg /dev/full/one.svg; do
	[[ $name != one.svg/* ]] || touch one.svg
	sim now record -q -e cycles -c 1000000 --flamegraph "$name" one
	ended 255 "--flamegraph $name"
	grep -q "^Error: '$name' cannot be written" err || complain "--flamegraph $name: $(<err)"
	[[ ! -e perf.data ]] || complain "--flamegraph $name: it was recorded"
done
for name in one.svg dangling; do
	sim now record -q -e cycles -c 1000000 --flamegraph "$name" one
	ended 7 "--flamegraph $name"
	grep -q '</svg>' "$name" || complain "--flamegraph $name: there is no picture"
done
# What cannot be drawn later fails, unless the program has; the recording is there.
sim now record -q -e cycles -c 1000000 --flamegraph /dev/full one
ended 7 'a picture that cannot be written'
grep -q "^Error: '/dev/full' cannot be written" err && [[ -s perf.data ]] ||
	complain 'a picture that cannot be written'
sed -i '/^exit/d' now.sim
sim now record -q -e cycles -c 1000000 --flamegraph /dev/full one
ended 255 'a picture that cannot be written, of a program that succeeds'
sim now record -q -e cycles -c 1000000 --flamegraph one.svg one
ended 0 'a program that succeeds'
rm one.svg
sim now record --dry-run -e cycles --flamegraph one.svg one
ended 0 '--dry-run'
[[ ! -e one.svg ]] || complain '--dry-run: a picture was drawn'
sim now record -e cycles --flamegraph one.svg nosuch
ended 127 'no program'
[[ ! -e one.svg ]] || complain 'no program: a picture was drawn'

# --open opens the report of this recording.
printf '#!/bin/sh\ncp "$1" opened.html\n' >browser
chmod +x browser
export DISPLAY=:0 BROWSER=$scratch/browser XDG_RUNTIME_DIR=$scratch
printf 'exit 7\n' >>now.sim
sim now record -e cycles -c 1000000 --open one
ended 7 '--open'
[[ ! -s out ]] || complain '--open: something is on standard output'
sim now view --no-open -o report.html
cmp opened.html report.html || complain '--open: not the report that xperf view makes'
# Large counts in it are read easily.
sed -n 's/.*id="data-head"[^>]*>\([^<]*\)<.*/\1/p' report.html | base64 -d >report.head
gunzip <report.head >head.json 2>/dev/null || cp report.head head.json
for words in '"line": *"1,500 samples, nothing lost' '"cycles[^"]*", *"1,500 samples"'; do
	grep -qE "$words" head.json || complain "no $words in the report: $(head -c 300 head.json)"
done
exit $failed
