#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# -G and --for-each-cgroup bind and print as perf does, on cgroups of this machine.
set -uo pipefail
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
need_perf
: "${XPERF:?}"
export LC_ALL=C

mounted=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/mounts)
[[ $mounted ]] || mounted=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[[ $mounted ]] || skip "no cgroups are mounted that could be counted"
own=xperf-test-$$
tmp=$(mktemp -d)
busy=
cleanup()
{
	if [[ $busy ]]; then
		kill "$busy"
		wait "$busy" 2>/dev/null
	fi
	# The last task leaves its cgroup a moment after it has ended.
	for _ in {1..1200}; do
		rmdir "$mounted/$own/below" "$mounted/$own" 2>/dev/null
		[[ -e $mounted/$own ]] || break
		sleep 0.1
	done
	rm -rf "$tmp"
}
trap cleanup EXIT
mkdir "$mounted/$own" "$mounted/$own/below" 2>/dev/null || skip "cgroups cannot be made in $mounted"
perf stat -a -e cs -G "$own" true >/dev/null 2>&1 || skip "perf may not count cgroups here"

# Runs on every CPU or on any: rows of it are not compared by CPU.
"$BASH" -c 'echo $$ >"$1/cgroup.procs" && while :; do :; done' - "$mounted/$own" &
busy=$!
for _ in {1..1200}; do
	grep -q . "$mounted/$own/cgroup.procs" && break
	sleep 0.1
done
failed=0

plain()
{
	sed -E -e 's/<not counted>/0/g' -e 's/[0-9]+(\.[0-9]+)?/N/g' -e 's/[KMG]?\/sec/\/sec/g' \
		-e 's/ \( \+- *N% \)//' -e 's/ \(N%\)//' -e 's/"\(null\)"/""/g' -e 's/"reason" : "[^"]*", //' -e '/^(#|$)/d' \
		-e '/^Not counted/,$d' -e 's/ +/ /g' -e 's/ $//' "$1"
}

# print_both ARGS...: whether both print the same
print_both()
{
	perf stat -a -o "$tmp/perf" "$@" sleep 0.2 >/dev/null 2>"$tmp/perf.err" </dev/null
	"$XPERF" stat -a -o "$tmp/xperf" "$@" sleep 0.2 >/dev/null 2>"$tmp/xperf.err" </dev/null
	plain "$tmp/perf" >"$tmp/perf.plain"
	plain "$tmp/xperf" >"$tmp/xperf.plain"
	diff -u "$tmp/perf.plain" "$tmp/xperf.plain" >"$tmp/diff"
}

# same ARGS...: both with `stat -a ARGS`. On a crowded machine the cgroup may not have run while one
# of them counted, which is printed otherwise: what differs always is wrong.
same()
{
	for _ in {1..10}; do
		print_both "$@" && return
	done
	echo "stat -a $*: not as perf prints it"
	cat "$tmp/diff" "$tmp/xperf.err"
	failed=1
}

for format in "" "-x," -j; do
	# shellcheck disable=SC2086
	{
		same $format -e task-clock,cs -G "$own,"
		same $format -e cs,task-clock -G ",$own"
		same $format -e task-clock -e cs,page-faults -G "$own"
		same $format -e cs -G "$own" -e cs
		same $format -e cs,cs,cs -G "$own" -G "/"
		same $format -e cs -G ,
		same $format -r 2 -e cs -G "$own"
		same $format -I 100 --interval-count 1 -e cs,task-clock -G ",$own"
		same $format --for-each-cgroup "$own/below,/$own," -e cs,task-clock
		same $format --for-each-cgroup "^$own/b" -e cs
	}
done

# It counts what runs in it, and in what is above.
counts_own()
{
	"$XPERF" stat -a -x, -o "$tmp/own" -e task-clock,task-clock -G "$own,$own/below" sleep 0.3
	awk -F, -v own="$own" '
		$4 == own { counted = $1 > 0 }
		$4 == own "/below" { none = $1 == "<not counted>" }
		END { exit !(counted && none) }
	' "$tmp/own"
}
for _ in {1..10}; do
	counted=1
	counts_own && break
	counted=0
done
((counted)) || {
	echo "what runs in a cgroup is not counted there:"
	cat "$tmp/own"
	failed=1
}
# One that is removed and created again is another one, which is reported.
"$XPERF" stat -a -o "$tmp/remade" -e cs -G "$own/below" bash -c 'rmdir "$1" && mkdir "$1"' - "$mounted/$own/below"
grep -q 'removed and created again' <(tr -s '\n ' ' ' <"$tmp/remade") ||
	{ echo "a cgroup that is made again: not told: $(<"$tmp/remade")"; failed=1; }
exit $failed
