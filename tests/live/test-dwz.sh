#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What dwz took out of programs: names from it are shown, and it is read, not mapped, so that
# nobody can crash the reader by cutting it.
set -euo pipefail

for tool in dwz strace; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}

cat >busy.c <<'END'
struct what_both_programs_share { unsigned long of_many_names, that_are_long; };
static struct what_both_programs_share shared;
static inline __attribute__((always_inline)) void inlined_function_of_both_programs(
	struct what_both_programs_share volatile *in)
{
	while (in->of_many_names < 300000000)
		in->of_many_names++;
}
int main(void)
{
	inlined_function_of_both_programs(&shared);
	return 0;
}
END
"${CC:-cc}" -g -O1 -gdwarf-4 -Wl,--build-id -o one busy.c
"${CC:-cc}" -g -O1 -gdwarf-4 -Wl,--build-id=0x1234567890 -o two busy.c
dwz -m common one two 2>errors || { echo "skipped: dwz: $(head -1 errors)"; exit 77; }
[ -s common ] || { echo "skipped: dwz found nothing in common"; exit 77; }

"$XPERF" record -q -e cpu-clock:u -g -o data ./one 2>errors ||
	{ echo "skipped: no samples: $(head -1 errors)"; exit 77; }
strace -f -y -e trace=mmap,read,pread64 -o calls \
	"$XPERF" script -i data -F ip,sym >out 2>errors || {
	grep -qi ptrace errors || { cat errors; exit 1; }
	echo "skipped: $(grep -im 1 ptrace errors)"
	exit 77
}
grep -q inlined_function_of_both_programs out || { head -20 out; exit 1; }
grep -q 'read.*/common>' calls || { echo "what is shared is not read"; exit 1; }
if grep 'mmap.*/common>' calls; then
	echo 'what is shared is mapped'
	exit 1
fi
