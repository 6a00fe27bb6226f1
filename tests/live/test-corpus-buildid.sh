#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A corpus of recordings with what perf said of them (XPERF_CORPUS: see test-corpus.sh):
# `xperf buildid-list` says the same as expected/NAME.buildid.txt.
set -euo pipefail

[[ ${XPERF_CORPUS:-} ]] || { echo "XPERF_CORPUS names no corpus of recordings"; exit 77; }

# Where ours has more, knowingly; all that perf has is in it, too.
more_than_perf()
{
	case $1 in
	# The kernel of this machine, which perf takes for the recorded one, has nothing at their addresses.
	hiperf-* | lpd-sleep.compressed.pipe.data) ;;
	# perf gives up at the first damage.
	mal-feat-table-cut | local-arm64-pipe-tp) ;;
	*) return 1 ;;
	esac
	[[ -z $(comm -23 <(sort "$work/perf") <(sort "$work/ours")) ]]
}

check()
{
	local file=$1
	local expected=$XPERF_CORPUS/expected/$1.buildid.txt

	"$XPERF" buildid-list -f -i "$XPERF_CORPUS/files/$file" >"$work/ours" 2>"$work/message" || true
	# perf shows where it has put a copy of the vDSO; a path again for each inode it has had.
	sed 's,/tmp/perf-vdso\.so-.*,[vdso],' "$expected" | awk '!seen[$0]++' >"$work/perf"
	diff -u "$work/perf" "$work/ours" >"$work/diff" || more_than_perf "$file" ||
		{ echo "$file:"; cat "$work/diff"; return 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 nr=0
# Of what perf 6.1 cannot read it says nothing.
while IFS=$'\t' read -r file oracle; do
	[[ $oracle == expected || $oracle == expected+* || $oracle == expected:* ]] || continue
	[[ -f $XPERF_CORPUS/expected/$file.buildid.txt ]] || continue
	nr=$((nr + 1))
	check "$file" || failed=$((failed + 1))
done < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $1 "\t" $at["oracle"] }' "$XPERF_CORPUS/manifest.tsv")
echo "$nr recordings compared, $failed differ"
((nr && !failed))
