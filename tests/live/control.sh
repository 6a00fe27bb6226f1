# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests of --control: the fifos "control" and "ack" are those of an xperf in the background, and
# "ready" is where its workload says that it runs.

# tell COMMAND: to the one that was started; returns when it is done
tell()
{
	local answer commands answers

	# For both directions: opening does not wait for the other side.
	exec {commands}<>control {answers}<>ack
	echo "$*" >&$commands
	read -r -t 30 answer <&$answers
	exec {commands}>&- {answers}>&-
	[[ ${answer-} == ack ]]
}

# Waits for a line: an end of the file is that of a writer who wrote the last one, and closes late.
ready()
{
	until read -r _ <ready; do :; done
}
