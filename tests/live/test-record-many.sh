#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What perf makes of our recording, and of its own, of programs that are hard to follow: many processes
# that hardly live, chains of exec, libraries loaded at run time, code made at run time.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
. "${SOURCE_DIR:?}/tests/live/perf.sh"
need_perf 6.1 7.2
need_record
command -v "${CC:=cc}" >/dev/null || skip "no C compiler"

# both NAME OPTIONS... -- COMMAND...: perf.NAME and ours.NAME
both()
{
	local name=$1
	shift
	perf record -q --no-bpf-event -e cpu-clock:u -o "perf.$name" "$@" >/dev/null 2>&1 ||
		echo "$name: perf itself fails: exit status $?"
	"$XPERF" record -q --no-bpf-event -e cpu-clock:u -o "ours.$name" "$@" >out 2>err ||
		complain "$name: exit status $?"
	whole "ours.$name" "$name"
}

# most FILE KEY: what most samples are in
most()
{
	perf report --stdio --percent-limit 50 -g none --sort "$2" -i "$1" 2>/dev/null |
		awk '/^ +[0-9]/ { print $NF; exit }'
}

# agree NAME KEY VALUE: in both most samples are in VALUE
agree()
{
	local theirs ours

	theirs=$(most "perf.$1" "$2") ours=$(most "ours.$1" "$2")
	[[ $theirs == "$3" ]] || echo "$1: perf itself finds $2 '$theirs', not '$3'"
	[[ $ours == "$3" ]] || complain "$1: most samples are in $2 '$ours', not '$3'"
}

cat >work.c <<'C'
unsigned long work(unsigned long n)
{
	volatile unsigned long x = 1;

	for (unsigned long i = 0; i < n; i++)
		x = x * 3 + i;
	return x;
}
C
"$CC" -O1 -shared -fPIC -o libwork.so work.c || skip "no shared library can be made"

# --- a library that is loaded when it is needed ---

cat >load.c <<'C'
#include <dlfcn.h>

int main(void)
{
	void *library = dlopen("./libwork.so", RTLD_NOW);
	unsigned long (*work)(unsigned long) = library ? dlsym(library, "work") : 0;

	if (!work)
		return 1;
	work(100000000);
	return 0;
}
C
"$CC" -O1 -o load load.c -ldl || skip "no program can be made"
both dlopen ./load
agree dlopen sym work
agree dlopen dso libwork.so

# --- code that is made while it runs, and a map of it in /tmp ---

if [[ $(uname -m) == x86_64 ]]; then
	cat >jit.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* mov $300000000, %ecx; 1: dec %ecx; jnz 1b; ret */
static const unsigned char code[] = { 0xb9, 0x00, 0xa3, 0xe1, 0x11, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };

int main(void)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %lx made_at_run_time\n", (unsigned long)at, sizeof(code));
	fclose(map);
	((void (*)(void))at)();
	return 0;
}
C
	"$CC" -O1 -o jit jit.c || skip "no program can be made"
	both jit ./jit
	agree jit sym made_at_run_time
	rm -f /tmp/perf-"$(perf script -F pid -i ours.jit 2>/dev/null | awk 'NR == 1 { print $1 }')".map \
		/tmp/perf-"$(perf script -F pid -i perf.jit 2>/dev/null | awk 'NR == 1 { print $1 }')".map
fi

# --- a chain of exec ---

both exec sh -c 'exec sh -c "exec sh -c \"exec ./load\""'
agree exec comm load
agree exec sym work

# --- many processes that hardly live ---

cat >processes.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}
C
"$CC" -O1 -o processes processes.c || skip "no program can be made"
"$XPERF" record -q --no-bpf-event -e cpu-clock:u -o ours.processes ./processes 10000 >out 2>err ||
	complain "processes: exit status $?"
whole ours.processes processes
perf script --show-task-events -i ours.processes >shown 2>/dev/null
nr=$(grep -c 'PERF_RECORD_FORK' shown)
((nr >= 10000)) || complain "10,000 processes: $nr are in the recording"
nr=$(grep -c 'PERF_RECORD_EXIT' shown)
((nr == 10001)) || complain "10,000 processes: $nr ends are in the recording"
exit $failed
