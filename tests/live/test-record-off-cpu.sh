#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --off-cpu: a program sleeps for known times in a known function. Each sleep is a sample of offcpu-time
# that long, but for what passes between setting the timer and leaving the CPU; short ones are left out by the limit, and perf reads the same numbers.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
: "${CC:?}"

cat >nap.c <<'END'
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
volatile long sum;
/* The system call itself, so that no library is between it and its caller. */
__attribute__((noinline)) long nap(long ms)
{
	struct timespec t = { 0, ms * 1000000 };
	register long number __asm__("rax") = SYS_nanosleep;
	register void *first __asm__("rdi") = &t;
	register long second __asm__("rsi") = 0;

	__asm__ volatile("syscall" : "+r"(number) : "r"(first), "r"(second) : "rcx", "r11", "memory");
	return number + sum;
}
__attribute__((noinline)) void burn(void) { for (long i = 0; i < 5000000; i++) sum += i; }
int main(void)
{
	for (int i = 0; i < 3; i++) { nap(100); burn(); }
	nap(400);
	burn();
	return 0;
}
END
[[ $(uname -m) == x86_64 ]] || skip "the program is for x86-64"
"$CC" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o nap nap.c || skip "nothing can be compiled"

# waits FILE: the periods of offcpu-time, in nanoseconds
waits()
{
	"$XPERF" script -f -i "$1" -F event,period 2>/dev/null | awk '/offcpu-time/ { print $1 }' | sort -n
}

# check FILE WHAT: four waits at least, of 100, 100, 100 and 400 ms. A machine with much else to do can
# let half of that pass after the timer is set, before the task leaves its CPU.
check()
{
	local long
	long=$(waits "$1" | awk '$1 >= 50000000 { a++ } $1 >= 200000000 { b++ } END { print a + 0, b + 0 }')
	[[ ${long% *} -ge 4 && ${long#* } -ge 1 ]] || {
		complain "$2: waits of 100 and 400 ms: $long, of $(waits "$1" | tr "\n" " ")"
		echo "what the recording has of the program, and of each CPU:"
		"$XPERF" script -f --show-switch-events -F comm,cpu,time,event,period -i "$1" 2>&1 | tee everything | grep ' nap '
		grep -oE '\[[0-9]+\]|SWITCH_CPU_WIDE [A-Z]+|offcpu-time' everything | paste -sd' ' | sed 's/ \[/\n[/g' | sort | uniq -c
	}
	whole "$1" "$2"
}

record --off-cpu -g -o all.data ./nap
[[ $status == 0 ]] || complain "--off-cpu: exit status $status"
check all.data 'a command'
if ! grep -q 'the last sample before each wait' err; then
	"$XPERF" script -i all.data -F event,ip,sym 2>/dev/null | sed -n '/offcpu-time/,/^$/p' >out
	[[ $(grep -c ' nap$' out) -ge 4 ]] || complain "the function that sleeps is not in four chains"
	! grep -q ' burn$' out || complain "the function that does not sleep is in a chain"
else
	"$XPERF" report --stdio -i all.data >out 2>err
	grep -q '^# Quality: the call chains of offcpu-time are those of the last sample' out ||
		complain "report: whose call chains these are is not shown"
fi

# Pictures are of all the time: the page knows which event is waits, and stacks have both. Two clocks that
# count the same time are not added.
if command -v python3 >/dev/null; then
	"$XPERF" export -f html -i all.data -o all.html 2>err
	python3 - all.html >out <<'END'
import base64, gzip, json, re, sys
mark, text = re.search(r'id="data-head"([^>]*)>([^<]*)<', open(sys.argv[1]).read()).groups()
head = base64.b64decode(text)
head = json.loads(gzip.decompress(head) if "gzip" in mark else head)
print(*(event["name"].split(":")[0] for event in head["events"] if event.get("offCpu")))
END
	[[ $(<out) == offcpu-time ]] || complain "the HTML report does not know which event is waits: $(<out)"
fi
"$XPERF" flamegraph -i all.data -o all.svg >out 2>err
! grep -q '^Note: this is event' err || complain "a flame graph is not of all the time: $(<err)"
record -e cpu-clock,task-clock -g -o clocks.data ./nap
"$XPERF" flamegraph -i clocks.data -o clocks.svg >out 2>err
grep -q "^Note: this is event 'cpu-clock" err || complain "two clocks are added: $(<err)"

# perf reads the same waits
if command -v perf >/dev/null && perf script -i all.data -F event,period >perf.out 2>/dev/null; then
	awk '/offcpu-time/ { print $1 }' perf.out | sort -n >perf.waits
	diff <(waits all.data) perf.waits >out || complain "perf reads other waits"
fi

# Without call chains, waits have the kernel's part: which system call waited for what. The clock has none, and
# so have waits beside events that the user has chosen.
"$XPERF" record -q --off-cpu -o plain.data ./nap 2>err || complain "--off-cpu without events: $(<err)"
if "$XPERF" evlist -v -i plain.data | grep '^offcpu-time: type: 1, size: [0-9]*, config: 0x3,' >/dev/null; then
	"$XPERF" report -i plain.data --stdio >out 2>err
	grep -q '\[k\] .*sys_nanosleep' out || complain "waits without -g do not show their system call: $(<out)"
	! grep -q '\[[.]\] main' out || complain "waits without -g have callers that nobody asked for"
fi
[[ $("$XPERF" evlist -v -i plain.data | grep -c CALLCHAIN) -le 1 ]] || complain "the clock has call chains"
record --off-cpu -e task-clock -o chosen.data ./nap
! "$XPERF" evlist -v -i chosen.data | grep CALLCHAIN >/dev/null || complain "-e: there are call chains"

# shorter ones are left out; the unit is milliseconds where none is given
for limit in --off-cpu=150ms --off-cpu=150 '--off-cpu --off-cpu-thresh=150' --off-cpu=150000us; do
	# shellcheck disable=SC2086 # two words
	record $limit -o long.data ./nap
	[[ $(waits long.data | awk '$1 < 150000000 { s++ } $1 >= 200000000 { l++ } END { print s + 0, (l >= 1) }') == '0 1' ]] ||
		complain "$limit: $(waits long.data | tr '\n' ' ')"
done

# user space alone: the waits are there, with the call chain of the sample before
record --off-cpu --all-user -g -o user.data ./nap
check user.data '--all-user'
grep -q 'the last sample before each wait' err || complain "--all-user: whose call chains these are is not said"

# Who ends a wait: two threads that wait for each other while that one sleeps, so that each wakes up the
# other one; the timer of the one that sleeps is no task. A busy machine can let all of a sleep pass before
# the other thread waits, but not each time.
cat >pair.c <<'END'
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
static int there[2], back[2];
static void *echo(void *unused)
{
	char c;
	prctl(PR_SET_NAME, "echoes");
	while (read(there[0], &c, 1) == 1) { usleep(10000); if (write(back[1], &c, 1) != 1) break; }
	return unused;
}
int main(void)
{
	pthread_t thread;
	char c = 0;
	if (pipe(there) || pipe(back) || pthread_create(&thread, NULL, echo, NULL)) return 1;
	for (int i = 0; i < 20; i++) {
		usleep(10000);
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 1;
	}
	close(there[1]);
	pthread_join(thread, NULL);
	return 0;
}
END
"$CC" -O1 -pthread -o pair pair.c || complain "two threads: cannot be compiled"

# woken WHO WHOM: how many waits ended so
woken()
{
	"$XPERF" report -i pair.data -s comm,waker --no-children --json 2>err |
		grep -o "\"members\": [^]]*\], \"comm\": \"$2\", \"waker\": \"$1\"" |
		sed 's/.*"samples": \([0-9]*\)}\].*/\1/' | awk '{ sum += $1 } END { print sum + 0 }'
}

if "$XPERF" record --off-cpu --wakers -g -o pair.data ./pair >out 2>err; then
	whole pair.data 'who ends waits'
	[[ $(woken echoes pair) -ge 5 ]] || complain "echoes has ended $(woken echoes pair) waits of pair, not 5 at least"
	[[ $(woken pair echoes) -ge 5 ]] || complain "pair has ended $(woken pair echoes) waits of echoes, not 5 at least"
	[[ $(woken pair pair) == 0 && $(woken echoes echoes) == 0 ]] || complain "a thread has ended its own wait"
	"$XPERF" report -i pair.data -s comm,waker --stdio --no-children -g none >out 2>err
	grep -q '^# Time: ' out && grep -q "of event 'sched:sched_waking'" out ||
		complain "the times are not beside each other, or who was woken is not an event of its own"
	# Not each timer of an idle CPU is sampled: then nobody is named, and never the wrong one.
	if "$XPERF" record -a --off-cpu --wakers -o pair.data ./pair >out 2>err && ! grep '^Lost' err; then
		by_pair=$(woken pair echoes) by_echoes=$(woken echoes echoes)
		((by_pair >= 5 && by_echoes == 0)) ||
			complain "-a: pair has ended $by_pair waits of echoes, echoes $by_echoes"
	fi
elif ! grep -Eiq 'permi|tracefs|tracepoint' err; then
	complain "--wakers cannot be recorded, and why is not said"
fi
"$XPERF" report -i all.data -s waker --no-children -g none >out 2>err
[[ $(grep -v '^#' out | awk 'NF { print $NF }' | sort | tr '\n' ' ') == 'N/A [unknown] ' ]] ||
	complain "-s waker without --wakers: something is known"

# the whole machine, where that is allowed
if "$XPERF" record -a --off-cpu -e cpu-clock -o machine.data ./nap >out 2>err && ! grep '^Lost' err; then
	check machine.data '-a'
fi

# While another recorder samples the same, the kernel gives samples of the one the ids of the other, which
# begins later.
# shellcheck disable=SC2016 # for the inner shell
if "$XPERF" record -a --off-cpu -e cpu-clock -o both.data \
	sh -c '"$1" record -q -a --off-cpu -e cpu-clock -o other.data ./nap & ./nap; wait' - "$XPERF" >out 2>err && ! grep '^Lost' err; then
	naps=$("$XPERF" script -f -i both.data -F comm,event,period 2>err |
		awk '$1 == "nap" && /offcpu-time/ && $2 >= 50000000 { a++ } $1 == "nap" && /offcpu-time/ && $2 >= 200000000 { b++ } END { print a + 0, b + 0 }')
	[[ ${naps% *} -ge 8 && ${naps#* } -ge 2 && ! -s err ]] || complain "two recorders: waits of 100 and 400 ms, twice: $naps"
	whole both.data 'two recorders'
fi

# Who does not know of it: a command that mostly waited gets a hint, below the text; but not programs that
# read the output, or where waits were asked for.
hint="^Note: 'sleep' used CPUs for 0.0[0-9] of 1\.[0-9]* s and mostly waited: xperf record --off-cpu shows where"
hints()
{
	"$XPERF" "$@" sleep 1.05 >out 2>err
	grep -c "$hint" err || true
}
[[ $(hints stat -e task-clock) == 1 ]] || complain "stat: no hint: $(<err)"
[[ $(hints record -o none.data) == 1 ]] || complain "record: no hint: $(<err)"
for line in "stat -e task-clock -x," "stat -e task-clock -j" "stat -a -e cpu-clock" "record -o none.data --off-cpu" "record -q -o none.data" \
	"record -o none.data -e page-faults"; do
	# shellcheck disable=SC2086 # words
	[[ $(hints $line) == 0 ]] || complain "$line: a hint: $(<err)"
done

# what contradicts it
record --off-cpu=soon -o none.data true
is 129 "^Error: --off-cpu: 'soon' is not a time" 'a wrong limit'
record --wakers -o none.data true
is 129 '^Error: --wakers shows who ends the waits of --off-cpu' '--wakers alone'
record --off-cpu --overwrite -o none.data true
is 129 '^Error: --off-cpu follows all switches' '--overwrite'
exit $failed
