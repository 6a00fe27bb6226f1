#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The library does not print, does not end the program, calls nothing that keeps state of its own, and
# has no variables that outlive a call, but for those named here; and the check notices each.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool nm

# Functions and variables of libc that no object of a library may use. _exit() is for children that
# have not reached their exec.
forbidden='printf vprintf fprintf vfprintf puts putchar fputs fputc putc fwrite perror psignal stdout
	stderr err errx warn warnx verr verrx vwarn vwarnx error syslog vsyslog
	exit _Exit quick_exit abort atexit on_exit raise
	setlocale strtok rand srand random srandom localtime gmtime ctime asctime getopt getopt_long'

# Why these are there is said where they are defined.
allowed='before    lib/sys/spawn.c: what the kernel keeps once per process
affinity  lib/sys/sys-linux.c: of the thread
program   lib/evlist/regions-program.c: the regions of the process
asking    lib/symbol/debuginfod.c: of the thread
nr_threads lib/evlist/self.c: numbers for threads that count themselves
thread_nr lib/evlist/self.c: of the thread'

# What the tools of the compiler add: its own, the sanitizers'.
ours()
{
	grep -vE '^(_|completed\.)' || true
}

# check LIBRARY: a line per fault
check()
{
	local name

	# printf() is __printf_chk() where the compiler checks it
	for name in $(nm -D --undefined-only --format=posix "$1" |
		awk '{ sub(/@.*/, "", $1); sub(/^__/, "", $1); sub(/_chk$/, "", $1); print $1 }'); do
		! grep -qwF -- "$name" <<<"$forbidden" || echo "uses $name"
	done
	nm --defined-only --format=sysv "$1" |
		awk -F'|' '$NF ~ /\.(data|bss|tdata|tbss)$/ { sub(/ .*/, "", $1); sub(/[.]lto_priv[.][0-9]+$/, "", $1); print $1 }' | ours |
		while read -r name; do
			grep -q "^$name " <<<"$allowed" || echo "keeps $name"
		done
}

faults=$(check "$BUILD_DIR/libxperf.so")
[[ -z $faults ]] || { echo "$faults"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/faulty.c" <<'END'
#include <stdio.h>
#include <stdlib.h>

static int calls;
static _Thread_local int calls_here = 1;

void tell(int n);
void tell(int n)
{
	printf("%d\n", n + ++calls + ++calls_here);
	fprintf(stderr, "%d\n", n);
	exit(n);
}
END
"${CC:-cc}" -O2 -shared -fPIC -o "$work/faulty.so" "$work/faulty.c"
noticed=$(check "$work/faulty.so")
for word in "uses printf" "uses fprintf" "uses stderr" "uses exit" "keeps calls" "keeps calls_here"; do
	grep -qx "$word" <<<"$noticed" || { echo "not noticed: $word"; exit 1; }
done
echo "nothing but: $(tr '\n' ';' <<<"$allowed")"
