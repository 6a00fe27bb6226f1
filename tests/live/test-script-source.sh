#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# script -F srccode: source code of the lines that samples were at, as perf prints it; what else a
# program can name as its source is not read.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/record.sh"
need_record
"$XPERF" check -q feature libelf || skip "built without libelf"
"$XPERF" check -q feature dwarf || skip "built without libelf"
command -v cc >/dev/null || skip "there is no cc"

printf '%s\n' 'static volatile unsigned long x;' 'int main(void)' '{' \
	'	for (int i = 0; i < 100000000; i++)' '		x = x * 3 +	(x >> 7); /* é */' '	return 0;' '}' >spin.c
cc -g -O1 -o spin spin.c 2>err || skip "cc cannot build: $(head -n 1 err)"
"$XPERF" record -q -e cpu-clock:u -F 997 -o data ./spin 2>err || skip "nothing was recorded"

# source_of FIELDS: what script prints of them
source_of()
{
	"$XPERF" script -i data -F "$1" >out 2>err || complain "script -F $1 fails"
}

# Each line is that of the file, and not twice in a row.
source_of comm,ip,srccode
grep '^|' out | sort -u >lines
[[ -s lines ]] || complain "no source code"
while IFS= read -r line; do
	number=${line:1:8}
	[[ ${line:10} == "$(sed -n "${number// /}p" spin.c)" ]] || complain "not line ${number// /}: $line"
done <lines
grep '^|' out | uniq -d | grep . && complain "a line is repeated"
for fields in comm,ip,sym,srccode ip,srcline,srccode; do
	source_of "$fields"
	# perf asks a process of addr2line, which does not always answer on a crowded machine.
	for _ in 1 2 3; do
		perf script -i data -F "$fields" >theirs 2>/dev/null </dev/null || continue 2
		cmp -s out theirs && continue 2
	done
	diff theirs out >err
	complain "-F $fields: not as perf (<)"
done

# Not the file it was: short, without an end, not there, a pipe that nobody writes to.
printf 'short' >spin.c
source_of ip,srccode
! grep '^|' out || complain "lines of a file that has none"
rm spin.c
source_of ip,srccode
! grep '^|' out || complain "lines of no file"
mkfifo spin.c
source_of ip,srccode
! grep '^|' out || complain "lines of a pipe"
exit "${failed:-0}"
