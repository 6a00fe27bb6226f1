#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `report` on a terminal: what is on the screen after which keys, in two sizes; what a recording cannot
# do to the terminal; and that the terminal is as it was, however the browser ends.
set -euo pipefail

files=$SOURCE_DIR/tests/data/perfdata/files golden=$SOURCE_DIR/tests/data/perfdata/report
. "$SOURCE_DIR/tests/golden/shown.sh"
. "$SOURCE_DIR/tests/golden/terminal.sh"
trap 'close_terminal; rm -rf "$work"' EXIT
mkdir "$work/in"
cd "$work/in"
cp "$files/made-branches" chains
cp "$files/local72-multi" events
ln -s "$files/../kallsyms" .

fail() { echo "FAIL: $*"; failed=1; }

report="'$XPERF' report -f --symfs /nonexistent --kallsyms kallsyms --no-branch-stack"

# The last line is drawn last: when it is there again, all the rest is what the keys before made of it.
redraw()
{
	press '^Keys' h
	press 'h help' q
}

# --- screens ---

{
	open_terminal 80 24 "$report -i chains"
	wait_for 'h help'
	shot "80x24"
	press ' 2/8$' Down
	press '^- ' Enter
	shot "Enter: unfolded"
	press ' 2/8$' e
	press '^  - ' e
	shot "e, one line below"
} >"$work/shown" || { cat "$work/shown"; exit 1; }
{
	press '^Keys' h
	shot "h"
	press 'h help' q
	press '^Menu' m
	shot "m"
	press 'h help' Escape
	press '^The recording' i
	screen | head -3
	press 'h help' q
	press 'Only names with: _' /
	press 'names with: do_' d o
	press '  /do$' Enter
	shot "/"
	press 'file \[' d
	shot "d"
	press 'command ' t
	shot "t"
	press ' [0-9]*/14$' Escape
	press 'no kernel$' K
	shot "K"
	press ' 0/0  no kernel  no user space$' k
	press 'no user space$' K
	shot "U"
	press '/14$' U
	press 'Sort by: ' o
	for ((i = 0; i < 40; i++)); do mux send-keys BSpace; done
	press 'Sort by: dso_' d s o
	press 'h help .*1/[1-9]$' Enter
	shot "o: dso"
	press 'Sort by: dso_' o
	press "'dson' is no key|no sort key|unknown|'dsox'" x Enter
	screen | tail -1
	press 'Recordings of this' s
	shot "s"
	press "cpu-clock|cycles|event '" Down Enter
	wait_for 'h help'
	shot "s: events"
	press "event 'task-clock'" Tab
	shot "Tab"
	mux resize-window -x 200 -y 50
	wait_for '####'
	shot "200x50"
	mux send-keys H
	redraw
	shot "H"
	# Also above the rows of another event.
	press "event 'cpu-clock'" BTab
	redraw
	! screen | grep 'Overhead' >/dev/null || fail "H: another event has the names of columns"
	press "event 'task-clock'" Tab
	press 'Overhead' H
	mux resize-window -x 20 -y 4
	mux resize-window -x 80 -y 24
	wait_for '^ *[+ ].*Overhead|Children'
	press 'perf.hist.0' P
	mux send-keys q
	ended "$(<"$work/pid")"
} >>"$work/shown" || { cat "$work/shown"; fail "the browser does not end"; }
same browser
"$XPERF" report -f --symfs /nonexistent --kallsyms kallsyms -s dso -i events >"$work/text" 2>/dev/null
diff <(grep -v '^# To display\|^#$' "$work/text") <(grep -v '^#$' perf.hist.0) ||
	fail "P does not print what --stdio prints"

# --- what a recording cannot do to the terminal ---

# shellcheck disable=SC2089
HOSTILE=$'x\e]0;t\a\e[31m\n\t"\\\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f\xff'
# shellcheck disable=SC2090
export HOSTILE
"$BUILD_DIR/bench/grow" hostile 1 hostile
for locale in C.UTF-8 C; do
	open_terminal 200 50 "LC_ALL=$locale $report -i hostile"
	wait_for 'x\\033\]0;t\\a\\033\[31m'
	press '^The recording' i
	press 'h help' q
	press '^  *-|h help' E
	mux send-keys q
	ended "$(<"$work/pid")" || fail "$locale: the browser does not end"
	# Also behind what draws there is no title, bell, C1 control or turned text.
	if LC_ALL=C grep -qaP '\x1b\]|\a|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xff' "$work/raw"; then
		fail "$locale: a name reaches the terminal as it is"
	fi
done

# --- colours ---

# colored COUNT WHAT ENVIRONMENT
colored()
{
	open_terminal 80 24 "$3 $report -i chains"
	wait_for 'h help'
	mux send-keys q
	ended "$(<"$work/pid")" || fail "$2: the browser does not end"
	local has=0
	! grep -qa $'\e\\[3[0-9;]*m' "$work/raw" || has=1
	((has == $1)) || fail "$2: colours: $has"
}
colored 1 'with colours' "TERM=screen"
colored 0 'NO_COLOR' "NO_COLOR=1"
printf '%s\n' '[colors]' 'root = white, blue' 'top = nosuchcolour, default' >config
colored 1 'with settings' "PERF_CONFIG=config"
grep -qa $'\e\\[[0-9;]*44m' "$work/raw" || fail "the title is not on blue"
colored 0 'NO_COLOR, with settings' "NO_COLOR=1 PERF_CONFIG=config"
# What tmux says of a pane that is dead would move the first line away.
open_terminal 200 24 "PERF_CONFIG=config $report -v -i chains; read -r _"
wait_for 'h help'
press "Note: colors.top: 'nosuchcolour, default' is no pair of colours" q

# --- settings ---

printf '%s\n' '[ui]' 'show-headers = false' >headings
open_terminal 80 24 "PERF_CONFIG=headings $report -i chains"
wait_for 'h help'
! screen | grep 'Children' >/dev/null || fail "ui.show-headers = false: the names of columns are shown"
press 'Children' H
printf '%s\n' '[tui]' 'report = off' 'top = off' 'annotate = off' >text
open_terminal 80 24 "PERF_CONFIG=text $report -i chains --tui"
wait_for 'h help'

# --- no browser ---

for command in "PERF_CONFIG=text $report" "TERM=dumb $report" "TERM= $report" "TERM=nosuchterminal $report" "$report --stdio" "$report -q" "$report --json" \
	"$report </dev/null" "$report | cat"; do
	open_terminal 200 50 "PAGER=cat; export PAGER; ${command/ -f / -f -i chains -g none }; echo the end"
	wait_for '^the end'
	screen | grep 'do_read' >/dev/null || fail "$command prints no rows: $(screen)"
	! screen | grep 'h help' >/dev/null || fail "$command opens the browser"
done
# --- the terminal is as it was ---

# A shell in whose foreground it runs.
open_terminal 80 24 "PS1='ready> ' bash --norc --noprofile -i"
wait_for 'ready>'
press 'h help' "stty -a >before; $report -i chains" Enter
press 'Stopped' C-z
press 'same' 'stty -a >after; cmp before after && echo sa""me' Enter
press 'h help' 'fg' Enter
press 'Keys' h
press 'Stopped' C-z
press 'h help|^Keys' 'fg' Enter
press 'h help' q
press 'ready>' C-c
press 'still the same' 'stty -a >after; cmp before after && echo still the sa""me' Enter
press 'h help' "clear; $report -i chains; echo ended with \$?" Enter
press 'ended with 0' C-c
for signal in TERM QUIT HUP; do
	press 'h help' "clear; $report -i chains" Enter
	pkill -"$signal" -P "$(<"$work/pid")"
	press "after $signal: same" "clear; stty -a >after; cmp before after && echo after $signal: sa\"\"me" Enter
done
press 'h help' "clear; $report -i chains" Enter
browser=$(pgrep -P "$(<"$work/pid")")
mux kill-session
ended "$browser" || fail "the browser goes on without its terminal"

# A terminal without another screen keeps what was drawn; the prompt is below it.
if infocmp vt100 >/dev/null 2>&1; then
	open_terminal 80 24 "PS1='ready> ' TERM=vt100 bash --norc --noprofile -i"
	wait_for 'ready>'
	press 'h help' "clear; $report -i chains" Enter
	press '^ready> *$' q
	screen | grep '^h help  q quit  1/8' >/dev/null || fail "the prompt is written over the last line"
fi

# Without SIGHUP, the end of the input ends it.
open_terminal 80 24 "trap '' HUP; $report -i chains; echo \$? >status"
wait_for 'h help'
browser=$(pgrep -P "$(<"$work/pid")")
mux kill-session
ended "$browser" || fail "without SIGHUP the browser goes on without its terminal"

# --- instructions ---

if have libcapstone && have libelf; then
	cd "$SOURCE_DIR/tests/data/annotate"
	open_terminal 80 24 "'$XPERF' report -f -i x86_64.data --symfs . -g none -s sym"
	wait_for 'mix'
	press '20[0-9a-f]*: ' a
	# From a jump an arrow leads to its target; Enter goes there.
	press 'Search: _' /
	press 'Search: jne_' j n e
	press '└──2011c5: +jne' Enter
	wait_for '┌─>2011a7: +mov'
	wait_for ':│  2011ac: '
	press '25.00 :   2011c5: ' j
	press '└──2011c5: +jne' j
	press ' 16/29$' Enter
	wait_for '25.00 :   2011c5: '
	press ' 2 2011a7: ' J
	press 'h help' q
	mux send-keys q
	ended "$(<"$work/pid")" || fail "after annotate the browser does not end"

	# annotate: the hottest function at its hottest instruction, and a list of all.
	annotate="'$XPERF' annotate -f -i x86_64.data --symfs ."
	open_terminal 80 24 "$annotate; echo the end; read -r _"
	wait_for ' 25.00 :.*2011c5: '
	wait_for 'q back .* 2[0-9]/[0-9]*$'
	screen | head -1 | grep '^96.55%  mix  x86_64' >/dev/null || fail "annotate: the title is $(screen | head -1)"
	press '^ *3.45%  _start  x86_64' q
	press '^3.45%  _start' Down Enter
	press '^Functions' q
	press 'Note: cpu-clock.* is not precise' q
	wait_for '^the end'
	open_terminal 80 24 "$annotate _start; echo the end; read -r _"
	wait_for '^3.45%  _start'
	press '^the end' q
	for text in "$annotate --stdio" "PERF_CONFIG='$work/in/text' $annotate" "$annotate | cat" "TERM=dumb $annotate"; do
		open_terminal 200 50 "PAGER=cat; export PAGER; $text; echo the end; read -r _"
		wait_for '^the end'
		! screen | grep 'q back' >/dev/null || fail "$text opens the browser"
	done

	# In ASCII where the locale has no lines.
	open_terminal 80 24 "LC_ALL=C '$XPERF' report -f -i x86_64.data --symfs . -g none -s sym"
	wait_for 'mix'
	press '20[0-9a-f]*: ' a
	press 'Search: _' /
	press 'Search: jne_' j n e
	press '[+]--2011c5: +jne' Enter
	wait_for '[+]->2011a7: +mov'
fi

exit "$failed"
