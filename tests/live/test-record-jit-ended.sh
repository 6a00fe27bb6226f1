#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Code that a process made itself has names, although the process had its own numbers of processes and
# its own /tmp: while it runs, and after it has ended with the recording. What another user has put
# there is not believed.
set -u
# shellcheck source=tests/live/record.sh
. "$SOURCE_DIR/tests/live/record.sh"
need_record
export HOME=$dir/home
mkdir "$HOME"
unset PERF_BUILDID_DIR
[[ $(uname -m) == x86_64 ]] || skip 'the code is that of x86-64'
unshare --fork --pid --mount true 2>/dev/null || skip 'there can be no namespaces here'

# It makes two functions, and lists them in /tmp/perf-PID.map or writes them to /tmp/jit-PID.dump. With a
# second argument it makes them, says so by that file, and waits until it is gone.
cat >made.c <<'END'
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* mov eax,edi; again: dec eax; jnz again; ret */
static const unsigned char code[] = { 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void write_map(unsigned char *p)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	FILE *map = fopen(name, "w");
	if (!map)
		exit(3);
	fprintf(map, "%lx 40 made_hot\n%lx 40 made_warm a/b.js:1:2\n", (long)p, (long)p + 256);
	fclose(map);
}

static void put(int fd, const void *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		exit(4);
}

static void put_code(int fd, unsigned char *p, const char *name, uint64_t index)
{
	const uint32_t head[] = { 0, (uint32_t)(56 + strlen(name) + 1 + sizeof(code)) };
	const uint64_t time = now_ns(), at[] = { (uint64_t)p, (uint64_t)p, sizeof(code), index };
	const uint32_t ids[] = { (uint32_t)getpid(), (uint32_t)getpid() };

	put(fd, head, sizeof(head));
	put(fd, &time, sizeof(time));
	put(fd, ids, sizeof(ids));
	put(fd, at, sizeof(at));
	put(fd, name, strlen(name) + 1);
	put(fd, code, sizeof(code));
}

static void write_dump(unsigned char *p)
{
	const uint32_t head[] = { 0x4A695444, 1, 40, EM_X86_64, 0, (uint32_t)getpid() };
	const uint64_t times[] = { now_ns(), 0 };
	char name[64];

	snprintf(name, sizeof(name), "/tmp/jit-%d.dump", getpid());
	int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0644);
	if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(5);
	put(fd, head, sizeof(head));
	put(fd, times, sizeof(times));
	put_code(fd, p, "made_hot", 1);
	put_code(fd, p + 256, "made_warm", 2);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	clock_t end;

	if (p == MAP_FAILED || argc < 3)
		return 2;
	memcpy(p, code, sizeof(code));
	memcpy(p + 256, code, sizeof(code));
	if (!strcmp(argv[1], "map"))
		write_map(p);
	else
		write_dump(p);
	end = clock() + (clock_t)(atof(argv[2]) * CLOCKS_PER_SEC);
	while (clock() < end) {
		((void (*)(int))p)(200000);
		((void (*)(int))(p + 256))(100000);
	}
	return 0;
}
END
"$CC" -O1 -static made.c -o made 2>err || "$CC" -O1 made.c -o made 2>err || skip "no program can be built: $(head -n 1 err)"

# names WHAT: both functions are in the report
names()
{
	"$XPERF" report -i data -q --stdio -s symbol >report 2>report.err
	head -n 4 report | grep -q made_hot && head -n 4 report | grep -q made_warm || {
		complain "$1: what was made has no names"
		sed 's/^/    | /' report report.err | head -n 6
	}
}

contained='mount -t tmpfs none /tmp && exec'
for how in map dump; do
	# With the recording it ends.
	record -o data unshare --fork --pid --mount --mount-proc sh -c "exec 3<made; $contained /proc/self/fd/3 $how 0.4"
	names "$how, which ended"
	grep -q '^Note: .*kept in' err || complain "$how: nothing is said about what was kept"
	rm -rf "$HOME/.debug"
	# It goes on; nothing but the process has it, if nothing is kept.
	unshare --fork --pid --mount --mount-proc sh -c "exec 3<made; $contained /proc/self/fd/3 $how 30" &
	unshared=$!
	until pid=$(pgrep -P $unshared) && grep -qa "$how" "/proc/$pid/cmdline" 2>/dev/null; do
		kill -0 $unshared 2>/dev/null || break
	done
	until [[ -n $(ls "/proc/$pid/root/tmp/" 2>/dev/null) ]] || ! kill -0 $unshared 2>/dev/null; do :; done
	record -o data -p "$pid" sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	names "$how, while it runs"
	if [[ $how == map ]]; then
		rm -rf "$HOME/.debug"
		record -N -o data -p "$pid" sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
		names "$how, while it runs, and nothing was kept"
		# What is no file of that process's user, or a link, is not believed.
		map=$(ls "/proc/$pid/root"/tmp/perf-*.map)
		chown 65534 "$map"
		"$XPERF" report -i data -q --stdio -s symbol 2>/dev/null | grep -q made_hot &&
			complain 'a map of another user is believed'
		chown 0 "$map"
		mv "$map" "$map.real"
		ln -s "$map.real" "$map"
		"$XPERF" report -i data -q --stdio -s symbol 2>/dev/null | grep -q made_hot &&
			complain 'a link is believed'
	fi
	kill "$pid" 2>/dev/null
	wait $unshared 2>/dev/null
	rm -rf "$HOME/.debug"
done
# Of a process that has ended it is not known whose it was: its map is that of root, or of who asks.
if [[ $(id -u) == 0 ]]; then
	record -N -o data sh -c 'echo $$ >pid; exec ./made map 0.2'
	map=/tmp/perf-$(<pid).map
	names 'the map of a process that has ended'
	chown 65534 "$map"
	"$XPERF" report -i data -q --stdio -s symbol 2>/dev/null | grep -q made_hot &&
		complain 'a map of another user is believed, as its process has ended'
	rm -f "$map"
fi
exit "$failed"
