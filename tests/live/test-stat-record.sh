#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stat record and stat report: what was counted comes back in every format and in other rows, perf
# reads our recordings, and perf's are read.
set -uo pipefail
: "${XPERF:?}"
export LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
software=page-faults:u,task-clock:u

if ! "$XPERF" stat -e $software true 2>err; then
	echo "skipped: software events cannot be counted here: $(head -n 1 err)"
	exit 77
fi
cpus=()
"$XPERF" stat -a -e cs true 2>err && cpus=(-a)

# complain TEXT FILE...: one fault, with what was printed
complain()
{
	echo "$1"
	shift
	tail -n 20 "$@"
	failed=1
}

# rows FILE: without what a recording does not have: title, user and system time, reasons
rows()
{
	grep -vE 'Performance counter stats|seconds (user|sys)$|^Not (counted|supported)|^# started|^ *$' "$1"
}

# same WHAT A B: their rows are equal, and there are some
same()
{
	rows "$2" >a
	rows "$3" >b
	if [[ ! -s a ]] || ! cmp -s a b; then
		complain "$1: other rows" "$2" "$3"
	fi
}

# there_and_back [OPTION...]: stat record prints the same as stat report later
there_and_back()
{
	rm -f perf.data
	"$XPERF" stat record "$@" >out 2>counted || complain "stat record $*: status $?" counted
	"$XPERF" stat report 2>shown || complain "stat report after $*: status $?" shown
	same "stat report after $*" counted shown
	command -v perf >/dev/null || return
	if ! perf stat report 2>by-perf; then
		complain "perf cannot read what stat record $* wrote" by-perf
	elif [[ $* != *-I* ]]; then
		same "perf stat report after $*" counted by-perf
	fi
}

there_and_back -e $software true
there_and_back -e "{$software}" -e dummy:u true
there_and_back -e $software -I 20 sleep 0.05
there_and_back -e $software,cycles:u,duration_time true
"$XPERF" stat record -e page-faults:u,cycles:u true 2>counted
"$XPERF" script >shown
[[ $(wc -l <shown) == 3 ]] || complain "script: a row of each event, counted or not" shown
there_and_back -e $software --per-thread -p $$ sleep 0.02
if ((${#cpus[@]})); then
	for mode in --no-aggr --per-socket --per-die --per-core --per-node; do
		there_and_back -a $mode -e cs,cpu-clock sleep 0.02
	done
	there_and_back -C 0 -e cs sleep 0.02
	cpu=$(grep -oE '[0-9]+$' /sys/devices/system/cpu/online)
	"$XPERF" stat record -C "$cpu" -e cs true 2>counted
	"$XPERF" script >shown
	[[ $(awk 'NR == 2 { print $1, $2 }' shown) == "$cpu -1" ]] || complain "script of -C $cpu" shown

	# Rows that are chosen later are those of the same counts.
	"$XPERF" stat record -a -A -x, -e page-faults sleep 0.05 2>counted
	"$XPERF" stat report -A -x, 2>shown
	same "stat report -A -x," counted shown
	"$XPERF" stat report --per-core -j 2>shown
	sum() { grep -oE '"counter-value" : "[0-9]+' "$1" | awk -F'"' '{ n += $4 } END { print n + 0 }'; }
	[[ $(awk -F, '{ n += $2 } END { print n + 0 }' counted) == "$(sum shown)" ]] ||
		complain "the sum over cores is not that over CPUs" counted shown
	# Not every machine lists its caches.
	if "$XPERF" stat report --per-cache -j 2>by-cache; then
		[[ $(sum by-cache) == "$(sum shown)" ]] ||
			complain "the sum over caches is not that over cores" shown by-cache
	fi
	"$XPERF" stat record -a --per-cluster -e page-faults sleep 0.02 2>counted
	"$XPERF" stat report 2>shown || complain "stat report of clusters: status $?" shown
	grep -q '^Warning: perf.data does not list clusters: rows are of dies$' shown ||
		complain "no warning about clusters" shown
	grep -qE '^S[0-9]+-D-?[0-9]+ ' shown || complain "clusters are not rows of dies" shown
	"$XPERF" stat report --per-cluster 2>shown && complain "--per-cluster: status 0" shown
	grep -q '^Error: perf.data does not list clusters' shown || complain "--per-cluster: no reason" shown
	for format in -B "-x," -j; do
		"$XPERF" stat report --per-thread $format 2>shown ||
			complain "--per-thread $format: status $?" shown
	done
fi

# Streams, files by name, and what perf writes.
"$XPERF" stat record -o - -e $software true 2>counted | "$XPERF" stat report 2>shown
same "a stream" counted shown
grep -q "Performance counter stats for 'pipe':" shown || complain "a stream has another title" shown
"$XPERF" stat record -o named.data -e $software true 2>counted
"$XPERF" stat report -i named.data -o shown 2>err || complain "stat report -o: status $?" err
same "stat report -i -o" counted shown
[[ ! -s err ]] || complain "stat report -o: prints beside it" err
"$XPERF" script -i named.data | grep page-faults >/dev/null || complain "script has no counts" named.data
if command -v perf >/dev/null && perf stat record -o theirs.data -e $software true 2>counted; then
	"$XPERF" stat report -i theirs.data 2>shown || complain "of perf: status $?" shown
	same "a recording of perf" counted shown
fi

# What perf wrote long ago, on other machines. A version of perf cannot read all of them itself; of
# intervals, only the counts are equal.
for file in "${XPERF_CORPUS:-/nonexistent}"/files/*-statrec*; do
	[[ -e $file ]] || continue
	"$XPERF" stat report -i "$file" 2>shown || complain "$file: status $?" shown
	grep -qE '[0-9] +page-faults' shown || complain "$file: no counts" shown
done

# refuse REGEX [ARGUMENT...]: refused with a sentence
refuse()
{
	local regex=$1 status
	shift
	"$XPERF" stat "$@" >out 2>err </dev/null
	status=$?
	if ((status != 129 && status != 255)) || ! grep -qE "^Error: .*$regex" err; then
		complain "stat $*: status $status, without '$regex'" err
	fi
}

refuse "-r cannot be combined with record" record -r 2 true
refuse "choose one" record -n true
refuse "--append cannot" record --append true
refuse "cannot be created" record -o /nonexistent/x true
refuse "unexpected argument" report named.data
refuse "No such file" report -i missing.data
refuse "no rows per CPU or place" report -i named.data --per-core
refuse "is no level of a cache" report -i named.data --per-cache=7
"$XPERF" record -q -e cpu-clock:u -o samples.data true >out 2>err &&
	refuse "has no counts" report -i samples.data

# Damage: no crash, and never success without a count.
size=$(stat -c %s named.data)
for ((i = 0; i < 48; i++)); do
	if ((i % 2)); then
		head -c $((size * i / 48)) named.data >hurt.data
	else
		cp named.data hurt.data
		printf '\377\377\377' |
			dd of=hurt.data bs=1 seek=$((104 + i * 26)) conv=notrunc status=none
	fi
	timeout 300 "$XPERF" stat report -i hurt.data -x, >out 2>err
	status=$?
	((status == 0 || status == 255)) || complain "damage $i: status $status" err
	if ((!status)) && ! grep -q page-faults err; then
		complain "damage $i: no count, but status 0" err
	fi
done
exit $failed
