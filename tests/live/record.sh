# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests of `xperf record`: a directory, ways to run it and to look at what it wrote.
# shellcheck disable=SC2034
: "${XPERF:?}" "${BUILD_DIR:?}"
# shellcheck source=tests/live/control.sh
. "${SOURCE_DIR:?}/tests/live/control.sh"
export LC_ALL=C
READER=$BUILD_DIR/examples/example-read_file
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

skip()
{
	echo "skipped: $*"
	exit 77
}

# need_record: user space of one's own processes can be recorded
need_record()
{
	"$XPERF" record -q -e cpu-clock:u -o probe true 2>err ||
		skip "nothing can be recorded here: $(head -n 1 err)"
	rm -f probe
}

# complain TEXT: one fault, with what was printed
complain()
{
	echo "$1"
	sed 's/^/    /' out err
	failed=1
}

# record ARGUMENTS...: leaves out, err and $status behind
record()
{
	"$XPERF" record -e cpu-clock:u "$@" >out 2>err </dev/null
	status=$?
}

# is STATUS REGEX WHAT: the last run's exit status, and a line on stderr
is()
{
	if [[ $status != "$1" ]] || ! grep -Eq -- "$2" err; then
		complain "$3: exit status $status, not $1, or no line '$2'"
	fi
}

# number FILE WHAT: how many records of a type there are; samples of an event: "event NAME"
number()
{
	"$READER" "$1" 2>/dev/null | sed -n "s/^$2: \([0-9]*\).*/\1/p" | head -n 1
}

# whole FILE WHAT: can be read, and nothing in it is damaged
whole()
{
	"$READER" "$1" >shown 2>&1 || complain "$2: $1 cannot be read: $(tail -n 1 shown)"
	! grep '^damage' shown || complain "$2: $1 is damaged"
	if command -v perf >/dev/null; then
		perf report --stdio -f -i "$1" >shown 2>&1 ||
			complain "$2: perf cannot read $1: $(tail -n 1 shown)"
	fi
}

# Job control: a process in the background is a group of its own and does not ignore SIGINT.
set -m

# start ARGUMENTS...: the same in the background; $pid is xperf and its process group. A workload says
# that it runs by writing to the fifo "ready".
start()
{
	control_fifos
	"$XPERF" record -e cpu-clock:u --control fifo:control,ack "$@" >out 2>err </dev/null &
	pid=$!
}

# goes_on: until it records
goes_on()
{
	tell ping || complain "it does not begin, or does not answer"
}

finish()
{
	wait $pid
	status=$?
}

captured='^\[ perf record: Captured and wrote [0-9]+\.[0-9]{3} MB '
