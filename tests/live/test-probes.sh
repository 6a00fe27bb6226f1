#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Probes count what a program of known behaviour does: functions entered and left, markers, writes
# to a variable.
set -uo pipefail
# shellcheck source=tests/machine.sh
. "${SOURCE_DIR:?}/tests/machine.sh"
: "${XPERF:?}" "${SOURCE_DIR:?}" "${CC:=cc}"
export LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
turns=1234

skip()
{
	echo "skipped: $*"
	exit 77
}

for kind in pie no-pie; do
	"$CC" -O0 "-$kind" "-f$kind" -o "$dir/$kind" "$SOURCE_DIR"/tests/data/elf/{main,other}.c \
		2>"$dir/log" || skip "no compiler that makes the program"
done
"$XPERF" check -q feature libelf || skip "no libelf"
"$XPERF" stat -e "uprobe:$dir/pie:leaf" true 2>"$dir/log" || skip "$(grep -m 1 . "$dir/log")"

# count PROGRAM EVENTS: the sum of what the events count
count()
{
	"$XPERF" stat -x ';' -o "$dir/out" -e "$2" "$dir/$1" $turns 2>"$dir/log" || cat "$dir/log" >&2
	awk -F ';' 'NF > 4 { sum += $1 } END { print sum }' "$dir/out"
}

# expect NUMBER PROGRAM EVENTS
expect()
{
	local counted

	counted=$(count "$2" "$3")
	if [[ $counted != "$1" ]]; then
		echo "$3: $counted, expected $1"
		failed=1
	fi
}

for program in pie no-pie; do
	file=$dir/$program
	expect $turns $program "uprobe:$file:leaf"
	expect $turns $program "uprobe:$file:leaf%return"
	expect $turns $program "uprobe:$file:leaf:u"
	expect 1 $program "uprobe:'$file':main"
	expect $((2 * turns)) $program "{uprobe:$file:leaf,uprobe:$file:other}"
	offset=$("$XPERF" stat -e "uprobe:$file:twice" true 2>&1 | grep -oE '\b0x[0-9a-f]+' | head -n 1)
	expect $turns $program "uprobe:$file:$offset"
	for name in plain switched; do
		"$XPERF" list sdt "$file" | grep "^  sdt:$file:app:$name  *\[SDT event\]$" >/dev/null ||
			{ echo "list: no marker $name of $program"; failed=1; }
	done
	# one place in leaf(), one in main()
	expect $((turns + 1)) $program "sdt:$file:app:plain"
	rows=$("$XPERF" stat -x ';' -e "sdt:$file:app:plain" "$file" 3 2>&1)
	[[ $rows == "4;;sdt:$file:app:plain;"* && $(wc -l <<<"$rows") == 1 ]] ||
		{ echo "the places of a marker are not one row: $rows"; failed=1; }
	places=$("$XPERF" stat --no-merge -x ';' -e "sdt:$file:app:plain" "$file" 3 2>&1 | cut -d ';' -f 3)
	[[ $(wc -l <<<"$places") == 2 ]] || { echo "places: $places"; failed=1; }
	expect $((turns + 1)) $program "$(paste -sd , <<<"$places")"
	# passed only while something listens
	expect $turns $program "sdt:$file:app:switched"
	expect $((2 * turns + 1)) $program "sdt:$file:app:*"
done

# filtered NUMBER FILTER: of the calls of leaf()
filtered()
{
	local counted

	counted=$("$XPERF" stat -x ';' -e "uprobe:$dir/pie:leaf" --filter "$2" "$dir/pie" 7 2>&1 | cut -d ';' -f 1)
	[[ $counted == "$1" ]] || { echo "filter $2: '$counted', expected $1"; failed=1; }
}

filtered 7 'comm == "pie" && common_pid != 1'
filtered 0 'comm == "nobody"'
said=$("$XPERF" stat -e "uprobe:$dir/pie:leaf" --filter 'prev_pid == 1' true 2>&1)
[[ $said == *"uprobe has no field 'prev_pid'"* ]] || { echo "a field no probe has is not refused"; failed=1; }

# Calls in threads and processes that are started meanwhile count, by a name in tracefs that is gone
# afterwards, also one that a killed process has left.
cat >"$dir/threads.c" <<'END'
#include <pthread.h>
volatile unsigned long sum;
__attribute__((noinline)) void probed(unsigned long n) { sum += n; }
static void *run(void *data)
{
	for (unsigned long i = 0; i < 250; i++)
		probed(i);
	return data;
}
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, run, 0);
	run(0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return 0;
}
END
"$CC" -O1 -pthread -o "$dir/threads" "$dir/threads.c" || failed=1
names=$(awk '$3 == "tracefs" { print $2 "/uprobe_events"; exit }' /proc/mounts)
if [[ -w $names ]]; then
	expect 1250 threads "uprobe:$dir/threads:probed"
	expect 1250 threads "uprobe:$dir/threads:probed%return"
	expect 2500 threads "{uprobe:$dir/threads:probed,uprobe:$dir/threads:probed+0}"
	counted=$("$XPERF" stat -x ';' -e "sdt:$dir/pie:app:switched" sh -c "$dir/pie 5; $dir/pie 6" 2>&1)
	[[ $counted == "11;"* ]] || { echo "a marker in processes: $counted"; failed=1; }
	"$XPERF" record -q -e "uprobe:$dir/threads:probed" -o "$dir/data" "$dir/threads" || failed=1
	[[ $("$XPERF" script -F tid -i "$dir/data" | wc -l) == 1250 ]] ||
		{ echo "record: $("$XPERF" script -F tid -i "$dir/data" | sort | uniq -c)"; failed=1; }
	"$XPERF" stat -e "uprobe:$dir/threads:probed" -p $$ 2>/dev/null &
	victim=$!
	until grep -q "xperf_$victim/" "$names" || ! kill -0 $victim; do :; done
	kill -KILL $victim
	wait $victim 2>/dev/null
	"$XPERF" stat -e "uprobe:$dir/threads:probed" true 2>/dev/null
	! grep "xperf_$victim/" "$names" || { echo "the name of a killed process stays"; failed=1; }
	"$XPERF" stat -e "uprobe:$dir/threads:probed" sh -c "grep -c xperf_ $names" >"$dir/out" 2>/dev/null
	[[ $(<"$dir/out") != 0 ]] || { echo "no name while it counts: $(<"$dir/out")"; failed=1; }
else
	echo "names left out: tracefs cannot be written here"
fi

# With -a they count in all tasks. Where some were started that the kernel does not count in, no
# format shows a number, and all say why: a path with a blank gets no name.
mkdir "$dir/a b"
cp "$dir/pie" "$dir/a b/pie"
"$XPERF" stat -e "uprobe:'$dir/a b/pie':leaf" "$dir/a b/pie" 5 2>&1 | grep '  5  ' >/dev/null ||
	{ echo "a path with a blank"; failed=1; }
ln -s "$dir/a b/pie" "$dir/blank"
file=$dir/blank
probe="uprobe:'$dir/a b/pie':leaf"
for format in -x\; -j; do
	"$XPERF" stat $format -o "$dir/out" -e "$probe" sh -c "$file 5 && $file 5" || failed=1
	grep -q '<not counted>' "$dir/out" && grep -q 'does not pass probes on' "$dir/out" ||
		{ echo "$format: processes that are not counted: $(<"$dir/out")"; failed=1; }
done
"$XPERF" stat -o "$dir/out" -e "$probe" sh -c "$file 5 && $file 5" || failed=1
grep -q 'use -a' <(tr -s '\n ' ' ' <"$dir/out") || { echo "nothing is said about processes"; failed=1; }
"$XPERF" stat -a -x ';' -o "$dir/out" -e "$probe" sh -c "$file 5 && $file 6" || failed=1
grep -q '^11;' "$dir/out" || { echo "-a: $(cat "$dir/out")"; failed=1; }

if ! machine_has breakpoint; then
	echo "breakpoints left out: $why"
else
	# set to 0, then counted up
	expect $((turns + 1)) no-pie "mem:&$dir/no-pie:turns:w:u"
	expect $turns no-pie "mem:&$dir/no-pie:leaf:u"
fi
exit $failed
