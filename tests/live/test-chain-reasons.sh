#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the last lines of `record` say of call chains, `report`, its JSON and the page say of the same file: each
# number, each file, each sentence.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
: "${CC:?}"
"$XPERF" check -q feature dwarf-unwind || skip "this build unwinds no stacks"

# of_record, of_report: the lines about chains, in one form
of_record()
{
	sed -nE -e 's/^Call chains: //p' -e 's/.*, (call chains complete[^;]*).*/\1/p' err
}
of_report()
{
	sed -nE -e 's/^# Quality: ([0-9]+ of [0-9]+ user call chains? .*)/\1/p' \
		-e 's/^# Quality: ([0-9]+ (ends?|stops?|has|have) .*)/\1/p' \
		-e 's/^# Quality: .*, all (call chains complete.*)/\1/p' out
}

# same NAME ARGS...: both say the same
same()
{
	local name=$1
	shift
	record -o "$name.data" "$@"
	of_record >"$name.record"
	"$XPERF" report --stdio -i "$name.data" >out 2>report-err
	of_report >"$name.report"
	[[ -s $name.record ]] || complain "$name: record says nothing of call chains"
	cmp -s "$name.record" "$name.report" ||
		complain "$name: record and report differ: $(diff "$name.record" "$name.report")"
	"$XPERF" report --json -i "$name.data" >"$name.json" 2>report-err
}

# number NAME KEY: of chains, in JSON
number()
{
	grep -o "\"$2\": [0-9]*" "$1.json" | head -n 1 | grep -o '[0-9]*$'
}

cat >burn.c <<'END'
volatile long sum;
__attribute__((noinline)) static void leaf(void) { for (long i = 0; i < 100000000; i++) sum += i; }
__attribute__((noinline)) static void deep(volatile char *outer)
{
	volatile char room[20000];
	room[0] = *outer;
	leaf();
	sum += room[0];
}
int main(void) { volatile char room[20000] = { 1 }; deep(room); return room[1]; }
END
"$CC" -O1 -fomit-frame-pointer -o burn burn.c || skip "nothing can be compiled"

same whole --call-graph dwarf ./burn
same cut --call-graph dwarf,16384 --no-join ./burn
[[ $(number cut stack_end) -gt 0 ]] || complain "no chain ends with its copy"
same pointers --call-graph fp ./burn
same default -g ./burn

# programs that begin and end: execve() has replaced the stack, and nothing is missing
loop='for i in 1 2 3 4 5 6 7 8 9 10 11 12; do env true; done'
same exec --call-graph dwarf -F 20000 sh -c "$loop"
[[ $(number exec not_mapped) == 0 ]] || complain "execve: $(number exec not_mapped) chains end where no code is mapped"
same exec-pointers --call-graph fp -F 20000 sh -c "$loop"

# code that the program made, without a frame pointer: the list of files adds up
cat >made.c <<'END'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
volatile long sum;
__attribute__((noinline)) static void leaf(void) { for (long i = 0; i < 100000000; i++) sum += i; }
int main(void)
{
	/* push %rbx; xor %ebp,%ebp; call *%rdi; pop %rbx; ret */
	static const unsigned char code[] = { 0x53, 0x31, 0xed, 0xff, 0xd7, 0x5b, 0xc3 };
	void *at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) return 1;
	memcpy(at, code, sizeof(code));
	((void (*)(void (*)(void)))at)(leaf);
	return 0;
}
END
if [[ $(uname -m) == x86_64 ]] && "$CC" -O1 -fomit-frame-pointer -o made made.c; then
	same made --call-graph dwarf ./made
	nr=$(number made made_code)
	[[ ${nr:-0} -gt 0 ]] || complain "no chain ends in code that was made"
	grep -Eq "^$nr ends? in code made at run time, .* called: [^ ]*/made $nr\$" made.record ||
		complain "the list of what made code called does not add up: $(cat made.record)"
fi

# a chain that ends in main is complete, though nothing says where its caller is
cat >odd.c <<'END'
#include <stdlib.h>
volatile long sum;
__attribute__((noinline)) static void leaf(void) { for (long i = 0; i < 100000000; i++) sum += i; }
__attribute__((noinline)) static void middle(void) { leaf(); sum++; }
int main(int argc, char **argv)
{
	/* where the stack pointer is cannot be read from these */
	__asm__ volatile("lea (%%rsp,%q0,8), %%rsp\n\tlea -8(%%rsp), %%rsp" ::"r"((long)argc) : "memory");
	middle();
	sum++;
	_Exit(0);
}
END
if [[ $(uname -m) == x86_64 ]] && "$CC" -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables \
	-fno-unwind-tables -fno-optimize-sibling-calls -o odd odd.c 2>err; then
	same odd --call-graph dwarf ./odd
	[[ $(<odd.record) == "call chains complete" ]] || complain "chains that end in main: $(<odd.record)"
fi

# a return probe: only the kernel knows where the function returns to, and says so
if [[ $(uname -m) == x86_64 ]] && "$XPERF" stat -e "uprobe:$PWD/burn:leaf%return" true 2>err; then
	same probed --call-graph dwarf -e cpu-clock:u -e "uprobe:$PWD/burn:leaf%return" -c 1000000 ./burn
	nr=$(number probed return_probe)
	[[ ${nr:-0} -gt 0 ]] || complain "no chain ends at a return probe: $(cat probed.record)"
	[[ $(number probed not_mapped) == 0 ]] || complain "return probe: chains end where no code is mapped"
	"$XPERF" script -i probed.data -F event,ip,sym,dso >out 2>err
	grep -q '^[[:space:]]*[0-9a-f]*000 .*\[uprobes\]' out || complain "the trampoline is no frame"
fi

# the page has the same sentence
"$XPERF" export -f html -i cut.data -o cut.html >out 2>err || complain "no page"
sentence=$(sed -nE '/ends? where the copy/{s/;.*//;p}' cut.record)
sed -n '/id="data-head"/,/<\/script>/p' cut.html | sed 's/<[^>]*>//g' | base64 -di 2>err | gzip -dc >head.json 2>err
grep -qF "${sentence:-no sentence}" head.json || complain "the page does not say '$sentence'"
exit $failed
