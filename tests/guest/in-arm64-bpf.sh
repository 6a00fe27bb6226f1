# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the guest of test-arm64-bpf.sh, behind checks.sh: one CPU, which executes an instruction per cycle.
export XPERF_PMU_EMULATED=1 LD_LIBRARY_PATH=/host/build LC_ALL=C
ln -sf /usr/bin/mawk /usr/bin/awk
loop=tests/counted-loop
cgroups=/sys/fs/cgroup
"$XPERF" stat --bpf-counters -e instructions true || fail "BPF cannot count here"

# field FILE EVENT ROW FIELD: of CSV; ROW: of a cgroup, or ""
field()
{
	awk -F, -v event="$2" -v row="$3" -v nr="$4" '$3 == event && (row == "" || $4 == row) { print $nr }' "$1"
}

# alike FILE ROW: what BPF has counted of both events, beside the others
alike()
{
	local event

	for event in instructions cycles; do
		about "$event:u, by BPF${2:+, in $2}" "$(field "$1" "$event:ub" "$2" 1)" "$(field "$1" "$event:u" "$2" 1)"
	done
}

pairs=instructions:u,instructions:ub,cycles:u,cycles:ub
"$XPERF" stat -x, -o /tmp/task -e $pairs $loop 20000000 || fail "a command"
alike /tmp/task ""
((40000000 < $(field /tmp/task instructions:ub "" 1))) || fail "the loop has more instructions"

# Two cgroups that take turns on the CPU, one of which has a task that leaves it.
mkdir $cgroups/one $cgroups/two
cat >/tmp/in-cgroups <<'END'
enter() { echo "$BASHPID" >"/sys/fs/cgroup/$1/cgroup.procs"; }
(enter one; tests/counted-loop 20000000; enter two; tests/counted-loop 5000000) &
(enter two; tests/counted-loop 10000000) &
wait
END
"$XPERF" stat -a -x, -o /tmp/cgroups -e $pairs --for-each-cgroup one,two bash /tmp/in-cgroups || fail "cgroups"
alike /tmp/cgroups one
alike /tmp/cgroups two
((40000000 < $(field /tmp/cgroups instructions:ub one 1))) || fail "the loop in the first cgroup has more"

# count NAME OPTIONS: six events of seven counters, until it is told to end
count()
{
	local name=$1

	shift
	mkfifo "/tmp/$name.ready" "/tmp/$name.end"
	# shellcheck disable=SC2016
	"$XPERF" stat -a -x, -o "/tmp/$name" -e instructions:u,instructions:k,instructions,cycles:u,cycles:k,cycles "$@" \
		bash -c 'echo >"$0.ready"; read -r _ <"$0.end"' "/tmp/$name" &
	read -r _ <"/tmp/$name.ready"
}

# percentages NAME: of the time in which each event was counted
percentages()
{
	awk -F, '/^[0-9]/ { print $5 }' "/tmp/$1" | sort -u | tr '\n' ' '
}

for how in "" --bpf-counters; do
	# shellcheck disable=SC2086
	count "first$how" $how
	# shellcheck disable=SC2086
	count "second$how" $how
	$loop 20000000
	echo >"/tmp/first$how.end"
	echo >"/tmp/second$how.end"
	wait
done
for name in first second; do
	[[ $(percentages $name) != "100.00 " ]] || fail "twelve events are counted all the time by seven counters"
	equal "$name, by BPF, percent of the time" "$(percentages "$name--bpf-counters")" "100.00 "
done
exit "${failed:?}"
