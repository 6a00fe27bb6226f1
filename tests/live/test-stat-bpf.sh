#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What BPF counts of commands, processes and threads is what ordinary counting of the same tasks
# gives, with what they start; rows are those of ordinary counting; nothing stays in the kernel.
set -uo pipefail
# shellcheck source=tests/live/bpf.sh
. "${SOURCE_DIR:?}/tests/live/bpf.sh"
own_folder
need_bpf

# --- commands: counted from exec on, with threads, children, programs that these execute ---
"$XPERF" stat -x, -o command -e "$pairs" ./work 1 || fail "status $?"
alike command || fail "a command"
at_least command page-faults:b "" 15000 || fail "a command"
"$XPERF" stat -x, -o alone -i -e "$pairs" ./work 1 || fail "status $?"
alike alone || fail "a command without what it starts"
"$XPERF" stat -x, -o group -e '{page-faults,context-switches}' --bpf-counters ./work 0 || fail "status $?"
at_least group page-faults "" 2000 || fail "a group"
"$XPERF" stat -r 2 -x, -o repeated -e page-faults --bpf-counters ./work 0 || fail "status $?"
at_least repeated page-faults "" 2000 || fail "a repeated command"

# --- processes and threads that run already ---
for option in -p -t; do
	mkfifo "go$option"
	./work wait <"go$option" &
	task=$!
	exec {go}>"go$option"
	mkfifo "control$option" "ack$option"
	"$XPERF" stat -x, -o "task$option" -e "$pairs" "$option" "$task" \
		--control "fifo:control$option,ack$option" -D -1 2>errors {go}>&- &
	counter=$!
	started+=("$counter")
	exec {commands}<>"control$option" {answers}<>"ack$option"
	echo enable >&$commands
	read -r -t 120 _ <&$answers || fail "$option: no answer: $(<errors)"
	exec {go}>&-
	wait "$task"
	wait "$counter" || fail "$option: status $?: $(<errors)"
	exec {commands}>&- {answers}>&-
	alike "task$option" || fail "$option"
	at_least "task$option" page-faults:b "" 15000 || fail "$option"
done

# --- all threads of a process that runs already, as one row and as rows of their own ---
for rows in "" --per-thread; do
	rm -f go ready control ack
	mkfifo go ready control ack
	./work threads <go >ready &
	task=$!
	exec {go}>go
	read -r _ <ready
	# shellcheck disable=SC2086 # words
	"$XPERF" stat -x, -o threads -e page-faults --bpf-counters $rows -p "$task" \
		--control fifo:control,ack -D -1 2>errors {go}>&- &
	counter=$!
	started+=("$counter")
	exec {commands}<>control {answers}<>ack
	echo enable >&$commands
	read -r -t 120 _ <&$answers || fail "-p $rows: no answer: $(<errors)"
	exec {go}>&-
	wait "$task"
	wait "$counter" || fail "-p $rows: status $?: $(<errors)"
	exec {commands}>&- {answers}>&-
	awk -F, -v rows="$rows" '
		{ n = rows ? $2 : $1; sum += n; counted += n >= 1000 }
		END { exit !(sum >= 6000 && (rows == "" || counted >= 3)) }' threads || fail "-p $rows: $(<threads)"
done

# --- formats: the same lines with other numbers ---
plain()
{
	sed -E -e 's/[0-9]+(\.[0-9]+)?/N/g' -e 's/[KMG]?\/sec/\/sec/g' -e 's/ \(N%\)//' -e '/^(#|$)/d' -e 's/ +/ /g' "$1"
}
for format in "" "-x," -j "-a -A -x,"; do
	# shellcheck disable=SC2086
	{
		"$XPERF" stat $format -o ordinary -e page-faults,cs ./work 0
		"$XPERF" stat $format -o bpf --bpf-counters -e page-faults,cs ./work 0
	}
	diff <(plain ordinary) <(plain bpf) || fail "stat $format: other lines"
done

# --- nothing stays ---
for signal in INT KILL; do
	mkfifo "ready$signal"
	# shellcheck disable=SC2016
	"$XPERF" stat -o ended --bpf-counters -e page-faults sh -c 'echo >"$1"; exec sleep 100000' - "ready$signal" &
	counter=$!
	started+=("$counter")
	read -r _ <"ready$signal"
	sleeper=$(pgrep -P "$counter" -x sleep || pgrep -P "$counter")
	[[ ! $sleeper ]] || started+=("$sleeper")
	mapfile -t ids < <(programs_of "$counter")
	((${#ids[@]})) || fail "no BPF program of xperf is found in /proc"
	[[ $(./work alive "${ids[@]}") ]] || fail "its programs are not in the kernel"
	kill "-$signal" "$counter"
	wait "$counter" 2>/dev/null
	[[ ! $sleeper ]] || kill -9 "$sleeper" 2>/dev/null
	gone "${ids[@]}" || fail "after SIG$signal programs stay: $(./work alive "${ids[@]}")"
done
exit $failed
