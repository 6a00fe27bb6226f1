#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --filter on samples: those in the file obey the condition, and those dropped are counted.
set -u
# shellcheck source=tests/live/record.sh
. "${SOURCE_DIR:?}/tests/live/record.sh"

cat >busy.c <<'END'
#include <stdlib.h>
volatile unsigned long sink;
int main(int argc, char **argv)
{
	for (unsigned long n = strtoul(argv[argc - 1], NULL, 0) * 1000000UL; n; n--)
		sink += n;
	return 0;
}
END
"${CC:-cc}" -O1 busy.c -o busy || skip "no compiler"

# As a program may be loaded and still see no samples, one that drops all is the probe.
"$XPERF" record -e cpu-clock -o probe --filter 'period == 0' ./busy 10 >out 2>err </dev/null ||
	skip "no BPF program sees samples here: $(grep -v '^Note' err | head -n 1)"

# filtered CONDITION: records busy with it; $kept and $all of its samples
filtered()
{
	"$XPERF" record -e cpu-clock -c 1000000 --filter "$1" -o file ./busy 200 >out 2>err </dev/null ||
		{ complain "'$1' fails"; return 1; }
	kept=$("$XPERF" script -i file -F ip | wc -l)
	dropped=$(sed -n 's/^Filter: \([0-9]*\) of .*/\1/p' err)
	all=$(sed -n 's/^Filter: [0-9]* of \([0-9]*\) .*/\1/p' err)
	lost=$(sed -n 's/^Lost: \([0-9]*\) .*/\1/p' err)
	[[ -z $all || $((kept + dropped + ${lost:-0})) == "$all" ]] ||
		complain "'$1': $kept kept and $dropped dropped are not all $all"
}

# Who calls it perf, which refuses fields that no option asks for, is told that they are asked for.
mkdir as
ln -s "$XPERF" as/perf
as/perf record -e cpu-clock -o file --filter 'cpu < 100000 || code_pgsz > 0, ip > 0' ./busy 1 >out 2>err </dev/null ||
	complain "a filter by fields of other options fails"
grep -qx "Note: samples of 'cpu-clock' have PERF_SAMPLE_CPU, PERF_SAMPLE_CODE_PAGE_SIZE, which --filter needs" err ||
	complain "fields that a filter needs are not named"
rm -r as

# What holds for every sample drops none.
filtered 'ip > 0, cpu < 100000, period == 1000000, uid == '"$(id -u)" && [[ -z $all && $kept -gt 0 ]] ||
	complain "a condition that always holds drops samples, or there are none"

# What holds for none drops all, and this is reported.
filtered 'period != 1000000' && [[ $kept == 0 && $all -gt 0 ]] ||
	complain "a condition that never holds keeps samples"
grep -q 'No samples: the condition of --filter held for none' err || complain "the reason is not reported"

# User and kernel, alternatives, several options
filtered 'ip < 0x8000000000000000' && [[ $kept -gt 0 ]] || complain "user space has no samples"
[[ -z $("$XPERF" script -i file -F ip | grep -E '^ *[89a-f][0-9a-f]{15}$') ]] ||
	complain "samples of the kernel were kept"
filtered 'pid == 1 || ip < 0x8000000000000000, tid != 1' && [[ $kept -gt 0 ]] ||
	complain "alternatives keep no samples"

# Samples have what they are filtered by.
filtered 'time > 1, phys_addr == 0, mem_op == 0 || mem_op != load' &&
	"$XPERF" evlist -v -i file | grep -q 'PHYS_ADDR.*DATA_SRC\|DATA_SRC.*PHYS_ADDR' ||
	complain "samples lack the fields"

# All threads of a task that is recorded inherit the filter.
"$XPERF" record -e cpu-clock -c 1000000 --filter 'period == 0' -o file \
	sh -c './busy 50 & ./busy 50; wait' >out 2>err </dev/null || complain "children cannot be filtered"
[[ $("$XPERF" script -i file -F ip | wc -l) == 0 ]] || complain "samples of children were not filtered"

# Tracepoints keep their own fields, and stat has no samples.
"$XPERF" stat -e cpu-clock --filter 'period > 1' true >out 2>err && complain "stat filters samples"
"$XPERF" record -e cpu-clock --filter 'perod > 1' -o none true >out 2>err && complain "an unknown field is accepted"
grep -q "Did you mean 'period'" err || complain "the nearest field is not suggested"

# A tracepoint that happened and was filtered: what it has counted is 0 all the same.
# shellcheck source=tests/machine.sh
. "$SOURCE_DIR/tests/machine.sh"
if machine_has tracefs; then
	"$XPERF" record -e syscalls:sys_enter_openat --filter 'filename ~ "*.so*"' -o none ls >out 2>err </dev/null || true
	grep -q "No samples: .*openat never happened where its --filter holds; .* FIELD.ustring" err ||
		complain "a filter of a tracepoint is not blamed"
	"$XPERF" record -e kmem:kmalloc --filter 'call_site.function == vfs_read' -o none true >out 2>err </dev/null ||
		complain "the name of a function is refused"
fi

exit "$failed"
