#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `report` on a terminal while the recording is read: it comes through a FIFO that is held, so that
# nothing depends on how fast it is read. What ^C, q and signals do, and that the terminal is as it
# was before.
set -euo pipefail

files=$SOURCE_DIR/tests/data/perfdata/files golden=$SOURCE_DIR/tests/data/perfdata/report
. "$SOURCE_DIR/tests/golden/shown.sh"
. "$SOURCE_DIR/tests/golden/terminal.sh"
trap 'close_terminal; rm -rf "$work"' EXIT
mkdir "$work/in"
cd "$work/in"
ln -s "$files/../kallsyms" .
stream=$files/local61-pipe bytes=$(stat -L -c %s "$files/local61-pipe")
report="'$XPERF' report -f --symfs /nonexistent --kallsyms kallsyms -g none -s sym"

fail() { echo "FAIL: $*"; failed=1; }

# hold BYTES: that much of the stream is in the FIFO, and more may come
hold()
{
	rm -f fifo
	mkfifo fifo
	exec 7<>fifo
	head -c "$1" "$stream" >&7
}

# release: the rest comes, and the end
release()
{
	tail -c +"$(($1 + 1))" "$stream" >&7
	exec 7>&-
}

# A shell in whose foreground it runs.
open_terminal 80 24 "PS1='ready> ' bash --norc --noprofile -i"
wait_for 'ready>'
press 'ready to compare' 'stty -g >before; clear; echo ready to com""pare' Enter

# same_after WHAT STATUS: the terminal is as it was. What is typed before the shell asks for it may be
# lost with the screen of the browser.
same_after()
{
	wait_for '^ready> *$'
	press "after $1: ended with $2, same" "stty -g >after; cmp before after && echo \"after $1: ended with \$(<status), sa\"me" Enter
}

# begin: the browser reads what is in the FIFO
begin()
{
	press "$1" "clear; $report -i fifo; echo \$? >status" Enter
}

# --- nothing has come ---

hold 0
begin '^Opening .*Ctrl-C.*q quit'
press 'Error: stopped with Ctrl-C before anything was read' C-c
same_after 'no byte' 255
hold 0
begin '^Opening '
mux send-keys q
same_after 'q' 0

# --- while it is read ---

most=$((bytes * 3 / 4))
hold "$most"
begin '^Reading '
mux resize-window -x 60 -y 10
wait_for '^Reading '
mux resize-window -x 80 -y 24
press 'Stopped' C-z
same_after 'Ctrl-Z' 148
press '^Reading ' 'fg; echo $? >status' Enter
press 'Quality: reading was stopped with Ctrl-C after|^reading was stopped' C-c
wait_for 'h help'
screen | grep '[0-9]% ' >/dev/null || fail "after Ctrl-C there are no rows: $(screen)"
! screen | grep 'damage' >/dev/null || fail "after Ctrl-C there is damage: $(screen)"
press 'The recording' i
press 'h help' q
mux send-keys q
same_after 'stopped reading' 0

hold "$most"
begin '^Reading '
release "$most"
wait_for 'h help'
! screen | grep 'stopped' >/dev/null || fail "what was read to its end was stopped: $(screen)"
screen | grep -E '100.00% .*\[[.]\] \[[a-z]' >/dev/null || fail "the first row has not all samples, which are in no known function of a file: $(screen)"
mux send-keys q
same_after 'all of it' 0

hold "$most"
begin '^Reading '
mux send-keys q
same_after 'q while reading' 0

# What it dies of is in the status of the shell.
for signal in TERM:143 QUIT:131 HUP:129; do
	hold "$most"
	begin '^Reading '
	pkill -"${signal%:*}" -P "$(<"$work/pid")"
	same_after "${signal%:*}" "${signal#*:}"
done

# --- what cannot be read ---

hold 0
echo 'this is no recording at all' >&7
exec 8>&7 7>&-
press 'Error: .*fifo.*' "clear; $report -i fifo; echo \$? >status" Enter
exec 8>&-
same_after 'no recording' 255
press "Cannot open 'missing'" "clear; $report -i missing; echo \$? >status" Enter
same_after 'no file' 255
press "nosuchkey" "clear; $report -i '$stream' -s nosuchkey; echo \$? >status" Enter
same_after 'no key' 129

# --- a terminal that goes away ---

hold "$most"
begin '^Reading '
browser=$(pgrep -P "$(<"$work/pid")")
mux kill-session
ended "$browser" || fail "the browser goes on without its terminal"
hold "$most"
open_terminal 80 24 "trap '' HUP; $report -i fifo; :"
wait_for '^Reading '
browser=$(pgrep -P "$(<"$work/pid")")
mux kill-session
ended "$browser" || fail "without SIGHUP the browser goes on without its terminal"

exit "$failed"
