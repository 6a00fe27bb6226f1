#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Several xperf that count the same by BPF read the same events, whoever has opened them, and count
# what ordinary counting gives; also when the one that opened them is killed.
set -uo pipefail
# shellcheck source=tests/live/bpf.sh
. "${SOURCE_DIR:?}/tests/live/bpf.sh"
own_folder
need_bpf
cpus=$(getconf _NPROCESSORS_ONLN)
why=$(./work can-share) || skip "events cannot be shared here: $why"

# count NAME EVENTS: counts a command that works, says so, and works on when it is told to
count()
{
	local name=$1

	mkfifo "$name.worked" "$name.go"
	# shellcheck disable=SC2016
	"$XPERF" stat -x, -o "$name" -e "$2" sh -c './work 0; echo >"$0.worked"; read -r _ <"$0.go"; ./work 1' "$name" &
	started+=("$!")
	read -r _ <"$name.worked"
}

# shares A B NR: so many of the events of two xperf are on all CPUs the same
shares()
{
	local nr

	nr=$(./work shared "${started[$1]}" "${started[$2]}")
	((nr == $3 * cpus)) || fail "$nr descriptors of one event each, instead of $3 on $cpus CPUs"
}

# ended NAME PROCESS
ended()
{
	echo >"$1.go"
	wait "${started[$2]}" || fail "$1: status $?"
}

# What the kernel passes over, so that no other xperf counts these events.
own=config1=$$
faults="page-faults/$own,name=page-faults:b/b" clock="task-clock/$own,name=task-clock:b/b"
count first "$faults,$clock"
count second "page-faults,$faults,task-clock,$clock"
count third "{$faults,$clock}"
count fourth "cpu-clock/$own/b,$faults"
shares 0 1 2
shares 0 2 0 # a group counts while it is together on the CPU
shares 0 3 1
shares 1 3 1

# The others count on, and what comes now shares with them.
child=$(pgrep -P "${started[0]}")
kill -9 "${started[0]}"
wait "${started[0]}" 2>/dev/null
# shellcheck disable=SC2086 # there may be none
kill -9 $child 2>/dev/null
count fifth "$faults,$clock"
shares 1 4 2
ended second 1
alike second || fail "beside ordinary counting"
at_least second page-faults:b "" 17000 || fail "the second"
ended third 2
at_least third page-faults:b "" 17000 || fail "the third"
ended fourth 3
at_least fourth page-faults:b "" 17000 || fail "the fourth"
ended fifth 4
at_least fifth page-faults:b "" 17000 || fail "the fifth"
exit $failed
