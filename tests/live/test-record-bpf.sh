#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --bpf: the sums of the file are all that was counted, with the call chains of the program,
# and perf reads them.
set -u
# shellcheck source=tests/live/record.sh
. "${SOURCE_DIR:?}/tests/live/record.sh"

# Two functions that are called from two others, and one that is called from both.
cat >known.c <<'END'
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n)
{
	while (n--)
		sink += n;
}
__attribute__((noinline)) void often(unsigned long n)
{
	leaf(n * 3);
	sink++;
}
__attribute__((noinline)) void seldom(unsigned long n)
{
	leaf(n);
	sink++;
}
int main(int argc, char **argv)
{
	for (unsigned long i = strtoul(argv[argc - 1], NULL, 0); i; i--) {
		often(1000000);
		seldom(1000000);
	}
	return 0;
}
END
"${CC:-cc}" -O0 -fno-omit-frame-pointer known.c -o known ||
	skip "no compiler"
"$XPERF" record -e cpu-clock -o probe --bpf ./known 10 >out 2>err </dev/null ||
	skip "no BPF program sees samples here: $(grep -v '^Note' err | head -n 1)"

# summed ARGUMENTS...: records with sums, by frame pointers, which are there from the first sample on; leaves
# $samples and the file behind
summed()
{
	rm -f file
	"$XPERF" record -e cpu-clock --call-graph fp -c 1000000 -o file "$@" >out 2>err </dev/null ||
		{ complain "record $* fails"; return 1; }
	samples=$(sed -n 's/^Sums: \([0-9]*\) .*/\1/p' err)
}
# total: periods of all samples in the file
total()
{
	"$XPERF" script -i file -F period | awk 'NF { sum += $1 } END { printf "%.0f\n", sum }'
}

# All samples, of 1000000 ns each, are in the sums; there are fewer sums than samples.
summed --bpf ./known 100 && {
	[[ $samples -gt 0 ]] || complain "nothing was summed"
	[[ $(total) == $((samples * 1000000)) ]] ||
		complain "the sums are $(total), not $samples samples of 1000000"
	sums=$("$XPERF" script -i file -F period | grep -c .)
	[[ $sums -le $samples ]] || complain "there are $sums sums of $samples samples"
}

# What another one counts beside it: page faults of user space, each of them a sample.
"$XPERF" record -e page-faults:u -c 1 --bpf -o faults \
	"$XPERF" stat -x, -e page-faults:u -o counted ./known 1 >out 2>err </dev/null ||
	complain "page faults cannot be summed"
counted=$(grep page-faults counted | cut -d, -f1)
summed=$("$XPERF" script -i faults --comms known -F period | awk 'NF { sum += $1 } END { printf "%.0f\n", sum }')
if ! grep -Eq '^(Throttled|Lost)' err; then
	[[ $counted -gt 0 && $summed == "$counted" ]] ||
		complain "$summed page faults are in the sums, $counted were counted"
fi

# The functions and who called them. Most samples are in the leaf; in both of its callers, some.
"$XPERF" script -i file -F comm,period,ip,sym >script 2>err || complain "script fails"
awk '/^known/ { sum = $2; leaf = 0 }
	/ leaf/ { leaf = 1 } leaf && / often/ { o += sum; leaf = 0 } leaf && / seldom/ { s += sum; leaf = 0 }
	END { exit !(o > 0 && s > 0 && o > s) }' script ||
	complain "the leaf's callers are not those of the program: $(grep -c often script) often"
awk '/ often| seldom/ { called = 1 } called && / main/ { found = 1 } END { exit !found }' script ||
	complain "main() is not the caller"

# Several readings lose nothing, and times go on.
summed --bpf=1 ./known 400 && [[ $(total) == $((samples * 1000000)) ]] ||
	complain "with readings in between, the sums are not all samples"
whole file "a file of sums"

# More sums than there is room for, each of them by a name of its own, are read before it is time.
cat >names.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
int main(void)
{
	const struct timespec moment = { .tv_nsec = 100000000 };
	enum { NAMES = 30000, AT_ONCE = 1000 };
	char *pages = mmap(NULL, NAMES * 4096UL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[16];

	madvise(pages, NAMES * 4096UL, MADV_NOHUGEPAGE);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		prctl(PR_SET_NAME, name);
		pages[i * 4096UL] = 1;
		if (i % AT_ONCE == 0)
			nanosleep(&moment, NULL);
	}
	return 0;
}
END
"${CC:-cc}" names.c -o names || complain "the program of many names cannot be made"
room=16384
for attempt in 1 2 3; do
	"$XPERF" record -e page-faults:u -c 1 --call-graph fp --bpf=1000 -o many ./names >out 2>err </dev/null ||
		complain "many names cannot be summed"
	sums=$("$XPERF" script -i many -F comm,period | grep -c '^ *name')
	[[ $sums -le $room ]] || break
	echo "attempt $attempt: $sums sums"
done
[[ $sums -gt $room ]] || complain "only what fits is summed between two readings: $sums sums"

# Children, and the whole machine
summed --bpf sh -c './known 20 & ./known 20; wait' && [[ $(total) == $((samples * 1000000)) ]] ||
	complain "sums of children are not all samples"
summed --bpf -a ./known 20 && [[ $(total) == $((samples * 1000000)) ]] ||
	complain "sums of the machine are not all samples"
"$XPERF" report -i file -s comm -g none 2>/dev/null | grep -Eq ' known *$' || complain "the machine lacks the program"

# Any perf reads it, without a complaint about order.
if command -v perf >/dev/null; then
	perf report -i file --stdio -s comm >out 2>err </dev/null || complain "perf cannot read the file"
	grep -q 'known' out || complain "perf does not show the program"
	grep -qi 'out of order' err && complain "perf finds records out of order"
fi

# What excludes it
for options in '--call-graph dwarf' '-k realtime' '--overwrite' '-n' '--bpf=0' '--bpf=x'; do
	# shellcheck disable=SC2086
	"$XPERF" record -e cpu-clock --bpf $options -o none true >out 2>err </dev/null &&
		complain "--bpf $options is accepted"
done
"$XPERF" record -e cpu-clock -W --bpf -o none true >out 2>err </dev/null && complain "weights are summed"
grep -q 'cannot be summed' err || complain "the reason is not reported"

exit "$failed"
