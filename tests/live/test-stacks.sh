#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copied stacks are unwound when a recording is read: script, report and data show each call chain
# whole, by any number of threads, and only if chains are asked for. perf's chains are the same as far
# as they go.
set -euo pipefail

skip()
{
	echo "skipped: $*"
	exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work PERF_CONFIG=/dev/null PAGER=
XPERF=$(realpath "$XPERF")
cd "$work"
# Each call of leaf() is the first to touch a page.
cat >deep.c <<'EOF'
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 65536, CALLS = 200 };
static volatile int sum;

__attribute__((noinline)) static void leaf(char *page)
{
	*(volatile char *)page = 1;
}

__attribute__((noinline)) static int middle(int depth, char *page)
{
	volatile char room[64];

	memset((char *)room, depth, sizeof(room));
	if (depth)
		sum += middle(depth - 1, page);
	else
		leaf(page);
	return room[1] + sum;
}

int main(void)
{
	char *pages = mmap(NULL, (size_t)PAGE * CALLS, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < CALLS; i++)
		middle(20, pages + (size_t)i * PAGE);
	return 0;
}
EOF
"$CC" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c 2>log || skip "no compiler works here"
"$XPERF" record -q -e page-faults:u -c 1 --call-graph dwarf,8192,raw -o data ./deep 2>log ||
	skip "page faults cannot be sampled here: $(head -n 1 log)"
"$XPERF" report -i data --json >report.json
grep -q '"complete": *[1-9]' report.json || skip "stacks of this machine are not unwound"

# chains FILE OPTION...: the functions of each chain from leaf() on, a line each
chains()
{
	awk '/^$/ { if (line ~ / leaf /) print line; line = ""; next }
		/^\t/ { line = line " " $2 }' "$1"
}

failed=0
fail()
{
	echo "$*"
	failed=1
}

"$XPERF" script -i data -F comm,ip,sym >script.txt
expected=" leaf$(printf ' middle%.0s' {1..21}) main __libc_start_call_main"
chains script.txt >ours.txt
nr=$(wc -l <ours.txt)
((nr >= 190)) || fail "$nr samples of 200 have a chain from leaf()"
! grep -vE "^ leaf( middle){21} main( |$)" ours.txt || fail "these are not: $expected"

# perf may end early, or with addresses that are nowhere.
if perf script --no-inline -i data -F comm,ip,sym >perf-script.txt 2>log; then
	chains perf-script.txt | sed 's/\( \[unknown\]\)*$//' >perf.txt
	paste -d'\n' perf.txt ours.txt | awk 'NR % 2 { perf = $0; next }
		substr($0, 1, length(perf)) != perf { print "perf:" perf "\nours:" $0; bad = 1 }
		END { exit bad }' || fail "perf has other callers"
fi

# Threads, methods
"$XPERF" report -i data --stdio --jobs=1 >one.txt
for options in --jobs=2 --jobs=3 --unwind=rules --unwind=libdw --unwind=libunwind; do
	"$XPERF" report -i data --stdio "$options" >other.txt 2>log ||
		{ grep -q 'not installed' log && continue; }
	[[ $options != --unwind=lib* ]] || sed -i '/^# Quality/d' one.txt other.txt
	diff one.txt other.txt >differ || { fail "report $options differs:"; head -n 5 differ; }
done

# Where the copies are short, chains are completed from earlier samples.
"$XPERF" record -q -e page-faults:u -c 1 --call-graph dwarf,1024,raw -o short ./deep 2>log
"$XPERF" report -i short --stdio --jobs=1 >one.txt
for jobs in 2 3; do
	"$XPERF" report -i short --stdio --jobs=$jobs >other.txt
	cmp one.txt other.txt || fail "report --jobs=$jobs of short copies differs"
done
# They are marked wherever frames are shown, and not where perf would not show it.
joined=$("$XPERF" script --no-inline -i short | grep -c ' \[earlier sample\]$')
"$XPERF" data convert --to-json short.json -i short 2>log
in_data=$(grep -c '"joined": true' short.json)
in_report=$("$XPERF" report --no-inline --no-children -i short --json | grep -o '"joined_samples": [0-9]*' |
	awk '{ sum += $2 } END { print sum + 0 }')
[[ $joined -gt 0 && $in_data == "$joined" && $in_report == "$joined" ]] ||
	fail "joined frames: script $joined, data convert $in_data, report $in_report"
grep -q ' \[earlier sample\]$' one.txt || fail "report marks no frame of an earlier sample"
mkdir bin
ln -s "$XPERF" bin/perf
! bin/perf report -i short --stdio | grep 'earlier sample' || fail "called as perf, report marks frames"
"$XPERF" script -i data --show-task-events --jobs 1 >one.txt
"$XPERF" data convert --jobs 1 --to-json one.json -i data 2>log
for jobs in 2 3; do
	"$XPERF" script -i data --show-task-events --jobs $jobs >other.txt
	cmp one.txt other.txt || fail "script --jobs $jobs prints something else"
	"$XPERF" data convert --jobs $jobs --to-json $jobs.json -i data 2>log
	cmp one.json $jobs.json || fail "data convert --jobs $jobs writes something else"
done
! "$XPERF" script --jobs=-2 -i data 2>log && grep -q -e '--jobs: -2 is negative' log || fail "script --jobs=-2: $(cat log)"

# Limits
"$XPERF" script --max-stack 3 -i data -F comm,ip,sym >script.txt
! chains script.txt | grep -vxF ' leaf middle middle' || fail "--max-stack 3 prints other chains"
"$XPERF" report --max-stack 3 -i data --json >report.json
grep -q '"max_stack": *[1-9]' report.json ||
	fail "report does not count the chains that --max-stack ends"

# Chains that are not shown are not computed.
"$XPERF" report --no-children -g none -i data --json >flat.json
grep -q '"complete": *0' flat.json || fail "a flat report unwinds"
"$XPERF" script -G -i data >script.txt
! grep -q middle script.txt || fail "script -G prints callers"

"$XPERF" data convert --to-json out.json -i data 2>log
entries=$(grep -c '"symbol": "middle"' out.json)
((entries >= 21 * 190)) || fail "data convert has $entries calls of middle()"

! "$XPERF" script --unwind=magic -i data 2>log || fail "--unwind=magic is accepted"
echo "$nr chains of 23 functions or more"
exit $failed
