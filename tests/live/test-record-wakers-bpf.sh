#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --bpf --off-cpu --wakers: two processes wake each other a known number of times. Each wait that is in a sum is one
# that the other process ended, at its call, or a timer; and perf reads the same samples.
set -uo pipefail
# shellcheck source=tests/live/record.sh
. "${SOURCE_DIR:?}/tests/live/record.sh"
[[ $(uname -m) == x86_64 ]] || skip "the program is for x86-64"

# "one" wakes "two" and waits for it, then sleeps; 50 times.
cat >wake.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { TIMES = 50 };
volatile long sum;
/* The system call itself, so that no library is between it and its caller. */
static inline __attribute__((always_inline)) long call(long number, long first, void *second, long third)
{
	register long rax __asm__("rax") = number;
	register long rdi __asm__("rdi") = first;
	register void *rsi __asm__("rsi") = second;
	register long rdx __asm__("rdx") = third;

	__asm__ volatile("syscall" : "+r"(rax) : "r"(rdi), "r"(rsi), "r"(rdx) : "rcx", "r11", "memory");
	return rax + sum;
}
__attribute__((noinline)) void wakes(int fd) { char c = 1; if (call(SYS_write, fd, &c, 1) != 1) _exit(1); sum = 0; }
__attribute__((noinline)) void waits(int fd) { char c; if (call(SYS_read, fd, &c, 1) != 1) _exit(1); sum = 0; }
__attribute__((noinline)) void sleeps(void)
{
	struct timespec t = { 0, 3000000 };

	sum = call(SYS_nanosleep, (long)&t, NULL, 0);
	sum = 0;
}
int main(int argc, char **argv)
{
	char name[16] = "one";
	int there[2], back[2];

	if (pipe(there) || pipe(back) || argc < 2)
		return 1;
	strcat(name, argv[1]);
	if (!fork()) {
		memcpy(name, "two", 3);
		prctl(PR_SET_NAME, name);
		for (int i = 0; i < TIMES; i++) {
			waits(there[0]);
			wakes(back[1]);
		}
		return 0;
	}
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < TIMES; i++) {
		wakes(there[1]);
		waits(back[0]);
		sleeps();
	}
	wait(NULL);
	return 0;
}
END
"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o wake wake.c 2>err ||
	skip "no program can be made: $(head -n 1 err)"
options=(-e cpu-clock --bpf=1000 --off-cpu --wakers --call-graph fp)
"$XPERF" record "${options[@]}" -o probe true >out 2>err </dev/null ||
	skip "wakers cannot be summed here: $(grep -v '^Note' err | head -n 1)"
one=one$$ two=two$$

# wakings FILE: of each sample its waker, the task that was woken, their number, and whether it is "wakes" and "main"
wakings()
{
	"$XPERF" script -i "$1" -F comm,event,period,trace,ip,sym | awk '
		function finish() { if (woken) print waker, woken, nr, here, outer; woken = here = outer = 0 }
		!NF { finish() }
		/sched:sched_waking:/ {
			waker = $1; nr = $2; woken = $0
			sub(/.*comm=/, "", woken); sub(/ .*/, "", woken)
		}
		$2 == "wakes" { here = 1 }
		$2 == "main" { outer = 1 }
		END { finish() }'
}

# waited FILE TASK WAKER: milliseconds
waited()
{
	"$XPERF" report -i "$1" --stdio -g none -s comm,waker -F period,comm,waker 2>/dev/null |
		awk -v task="$2" -v waker="$3" 'NF > 3 && $(NF - 1) == task && $NF == waker && /\./ { ms += $(NF - 2) } END { printf "%.3f", ms }'
}

for attempt in 1 2 3 4 5; do
	"$XPERF" record "${options[@]}" -o file ./wake $$ >out 2>err </dev/null || complain "it fails: $(<err)"
	whole file "wakers"
	grep -q '^Lost' err || break
	echo "attempt $attempt: $(grep '^Lost' err)"
done
wakings file >lines
# Most waits are seen: a task that finds what it waits for does not wait.
awk -v one="$one" -v two="$two" '
	# One more, where two exits.
	$1 == two && $2 == one && $3 == 1 && !$4 && !exits++ { next }
	$1 == one && $2 == two || $1 == two && $2 == one {
		nr[$1] += $3
		if (!$4 || !$5) { print "without its call chain: " $0; bad = 1 }
	}
	END {
		if (nr[one] < 10 || nr[one] > 50) { print "one woke two " nr[one] + 0 " times"; bad = 1 }
		if (nr[two] < 10 || nr[two] > 50) { print "two woke one " nr[two] + 0 " times"; bad = 1 }
		exit bad
	}' lines || complain "wakers: $(grep "$two" lines | head)"
awk -v ms="$(waited file "$one" '[interrupt]')" 'BEGIN { exit ms < 75 }' ||
	complain "sleeps of 150 ms are $(waited file "$one" '[interrupt]') ms"
awk -v ms="$(waited file "$two" "$one")" 'BEGIN { exit ms < 75 }' ||
	complain "two waited for one for $(waited file "$two" "$one") ms, which sleeps 150 ms"
if command -v perf >/dev/null; then
	perf script -i file -F event,period 2>/dev/null | grep -c sched_waking >perf.nr
	wc -l <lines >nr
	cmp -s nr perf.nr || complain "perf reads $(cat perf.nr) wakers, not $(cat nr)"
fi

# Who wakes and is not recorded has a name.
mkfifo words
cat <words >/dev/null &
reader=$!
exec {to}>words
for attempt in 1 2 3 4 5; do
	# shellcheck disable=SC2016
	"$XPERF" record "${options[@]}" -o file -p $reader sh -c 'for i in 1 2 3 4 5; do echo >"$1"; sleep 0.05; done' - words \
		>out 2>err </dev/null || complain "-p fails: $(<err)"
	"$XPERF" script -i file -F comm,event,trace >words.seen
	! grep -q '^ *sh .*sched_waking.*comm=cat ' words.seen || break
done
exec {to}>&-
wait $reader
grep -q '^ *sh .*sched_waking.*comm=cat ' words.seen || complain "sh, which wakes cat: $(<words.seen)"

# With -a, too.
"$XPERF" record -a "${options[@]}" -o file ./wake $$ >out 2>err </dev/null || complain "-a fails: $(<err)"
wakings file >lines
awk -v one="$one" -v two="$two" '$1 == one && $2 == two { nr += $3 } END { exit nr < 10 || nr > 50 }' lines ||
	complain "-a: $(grep "$two" lines)"
exit "$failed"
