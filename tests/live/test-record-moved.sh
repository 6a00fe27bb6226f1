#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions of a program that has moved its own text into memory, as for huge pages, keep their names,
# whether the recording has seen that or begins later.
set -u
# shellcheck source=tests/live/record.sh
. "$SOURCE_DIR/tests/live/record.sh"
"$XPERF" check -q feature libelf || skip 'this xperf reads no ELF files'
need_record
export HOME=$dir

cat >moved.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, NR_PAGES = 3 };
volatile unsigned long sum;

/* Each fills a page of its own, so that there is text before and behind the one that is moved. */
#define HOT __attribute__((noinline, section("hot_text"), aligned(PAGE)))
HOT void before_hot(int n) { for (int i = 0; i < n; i++) sum = sum * 3 + i; }
HOT void hot_alpha(int n) { for (int i = 0; i < n; i++) sum = sum * 31 + i; }
HOT void hot_beta(int n) { for (int i = 0; i < n; i++) sum = sum * 7 + i; }
HOT void behind_hot(int n) { for (int i = 0; i < n; i++) sum = sum * 5 + i; }

static char copy[2 * PAGE];

static int move(const char *how, char *text, size_t len)
{
	memcpy(copy, text, len);
	if (!strcmp(how, "memfd")) {
		int fd = memfd_create("text", 0);

		return write(fd, copy, len) != (ssize_t)len ||
		       mmap(text, len, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) != text;
	}
	if (mmap(text, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != text)
		return 1;
	memcpy(text, copy, len);
	return mprotect(text, len, PROT_READ | PROT_EXEC);
}

int main(int argc, char **argv)
{
	clock_t end;

	if (argc < 3)
		return 2;
	/* Two pages one after the other: the second becomes one map with the first. */
	if (move(argv[1], (char *)hot_alpha, PAGE) || move(argv[1], (char *)hot_beta, PAGE))
		return 3;
	if (write(1, "moved\n", 6) != 6)
		return 4;
	end = clock() + (clock_t)(atof(argv[2]) * CLOCKS_PER_SEC);
	while (clock() < end) {
		hot_alpha(100000);
		hot_beta(50000);
		before_hot(10000);
		behind_hot(10000);
	}
	return 0;
}
END
"$CC" -O1 moved.c -o moved 2>err || skip "no program can be built: $(head -n 1 err)"
[[ $(./moved anon 0) == moved ]] || skip 'no text can be moved here'

# names WHAT
names()
{
	local name
	"$XPERF" report -i data --stdio -s dso,symbol >report 2>report.err
	for name in hot_alpha hot_beta before_hot behind_hot; do
		grep -q " moved .* $name" report || {
			complain "$1: no $name"
			sed 's/^/    | /' report report.err | head -n 20
			return
		}
	done
	! grep -q 'node\|java' report || complain "$1: it is taken for code of a JIT compiler"
}

for how in anon memfd; do
	record -o data ./moved $how 0.4
	names "$how"
	mkfifo pipe
	./moved $how 60 >pipe &
	pid=$!
	read -r _ <pipe
	rm pipe
	record -o data -p $pid sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
	names "$how, of which the recording has the end only"
	kill $pid
	wait $pid 2>/dev/null
done
exit "$failed"
