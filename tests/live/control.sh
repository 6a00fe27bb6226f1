# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests of --control: the fifos "control" and "ack" are those of an xperf in the background, and
# "ready" is where its workload says that it runs.

# Makes the fifos anew. "ready" stays open here: a line in a fifo that nobody has open is lost.
control_fifos()
{
	[[ -z ${ready_fd-} ]] || exec {ready_fd}>&-
	rm -f ready control ack
	mkfifo ready control ack
	exec {ready_fd}<>ready
}

# tell COMMAND: to the one that was started; returns when it is done
tell()
{
	local answer commands answers

	# For both directions: opening does not wait for the other side.
	exec {commands}<>control {answers}<>ack
	echo "$*" >&$commands
	read -r -t 120 answer <&"$answers"
	exec {commands}>&- {answers}>&-
	[[ ${answer-} == ack ]]
}

# Waits for a line of the workload.
ready()
{
	read -r -t 120 _ <&"$ready_fd"
}
