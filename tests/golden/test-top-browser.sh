#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `top` on a terminal: rows of what runs appear and are browsed while they change, in two sizes; a
# hostile name stays harmless; and however it ends, neither it nor its recorder stays behind.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
export work=$dir
have() { "$XPERF" check -q feature "$1"; }
. "$SOURCE_DIR/tests/golden/terminal.sh"

# A program that is in leaf() until the test ends it, and leaves the others time, under a name that a terminal
# could obey.
hostile=$'x\e]0;t\a\e[31m'
ln -s "$XPERF" "$hostile"
nice -n 5 "./$hostile" test -w leafloop 600 &
busy=$!
trap 'close_terminal; kill "$busy" 2>/dev/null; cd /; rm -rf "$dir"' EXIT

fail() { echo "FAIL: $*"; failed=1; }
top="'$XPERF' top -d 1 -p $busy -e cpu-clock:u"

# gone WHAT: of top, which the terminal runs, and its recorder, neither is left
gone()
{
	local pid

	for pid in $pids; do
		ended "$pid" || fail "$1: process $pid goes on"
	done
}
# note_processes PARENT: top below a shell, and its recorder
note_processes()
{
	local main
	main=$(pgrep -P "$1")
	pids="$main $(pgrep -P "$main")"
	[[ $pids == *[0-9]' '[0-9]* ]] || fail "there is no top with a recorder: '$pids'"
}

for locale in C.UTF-8 C; do
	open_terminal 80 24 "LC_ALL=$locale $top -s comm,dso,sym; :"
	wait_for 'leaf'
	wait_for 'x\\033\]0;t'
	wait_for 'h help'
	note_processes "$(<"$work/pid")"
	press '^Keys' h
	press 'h help' q
	press 'leaf' End Home
	press 'Only names with: _' /
	press 'names with: lea_' l e a
	press '  /lea' Enter
	press 'file xperf' d
	press 'command x' t
	press ' 0/0 .* no user space' U
	press ' 1/1$' Escape
	mux resize-window -x 200 -y 50
	wait_for 'leaf$'
	press 'Keys' h
	press 'h help' q
	mux resize-window -x 80 -y 24
	wait_for 'leaf'
	mux send-keys q
	gone "q, $locale"
	! LC_ALL=C grep -qaP '\x1b\]0|\a|\x1b\[31m' "$work/raw" || fail "$locale: a name reaches the terminal as it is"
done

open_terminal 80 24 "$top; :"
wait_for 'leaf'
note_processes "$(<"$work/pid")"
mux send-keys C-c
gone '^C'

if have libcapstone && have libelf; then
	open_terminal 80 24 "$top -s sym; :"
	wait_for 'leaf'
	note_processes "$(<"$work/pid")"
	press '^ .*[0-9a-f]+: |jmp' a
	press 'h help' q
	mux send-keys q
	gone 'annotate'
fi

# In a shell: stopped and continued, and a terminal that goes away.
open_terminal 80 24 "PS1='ready> ' bash --norc --noprofile -i"
wait_for 'ready>'
press 'leaf' "$top" Enter
note_processes "$(<"$work/pid")"
press 'Stopped' C-z
press 'leaf.*|h help' 'fg' Enter
press 'ready> *$' q
gone '^Z, fg and q'
! screen | grep 'Collecting samples' >/dev/null || fail "what was shown before the browser stays on the line of the prompt"
press 'h help' "clear; $top" Enter
note_processes "$(<"$work/pid")"
mux kill-session
gone 'a terminal that goes away'

# refreshed: other samples are shown than before
refreshed()
{
	local before end=$((SECONDS + 300))

	before=$(screen | head -1)
	while [[ $(screen | head -1) == "$before" ]]; do
		((SECONDS < end)) || fail "rows are not refreshed after '$before'"
		((SECONDS < end)) || return
	done
}

# What is unfolded stays so while rows are refreshed, and the cursor on its line.
open_terminal 200 24 "$top -s sym --call-graph fp --no-children; :"
wait_for 'leaf'
press '^- .*leaf' e
press 'h help  q quit  2/' Down
for _ in 1 2; do
	refreshed
	wait_for 'h help'
	screen | grep '^- .*leaf' >/dev/null || fail 'a row folds at a refresh'
	screen | grep 'h help  q quit  2/[0-9]*' >/dev/null || fail 'the cursor leaves its line'
done
press '^[+] .*leaf' c
refreshed
screen | grep '^[+] .*leaf' >/dev/null || fail 'a folded row unfolds at a refresh'
mux send-keys q

# Its process ends: what it was stays to be looked at, with its call chains.
open_terminal 200 24 "$top --call-graph fp --no-children; echo the end; read -r _"
wait_for 'leaf'
kill "$busy"
wait_for 'What was recorded has ended'
press '^- .*leaf' Enter
press 'the end' q

"$XPERF" test -w leafloop 600 &
busy=$!
top="'$XPERF' top -d 1 --refreshes 2 -p $busy -e cpu-clock:u"
for command in "TERM=dumb $top" "$top --stdio" "$top | cat"; do
	open_terminal 200 50 "$command; echo the end; read -r _"
	wait_for '^the end'
	screen | grep -E 'leaf|^# No samples yet' >/dev/null || fail "$command prints no rows"
	! screen | grep 'h help' >/dev/null || fail "$command opens the browser"
done
exit "$failed"
