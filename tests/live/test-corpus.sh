#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A corpus of recordings with what perf said of them (XPERF_CORPUS: files/NAME, expected/NAME.stats.txt,
# expected/NAME.evlist.txt, also with .xz; manifest.tsv): events, their names, records of each type
# and samples of each event are the same.
set -euo pipefail

[[ ${XPERF_CORPUS:-} ]] || { echo "XPERF_CORPUS names no corpus of recordings"; exit 77; }
program=$BUILD_DIR/examples/example-read_file

# What perf prints of FILE; nothing if that is not recorded.
expected()
{
	local path=$XPERF_CORPUS/expected/$1

	if [[ -f $path ]]; then
		cat "$path"
	elif [[ -f $path.xz ]]; then
		xz -dc "$path.xz"
	fi
}

# "TYPE: NUMBER" of the whole, as `perf report --stats` counts; perf shows COMPRESSED ones, too.
types_of_perf()
{
	awk '/^Aggregated stats:/ { on = 1; next } /stats:$/ { on = 0 }
		on && $2 == "events:" && $1 != "TOTAL" && $1 !~ /^COMPRESSED/ && $3 { print $1 ": " $3 }' |
		sort
}

# Samples of each event that has any, least first.
samples_of_perf()
{
	awk '/stats:$/ { on = !/^Aggregated/ } on && $1 == "SAMPLE" && $3 { print $3 }' | sort -n
}

# Where ours is another, knowingly: perf gives the name to nobody (the tracing data of a stream have
# none of the events), or one made of the attribute where the recording holds one.
other_name()
{
	case $1 in
	'unknown tracepoint' | 'unknown attr type: '*) return 0 ;;
	*) [[ $1 == cycles:* && ($2 == cycles:* || $2 == hw-cpu-cycles) ]] ;;
	esac
}

# names FILE: of both, line by line
compare_names()
{
	local perf ours

	while IFS=$'\t' read -r perf ours; do
		[[ $perf == "$ours" ]] || other_name "$perf" "$ours" ||
			{ echo "$1: event '$ours' is '$perf' to perf"; return 1; }
	done < <(paste "$work/names.perf" "$work/names")
}

check()
{
	local file=$1 status=0

	"$program" "$XPERF_CORPUS/files/$file" >"$work/ours" 2>"$work/message" || {
		echo "$file: refused: $(cat "$work/message")"
		return 1
	}
	grep -E '^[A-Z0-9_]+: ' "$work/ours" | sort >"$work/types" || true
	expected "$file.stats.txt" >"$work/stats"
	types_of_perf <"$work/stats" >"$work/types.perf"
	expected "$file.evlist.txt" >"$work/evlist"
	# perf refused it
	[[ -s $work/types.perf ]] || : >"$work/types"
	diff -u "$work/types.perf" "$work/types" || { echo "$file: other records"; status=1; }
	sed -n 's/^event .*: \([0-9]*\) samples.*/\1/p' "$work/ours" | grep -v '^0$' | sort -n >"$work/samples" || true
	samples_of_perf <"$work/stats" >"$work/samples.perf"
	# A reading of a group is one sample here, and in perf one of each member.
	[[ ! -s $work/samples.perf ]] || grep -q 'sample_type: [^,]*|READ' "$work/evlist" ||
		diff -u "$work/samples.perf" "$work/samples" || { echo "$file: other samples"; status=1; }
	sed -n 's/: \(type\|size\): .*//p' "$work/evlist" >"$work/names.perf"
	sed -n 's/^event \(.*\): [0-9]* samples.*/\1/p' "$work/ours" >"$work/names"
	[[ ! -s $work/names.perf ]] || compare_names "$file" || status=1
	return $status
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 nr=0
# Those perf 6.1 reads; what fuzzers left of a record can be passed over by one and not by the other.
while IFS=$'\t' read -r file oracle; do
	[[ $oracle == expected || $oracle == expected+* || $oracle == expected:* ]] || continue
	nr=$((nr + 1))
	check "$file" || failed=$((failed + 1))
done < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $1 "\t" $at["oracle"] }' "$XPERF_CORPUS/manifest.tsv")
echo "$nr recordings compared, $failed differ"
((nr && !failed))
