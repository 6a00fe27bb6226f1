#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What -b counts of BPF programs that run a known number of times: no more than the kernel's own time of
# their runs, no less than the shortest run allows; nothing while they do not run; nothing stays.
set -uo pipefail
# shellcheck source=tests/live/bpf.sh
. "${SOURCE_DIR:?}/tests/live/bpf.sh"
own_folder
need_bpf

"${CC:-cc}" -O1 -o runs "$SOURCE_DIR/tests/live/bpf-runs.c" 2>errors || skip "no program can be made: $(head -n 1 errors)"
mkfifo asked answered
./runs <asked >answered &
started+=("$!")
exec {ask}>asked {answers}<answered
read -r -t 120 one other untyped why <&$answers || skip "no BPF programs can be loaded"
[[ $why == attachable ]] || skip "the kernel attaches nothing to BPF programs: ${why:-$one $other $untyped}"
# ask PROGRAM TIMES...: runs programs, writes what that took to "took", a line for each
cat >ask <<-END
	while ((\$#)); do
		echo "\$1 \$2" >&$ask
		read -r -t 120 total least <&$answers || exit 1
		echo "\$2 \$total \$least" >>took
		shift 2
	done
END

# count_of FILE EVENT: in lines of -x
count_of()
{
	awk -F, -v name="$2" '$3 == name { print $1 }' "$1"
}

# plausible FILE: cpu-clock, in ms, beside "took". Runs in which other tasks ran are not counted; then it
# is printed how many were. A run's own time is at least half of what the kernel says a short run took.
plausible()
{
	awk -v ms="$(count_of "$1" cpu-clock)" -v counted="$(sed -nE 's/.*: in ([0-9]+) runs, without .*/\1/p' "$1" | head -n 1)" '
		{ runs += $1; total += $2; least = least && least < $3 ? least : $3 }
		END {
			if (counted == "")
				counted = runs
			print counted " of " runs " runs: " ms " ms; kernel: " total / 1e6 " ms, least " least / 1e6 " ms"
			exit !(ms > 0 && ms <= total / 1e6 * 1.01 + 0.01 && ms >= counted * least / 2e6 && counted > 0 && counted <= runs)
		}
	' took
}

# --- while they run ---
"$XPERF" stat -x, -o one -e cpu-clock,page-faults -b "$one" bash ask 0 400 || fail "status $?"
plausible one || fail "one program"
[[ $(count_of one page-faults) == 0 ]] || fail "page faults: $(<one)"
rm took
"$XPERF" stat -x, -o both -e cpu-clock -b "$one,$other" bash ask 0 200 1 200 || fail "status $?"
plausible both || fail "two programs"
rm took
"$XPERF" stat -x, -o twice -r 2 -e cpu-clock -b "$other" bash ask 1 100 || fail "status $?"
[[ $(count_of twice cpu-clock) != "<"* ]] || fail "a repeated command"
rm took
"$XPERF" stat -x, -o cpus -A -e cpu-clock -b "$one" bash ask 0 100 || fail "status $?"
grep -E '^CPU[0-9]+,[0-9.]+,msec,cpu-clock,' cpus >/dev/null || fail "no CPU has a count: $(<cpus)"

# --- while they do not ---
for arguments in "-b $other bash ask 0 100" "-b $one true" "-b $one -D -1 bash ask 0 100"; do
	# shellcheck disable=SC2086
	"$XPERF" stat -x, -o idle -e cpu-clock $arguments 2>errors || fail "status $?: $(<errors)"
	[[ $(count_of idle cpu-clock) == "<not counted>" ]] || fail "$arguments: $(<idle)"
done
grep "no run of the BPF program ended" idle >/dev/null || fail "no reason: $(<idle)"

# --- forms ---
"$XPERF" stat -e cpu-clock -b "$one" bash ask 0 10 2>text || fail "status $?"
grep -F "Performance counter stats for 'BPF program(s) $one':" text >/dev/null || fail "no title: $(<text)"
"$XPERF" stat --json=v1 -o document -e cpu-clock -b "$one,$other" bash ask 0 10 || fail "status $?"
grep "\"bpf_programs\": *\"$one,$other\"" document >/dev/null || fail "the document does not name them"

# --- refusals ---
# refused SENTENCE ARGUMENTS...
refused()
{
	local sentence=$1

	shift
	"$XPERF" stat -e cpu-clock "$@" touch ran >out 2>errors && fail "$* is accepted"
	[[ $(head -n 1 errors) == "Error: "$sentence && ! -e ran ]] || fail "$*: $(<errors)"
}
refused "There is no BPF program 4294967295" -b 4294967295
refused "There is no BPF program 4294967295" -b "$one,4294967295"
refused "BPF program $untyped cannot be counted: it has no type information (BTF)" -b "$untyped"

# --- nothing stays ---
for signal in INT KILL; do
	mkfifo "ready$signal"
	# shellcheck disable=SC2016
	"$XPERF" stat -o ended -e cpu-clock -b "$one" sh -c 'echo >"$1"; exec sleep 100000' - "ready$signal" &
	counter=$!
	started+=("$counter")
	read -r _ <"ready$signal"
	sleeper=$(pgrep -P "$counter" -x sleep || pgrep -P "$counter")
	[[ ! $sleeper ]] || started+=("$sleeper")
	mapfile -t ids < <(programs_of "$counter")
	((${#ids[@]} > 1)) || fail "no BPF programs of xperf are found in /proc"
	kill "-$signal" "$counter"
	wait "$counter" 2>/dev/null
	[[ ! $sleeper ]] || kill -9 "$sleeper" 2>/dev/null
	gone "${ids[@]}" || fail "after SIG$signal programs stay: $(./work alive "${ids[@]}")"
done
exit $failed
