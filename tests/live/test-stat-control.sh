#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stat --control: what is switched on and off while events are counted.
set -uo pipefail
: "${XPERF:?}"
# shellcheck source=tests/live/control.sh
. "${SOURCE_DIR:?}/tests/live/control.sh"
export LC_ALL=C
event=page-faults:u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

if ! "$XPERF" stat -e $event true 2>err; then
	echo "skipped: software events cannot be counted here: $(head -n 1 err)"
	exit 77
fi

# complain TEXT: one fault, with what was printed
complain()
{
	echo "$1"
	sed 's/^/    /' out err
	failed=1
}

# is STATUS REGEX WHAT: the last run's exit status, and a line on stderr
is()
{
	if [[ $status != "$1" ]] || ! grep -Eq -- "$2" err; then
		complain "$3: exit status $status, not $1, or no line '$2'"
	fi
}

control_fifos
mkfifo work

# start ARGUMENTS...: counts, in the background, what a workload does: one program per step
start()
{
	exec {work}<>work
	"$XPERF" stat -x, -e $event,duration_time --control fifo:control,ack "$@" \
		sh -c 'echo >ready; while read -r _; do /bin/true; echo >ready; done <work' \
		>out 2>err </dev/null &
	pid=$!
	ready
}

# steps N
steps()
{
	local i

	for ((i = 0; i < $1; i++)); do
		echo >&$work
		ready
	done
}

# must COMMAND: it is acknowledged
must()
{
	tell "$*" || complain "$* is not acknowledged"
}

finish()
{
	exec {work}>&-
	wait $pid
	status=$?
}

counted()
{
	sed -n "s/^\([0-9]*\),,$event,.*/\1/p" err
}

# Each step has some forty page faults; only those between enable and disable count.
start -D -1
steps 9
must enable
must disable
steps 9
must stop
finish
is 143 '^Events enabled$' 'enable and disable at once'
few=$(counted)
start -D -1
steps 3
must enable
steps 9
must disable
steps 3
must stop
finish
is 143 '^Events disabled$' 'enable, steps and disable'
((few + 100 < $(counted))) || complain "enable and disable: not more than $few"

# One event of several; what has no counter is a warning.
start -I 10000 -e context-switches:u
must disable $event
must enable duration_time
must enable nosuch
must ping
must evlist
must evlist -g
must stop
finish
is 143 "^Event $event disabled$" 'disable NAME'
is 143 '^Warning: --control: duration_time cannot be switched on: it has no counter$' 'a time'
is 143 "^Warning: --control: there is no event 'nosuch'$" 'enable of nothing'
[[ $(grep -cx $event out) == 2 ]] || complain "evlist does not name the event twice"

# Every run of -r obeys; what is no command is not acknowledged, as the ack of ping is the first.
exec {work}<>work {commands}<>control
"$XPERF" stat -r 2 -e $event --control fifo:control,ack sh -c 'echo >ready; read -r _ <work' \
	>out 2>err </dev/null &
pid=$!
for _ in 1 2; do
	ready
	echo snapshot >&$commands
	must ping
	echo >&$work
done
finish
exec {commands}>&-
is 0 "^Warning: --control: 'snapshot' is not one of: enable, disable, stop, ping, evlist$" 'snapshot'
[[ $(grep -c snapshot err) == 2 ]] || complain "-r 2: not one answer per run"

# Without a command, stop ends the counting.
exec {commands}<>control
"$XPERF" stat -p $$ -e $event --control fifo:control,ack >out 2>err </dev/null &
pid=$!
must stop
wait $pid
status=$?
exec {commands}>&-
is 0 "process id '$$'" 'stop without a command'

"$XPERF" stat -e $event --control fd:77 touch ran >out 2>err
status=$?
is 255 '^Error: --control: descriptor 77 is not open$' 'a closed descriptor'
[[ ! -e ran ]] || complain "the command ran without --control"
exit $failed
