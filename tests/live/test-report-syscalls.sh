#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `record --syscalls` and `report --syscalls`: the calls of a program whose number is known; what the
# kernel is to leave out; and the numbers that perf has of the same recording.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"
need_tracefs
"$XPERF" check -q feature libtraceevent || skip "built without libtraceevent"
case $(uname -m) in
x86_64 | aarch64 | i?86) ;;
*) skip "names of system calls are not known of $(uname -m)" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C HOME=$work PERF_CONFIG=/dev/null PAGER=
failed=0

complain()
{
	echo "$1"
	head -n 30 out err
	failed=1
}

# calls NAME FILE...: how often it was called, and returned
calls()
{
	"$XPERF" report -q --syscalls --total -i "$2" 2>err | awk -v name="$1" '$NF == name { print $3, $4 }'
}

# lossless FILE: whether the machine has let us record everything
lossless() { "$XPERF" report --syscalls --json -i "$1" | grep '"lost_samples": 0, "lost_records": 0' >/dev/null; }

# 300 writes of one byte; what dd reports is written with one more, or a few.
work_load() { dd if=/dev/zero of=/dev/null bs=1 count=300 2>/dev/null; }
export -f work_load

"$XPERF" record --syscalls=write,read -o named bash -c work_load >out 2>err || { cat err; skip "system calls cannot be recorded here"; }
grep -q 'next: xperf report --syscalls -i named' err || complain "the command that comes next is not named"
if lossless named; then
	read -r nr errors < <(calls write named) || true
	((nr >= 300 && nr <= 310 && errors == 0)) || complain "300 writes, and a few: $nr, $errors errors"
	read -r nr _ < <(calls read named) || true
	((nr >= 300 && nr <= 340)) || complain "300 reads, and those of starting: $nr"
fi
"$XPERF" report -q --syscalls --total -i named >out 2>err
[[ $(awk '{ print $NF }' out | sort) == $'read\nwrite' ]] || complain "other calls are recorded"

# Another event of the same tracepoint changes no number.
"$XPERF" record -q --syscalls=write -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -o twice bash -c work_load 2>err
if lossless twice; then
	read -r nr errors < <(calls write twice) || true
	((nr >= 300 && nr <= 310 && errors == 0)) || complain "300 writes, recorded twice, and a few: $nr, $errors errors"
fi

# All of them; none of the recorder's own.
"$XPERF" record -q -a --syscalls -o all bash -c work_load 2>err &
recorder=$!
wait "$recorder" || complain "the whole machine cannot be recorded"
"$XPERF" report -q --syscalls --pid "$recorder" -i all >out 2>err
[[ ! -s out ]] || complain "the recorder's own calls are recorded"
"$XPERF" report -q --syscalls -i all >out 2>err
for name in openat mmap execve; do
	! lossless all || grep -q " $name .* dd/" out || complain "dd has not called $name"
done
"$XPERF" report -q --syscalls --comm dd -i all >out 2>err
[[ $(sed 's|.* \([^ ]*\)/[0-9]*$|\1|' out | sort -u) == dd ]] || complain "--comm dd shows others"

# One stack for each call, where it is entered.
"$XPERF" record -q -g --call-graph fp --syscalls=write -o chains bash -c work_load 2>err
"$XPERF" script -F event,ip,sym -i chains >out 2>err
awk '/raw_syscalls/ { event = $1; next } NF { frames[event]++ }
	END { exit !(frames["raw_syscalls:sys_enter:"] && !frames["raw_syscalls:sys_exit:"]) }' out ||
	complain "call chains are not those of entries"

"$XPERF" record --syscalls=wriet true 2>err && complain "a call that does not exist"
grep -q "Did you mean 'write'" err || complain "the nearest name is not offered"

# perf's numbers of the same file. Tasks of the command only: what others are in the middle of is guessed by perf.
"$XPERF" record -q --syscalls -o own bash -c work_load 2>err || complain "a command cannot be recorded"
if command -v perf >/dev/null && command -v python3 >/dev/null && [[ $(uname -m) == x86_64 ]] &&
	lossless own && perf trace -s -i own >perf.txt 2>&1; then
	"$XPERF" report --syscalls --json -i own >out 2>err
	python3 "${BASH_SOURCE[0]%/*}/compare-syscalls.py" out perf.txt || failed=1
fi
exit "$failed"
