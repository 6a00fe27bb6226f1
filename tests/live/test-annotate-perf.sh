#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf annotate` prints the instructions, shares and lines of source that `perf annotate --stdio` does,
# of the same recordings of ten programs.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"
need_perf 6.1 7.2
command -v objdump >/dev/null || skip "perf has no objdump"
"$XPERF" check -q feature libelf || skip "built without libelf"
"$XPERF" check -q feature libcapstone || skip "built without capstone"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >work.c <<'END'
#include <stdio.h>
static unsigned table[256];
static inline unsigned turned(unsigned x)
{
	return x << 7 | x >> 25;
}
__attribute__((noinline)) unsigned mix(unsigned x, int rounds)
{
	unsigned sum = 0;

	for (int i = 0; i < rounds; i++) {
		x ^= turned(x) + 1;
		if (x & 1)
			sum += table[x & 255];
		else
			sum ^= x / 3;
	}
	return sum;
}
__attribute__((noinline)) double divide(double a, int n)
{
	for (int i = 1; i < n; i++)
		a = a / 1.0000001 + i;
	return a;
}
int main(void)
{
	double all = 0;

	for (int i = 0; i < 200; i++)
		all += mix(i, 50000) + divide(i, 20000);
	printf("%f\n", all);
}
END

# Of each function a line of its heading, then of each instruction its shares, address and text,
# after the lines of source before it. Where perf's numbers of lines differ, they are left out.
plain()
{
	sed -nE -e '/Source code & Disassembly of/ { s/^.*Source code/Source code/p; d }' \
		-e 's/ +# [0-9a-f]+( <.*>)?$//' \
		-e 's/^( +[0-9. ]+) : +([0-9a-f]+): *(.*[^ ]) *$/\1 \2 \3/p; t' \
		-e '/: [0-9]* +(Disassembly of section|[0-9a-f]{16} <)/d' -e '/\(\):$/d' \
		-e 's/^ +: [0-9]* +([^ ].*)$/\1/p'
}

failed=0
# same DATA OPTION...
same()
{
	local data=$1
	shift
	perf annotate --stdio -i "$data" "$@" >perf.out 2>/dev/null ||
		{ echo "annotate $*: perf fails"; return; }
	plain <perf.out >perf.txt
	"$XPERF" annotate -q -i "$data" "$@" | plain >ours.txt
	[[ -s perf.txt ]] || { echo "annotate $*: perf prints nothing"; return; }
	diff -u perf.txt ours.txt >differences ||
		{ echo "annotate $*: differs from perf's"; head -40 differences; failed=1; }
}

for level in -O0 -O2; do
	"$CC" "$level" -g -o "work$level" work.c || skip "nothing can be compiled"
	perf record -q -e cpu-clock:u,task-clock:u -F 4000 -o "data$level" "./work$level" >/dev/null 2>&1 ||
		skip "perf cannot record here"
	for function in mix divide; do
		same "data$level" -s "$function"
		same "data$level" -s "$function" --no-source --group
		same "data$level" -s "$function" --no-source -n
		same "data$level" -s "$function" --no-source --show-total-period --asm-raw
		same "data$level" -s "$function" --no-source -M intel --percent-type local-hits
	done
done

# Code of other kinds: jump tables, cold parts, stubs of the linker and calls without them, templates and
# virtual functions; static, without debug information, of another compiler. Of several names of one
# address perf shows another one, and xperf shows those of C++ without parameters.
cat >kinds.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) unsigned choose(unsigned x)
{
	switch (x % 9) {
	case 0: return x + 3;
	case 1: return x * 5;
	case 2: return x ^ 77;
	case 3: return x - 11;
	case 4: return x >> 3;
	case 5: return x * x;
	case 6: return ~x;
	case 7: return x / 7;
	}
	return x;
}
__attribute__((noinline)) unsigned guarded(const char *text, unsigned x)
{
	if (__builtin_expect(!text, 0)) {
		fprintf(stderr, "no text %u\n", x);
		abort();
	}
	for (int i = 0; i < 20; i++)
		x = x * 31 + text[i & 3];
	return x;
}
__attribute__((noinline)) unsigned calls(char *to, unsigned x)
{
	memset(to, (int)x, 64);
	return x + (unsigned)to[x & 31] + (unsigned)atoi("12");
}
int main(void)
{
	char room[128] = "abcd";
	unsigned all = 0;

	for (unsigned i = 0; i < 500000; i++)
		all += choose(i) + guarded("abcd", i) + calls(room, i);
	printf("%u\n", all);
}
END
cat >kinds.cc <<'END'
#include <cstdio>
#include <vector>
struct shape {
	virtual ~shape() {}
	virtual double area(double x) const = 0;
};
struct circle : shape {
	double area(double x) const override { return x * 3.14; }
};
struct square : shape {
	double area(double x) const override
	{
		if (x < 0)
			throw 1;
		return x * x;
	}
};
template <typename T> __attribute__((noinline)) T total(const std::vector<T> &of, const shape &s)
{
	T sum = 0;

	for (const T &x : of)
		sum += s.area(x);
	return sum;
}
int main()
{
	std::vector<double> numbers(1000, 1.5);
	circle c;
	square s;
	double all = 0;

	for (int i = 0; i < 10000; i++)
		all += total(numbers, i & 1 ? (const shape &)c : s);
	std::printf("%f\n", all);
}
END

# Instructions of the text of a program in the order of addresses; without names of targets, and a prefix
# that means nothing. Of a sample in the linker's stubs before it, which belong to no function, each shows
# another part.
instructions()
{
	local text

	text=$(objdump -h kind | awk '$2 == ".text" { print $4 }')
	sed -nE 's/^( +[0-9.]+) : +([0-9a-f]+): *(.*[^ ]) *$/\2 \1 \3/p' |
		awk -v text="$text" 'substr("0000000000000000" $1, length($1) + 1) >= text' |
		sed -E -e 's/ +# [0-9a-f]+( <.*>)?$//' -e 's/ <.*>$//' -e 's/ addr32 call/ call  /' | sort
}

# kind LEAST COMPILER OPTION... SOURCE: at least so many instructions are compared
kind()
{
	local least=$1
	shift
	"$@" -o kind 2>/dev/null || return 0
	perf record -q -e cpu-clock:u -F 2000 -o kind.data ./kind >/dev/null 2>&1 || return 0
	perf annotate --stdio --no-source -i kind.data -d kind 2>/dev/null | instructions >perf.txt
	"$XPERF" annotate -q --no-source -i kind.data -d kind | instructions >ours.txt
	diff -u perf.txt ours.txt >differences ||
		{ echo "$*: differs from perf's"; head -40 differences; failed=1; }
	(($(wc -l <ours.txt) >= least)) || { echo "$*: too few instructions"; failed=1; }
}

kind 40 "$CC" -O0 -g kinds.c
kind 20 "$CC" -Os -g kinds.c
kind 20 "$CC" -O2 kinds.c
kind 20 "$CC" -O2 -g -fno-plt kinds.c
kind 20 "$CC" -O2 -g -static kinds.c
kind 20 clang -O2 -g kinds.c
kind 10 c++ -O0 -g kinds.cc
kind 10 c++ -O2 -g kinds.cc

# A group is shown side by side.
if perf record -q -e '{cpu-clock:u,task-clock:u}' -F 4000 -o group ./work-O2 >/dev/null 2>&1; then
	same group -s mix
	same group -s mix --no-source -n
fi

# The hottest lines, of one event. perf leaves instructions of at most 0.5 % out of their line.
hottest()
{
	sed -nE 's/^ +([0-9.]+) +([^ ]+:[0-9]+)$/\2 \1/p' | sort
}

perf record -q -e cpu-clock:u -F 4000 -o one ./work-O2 >/dev/null 2>&1 || {
	((!failed)) || exit 1
	skip "perf cannot record here"
}
perf annotate --stdio -l -i one -s mix 2>/dev/null | hottest >perf.txt
"$XPERF" annotate -q -l -i one -s mix >ours
hottest <ours >ours.txt
join -a 1 -a 2 -e 0 -o 0,1.2,2.2 perf.txt ours.txt |
	awk '{ rows++ } $2 - $3 > 2 || $3 - $2 > 2 { print; wrong = 1 } END { exit wrong || !rows }' ||
	{ echo "annotate -l: differs from perf's"; cat perf.txt ours; failed=1; }
exit $failed
