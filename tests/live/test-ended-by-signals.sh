#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A signal that ends record, stat or compare ends them as it ends other programs, after the result is
# written: their parent is told so, and not of an exit with 130.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
command -v perl >/dev/null || skip "no perl"

# ends_by SIGNAL END COMMAND...: sends it when the workload has said that it runs
ends_by()
{
	local end

	rm -f ready
	mkfifo ready
	end=$(perl -e '
		my ($sig, @command) = @ARGV;
		my $pid = fork;
		if (!$pid) {
			open STDIN, "<", "/dev/null";
			open STDOUT, ">", "out";
			open STDERR, ">", "err";
			exec @command;
		}
		open my $ready, "<", "ready";
		<$ready>;
		kill $sig, $pid;
		waitpid $pid, 0;
		print $? & 127 ? "signal " . ($? & 127) : "exit " . ($? >> 8);' "$1" "${@:3}")
	[[ $end == "$2" ]] || complain "${*:3}: SIG$1: $end, not $2"
}

block='echo >ready; exec sleep 600'
for case in INT:2 TERM:15 HUP:1; do
	sig=${case%:*} end="signal ${case#*:}"
	ends_by "$sig" "$end" "$XPERF" record -e cpu-clock:u -o data sh -c "$block"
	whole data "SIG$sig"
	ends_by "$sig" "$end" "$XPERF" stat -e page-faults:u sh -c "$block"
	grep -q 'page-faults:u' err || complain "stat, SIG$sig: no counts"
	ends_by "$sig" "$end" "$XPERF" compare "sh -c '$block'" true
done
# What it does itself is told.
ends_by TERM 'exit 5' "$XPERF" record -e cpu-clock:u -o data sh -c "trap 'exit 5' TERM; echo >ready; while :; do sleep 0.01; done"
ends_by TERM 'exit 5' "$XPERF" stat -e page-faults:u sh -c "trap 'exit 5' TERM; echo >ready; while :; do sleep 0.01; done"
exit "$failed"
