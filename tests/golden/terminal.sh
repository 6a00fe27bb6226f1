# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A terminal of tmux for what draws on one. To be sourced after $work is there. Nothing waits for a
# time: each step waits for a text, and fails without it after five minutes.
: "${work:?}"

if ! command -v tmux >/dev/null; then
	echo "there is no tmux"
	exit 77
fi
have libslang || { echo "built without ncurses"; exit 77; }

export TERM=screen LC_ALL=C.UTF-8
unset TMUX NO_COLOR

# A server of its own for each terminal: one that ends does not disturb the next.
nr_terminals=0
mux() { tmux -u -S "$work/tmux$nr_terminals" -f /dev/null "$@"; }

# open_terminal COLUMNS ROWS COMMAND: runs it in a shell's place, until it ends; what it writes goes
# to $work/raw
open_terminal()
{
	close_terminal
	nr_terminals=$((nr_terminals + 1))
	rm -f "$work/raw" "$work/pid"
	mux new-session -d -x "$1" -y "$2" "until [ -e '$work/go' ]; do :; done; echo \$\$ >'$work/pid'; $3"
	mux set-option -g remain-on-exit on
	mux pipe-pane "cat >>'$work/raw'"
	touch "$work/go"
	until [[ -s $work/pid ]]; do :; done
	rm "$work/go"
}

close_terminal() { mux kill-server 2>/dev/null || true; }

screen() { mux capture-pane -p; }

# wait_for REGEX: until the screen has it
wait_for()
{
	local end=$((SECONDS + 300))

	until screen | grep -E -- "$1" >/dev/null; do
		((SECONDS < end)) || {
			echo "the screen never had '$1':" >&2
			screen >&2
			exit 1
		}
	done
}

# press REGEX KEY...: after the keys the screen has it
press()
{
	local expected=$1
	shift
	mux send-keys "$@"
	wait_for "$expected"
}

# shot TITLE: the screen, without blanks at its ends of lines
shot()
{
	echo "== $*"
	screen | sed 's/ *$//'
}

# ended PID: waits until a process has ended, whether or not its parent has noticed
ended()
{
	local end=$((SECONDS + 300))

	while [[ $(ps -o stat= -p "$1") == [!Z]* ]]; do
		((SECONDS < end)) || return 1
	done
}
