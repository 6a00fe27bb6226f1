#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A recorder of the whole machine that is killed: samples with a wrong command are reported, and no others
# are wrong. The programs change CPUs, so that what names them is in another ring than their samples.
# The same where files are switched, at the ends of which no command is wrong.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
"$XPERF" record -q -a -e cpu-clock:u -o probe true 2>err || skip "the machine cannot be recorded: $(head -n 1 err)"
[[ $(nproc) -gt 1 ]] || skip 'one CPU has one ring'

cat >wander.c <<'C'
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long sum;

static void move(int round)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(round % 2, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

int main(int argc, char **argv)
{
	printf("%d %s\n", (int)getpid(), argv[argc - 1]);
	fflush(stdout);
	for (int round = 0; round < 6; round++) {
		move(round);
		for (int i = 0; i < 1000000; i++)
			sum += (unsigned long)i;
	}
	return 0;
}
C
${CC:-cc} -D_GNU_SOURCE -O1 -o wander wander.c 2>err || skip "no compiler: $(head -n 1 err)"
for i in {1..9}; do
	cp wander "wander-$i"
done

# Runs them one after the other until it is killed.
run_all()
{
	while :; do
		for i in {1..9}; do
			"./wander-$i" "wander-$i" >>"truth.$1"
		done
	done
}

# begin: two of them at a time, a group of processes each
begin()
{
	rm -f truth.*
	run_all 1 &
	loops=$!
	run_all 2 &
	loops+=" $!"
}

end()
{
	for pid in $loops; do
		kill -KILL -- "-$pid"
		wait "$pid"
	done 2>/dev/null
}

# Of a file's samples, how many from the end the first one with a wrong command is; 0: none is wrong.
# Before its exec, a process has the name of this shell, and a known place in that, unless it ran when
# the recorder started: /proc may have shown the maps that it got by the exec.
wrong_from_end()
{
	"$XPERF" script -i "$1" -G -F comm,tid,ip,sym,dso 2>/dev/null | cat truth.* - | awk '
		NF == 2 && $2 ~ /^wander-/ { name[$1] = $2; next }
		++nr <= 100 { early[$2] = 1 }
		!($2 in name) || $1 == name[$2] || first { next }
		$1 ~ /^wander-/ || (/ \(\[unknown\]\)/ && !($2 in early)) || /\/wander-/ { first = nr }
		END { print first ? nr - first + 1 : 0 }'
}

# judge FILE DOUBTFUL WHAT: nothing is wrong but among the last samples. Where the kernel lost records,
# that says why.
judge()
{
	local wrong

	wrong=$(wrong_from_end "$1")
	"$XPERF" report -i "$1" -s comm >out 2>err
	if grep -q 'has no samples' err; then
		echo "not tried: $3: there are no samples yet"
		return
	fi
	grep -q '^# Quality: [0-9]* samples' out || complain "$3: no line of quality"
	if grep -q '^# Quality: .* records* lost' out; then
		echo "not tried: $3: the kernel lost records"
	elif ((wrong > $2)); then
		complain "$3: a command is wrong $wrong samples before the end, and $2 are doubtful"
	fi
}

for ((i = 0; i < ${KILLS:-2}; i++)); do
	begin
	start -q -a -F 10000 -o killed
	goes_on
	sleep "1.$(((i * 35 + 5) % 100))"
	kill -KILL $pid
	wait $pid 2>/dev/null
	end
	"$XPERF" report -i killed --header-only >out 2>err
	grep -q '^# end : none, as the recorder was killed$' out ||
		complain 'the header does not say that the recorder was killed'
	"$XPERF" report -i killed -s comm >out 2>err
	doubtful=$(sed -n 's/^# Quality: .* cut off: \([0-9]*\) samples at the end.*/\1/p' out)
	judge killed "${doubtful:-0}" 'killed'
done

begin
"$XPERF" record -q -a -F 10000 -e cpu-clock:u --switch-output=1s -o switched -- sleep 2.5 >out 2>err
status=$?
end
[[ $status == 0 ]] || complain "switched files: exit status $status"
for file in switched.*; do
	judge "$file" 0 "$file"
done
exit $failed
