#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stat --functions of the kernel: each call of the command and of what it starts is counted and has a time, and
# no call of others; what counting itself calls is left out and said. Nothing stays in the kernel.
set -uo pipefail
# shellcheck source=tests/live/bpf.sh
. "${SOURCE_DIR:?}/tests/live/bpf.sh"
own_folder
need_bpf
"$XPERF" stat --functions kernel:vfs_write -o /dev/null true 2>errors ||
	skip "functions of the kernel cannot be counted here: $(head -n 1 errors)"
cat >calls.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Writes 100 times and sleeps 10 times for 2 ms, in itself and in as many children as it is told. */
int main(int argc, char **argv)
{
	const struct timespec wait = { 0, 2000000 };
	int fd = open("/dev/null", O_WRONLY);

	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		if (!fork())
			return main(1, argv);
	for (int i = 0; i < 100; i++)
		if (write(fd, "x", 1) != 1)
			return 1;
	for (int i = 0; i < 10; i++)
		nanosleep(&wait, NULL);
	while (wait4(-1, NULL, 0, NULL) > 0)
		;
	return 0;
}
END
"${CC:-cc}" -O1 -o calls calls.c 2>errors || skip "no program can be made: $(head -n 1 errors)"
# counted FILE FUNCTION CALLS MIN_NS: so many calls, all of them with times, of that length at least
counted()
{
	[[ -e $1 ]] || return 0
	awk -F, -v name="$2" -v calls="$3" -v min="$4" '
		$9 == name { found = $1 == calls && $2 == calls && $3 >= calls * min }
		END { exit !found }
	' "$1" || fail "$2 in $1: $(grep ",$2," "$1")"
}

# --- a command, while others call the same; with its children; two at once ---
while :; do ./calls; done &
others=$!
started+=("$others")
# stat_seen FILE OPTIONS... COMMAND...: until the kernel has run all programs; without FILE where it never does
stat_seen()
{
	local file=$1 errors=errors.$1

	shift
	for _ in 1 2 3 4 5; do
		"$XPERF" stat -x, -o "$file" "$@" 2>"$errors" || return
		grep -q '^Warning: calls can be missing' "$errors" || return 0
		rm "$file"
	done
	echo "$file: $(grep '^Warning: calls can be missing' "$errors")"
}
stat_seen one --functions kernel:vfs_write,kernel:hrtimer_nanosleep ./calls || fail "status $?"
counted one vfs_write 100 1
counted one hrtimer_nanosleep 10 2000000
stat_seen children -e page-faults --functions 'kernel:vfs_writ?,kernel:hrtimer_nanosleep' ./calls 5 &
stat_seen alone -i --functions kernel:vfs_write,kernel:hrtimer_nanosleep ./calls 5 || fail "status $?"
wait $! || fail "status $?"
counted children vfs_write 600 1
counted children hrtimer_nanosleep 60 2000000
counted alone vfs_write 100 1
kill "$others"
wait "$others" 2>/dev/null

# --- functions that counting calls, too ---
"$XPERF" stat -x, -o locks --functions 'kernel:_raw_spin_lock*,kernel:*lru*,kernel:vfs_write' ./calls 2>errors || fail "status $?"
grep -q '^Warning: [0-9]* calls are left out' errors || fail "nothing is left out: $(<errors)"
counted locks vfs_write 100 1

# --- what cannot be counted has a reason ---
"$XPERF" stat -x, -o starts --functions 'kernel:vfs_caches_init*,kernel:vfs_write' ./calls || fail "status $?"
if grep -q ,vfs_caches_init, starts; then
	grep -q '^,,.*,vfs_caches_init,kernel,the kernel attaches nothing to it$' starts || fail "no reason: $(<starts)"
fi

# --- nothing stays ---
mkfifo ready
# shellcheck disable=SC2016
"$XPERF" stat -o ended --functions kernel:vfs_write sh -c 'echo >"$1"; exec sleep 100000' - ready &
counter=$!
started+=("$counter")
read -r _ <ready
sleeper=$(pgrep -P "$counter" -x sleep || pgrep -P "$counter")
[[ ! $sleeper ]] || started+=("$sleeper")
mapfile -t ids < <(programs_of "$counter")
kill -KILL "$counter"
wait "$counter" 2>/dev/null
[[ ! $sleeper ]] || kill -9 "$sleeper" 2>/dev/null
((${#ids[@]})) && { gone "${ids[@]}" || fail "after SIGKILL programs stay: $(./work alive "${ids[@]}")"; }
exit $failed
