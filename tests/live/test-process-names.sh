#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Processes are chosen by name, too; and who waits for children is told whom to record.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record

name=named$$
cat >wait.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void) { printf("%d\n", getpid()); fflush(stdout); pause(); return 0; }
END
"${CC:-cc}" -o "$name" wait.c || skip "nothing can be compiled"
# A parent of two, which say that they run.
mkfifo ready
sh -c "./$name >ready & ./$name >ready & exec sleep 1000" &
parent=$!
exec 3<ready
read -r one <&3
read -r two <&3
trap 'kill $parent $one $two 2>/dev/null; rm -rf "$dir"' EXIT

"$XPERF" stat -x, --per-thread -e page-faults:u -p "$name" -- true >out 2>err
for pid in $one $two; do
	grep -q "^$name-$pid," err || complain "-p NAME: process $pid is not counted"
done
[[ $(grep -c page-faults err) == 2 ]] || complain "-p NAME: other processes are counted, too"
"$XPERF" stat -x, --per-thread -e page-faults:u -p "$one,$name" -- true >out 2>err
[[ $(grep -c page-faults err) == 2 ]] || complain "-p PID,NAME: not two processes"
record -p "no$name" -- true
is 255 "^Error: There is no process named 'no$name'$" 'no process has the name'

until [[ $(<"/proc/$parent/comm") == sleep ]]; do sleep 0.01; done
record -p $parent -- true
grep -Eq -- "^No samples: .*-p $parent,($one,$two|$two,$one)$" err || complain "children that are not recorded are not named"
exit $failed
