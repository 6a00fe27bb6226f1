#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is in an HTML report is what folded stacks have: each call chain with its weight, of each event,
# also where it is divided by threads and times.
set -euo pipefail

skip()
{
	echo "$*"
	exit 77
}

command -v node >/dev/null || skip "node is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
decode=$SOURCE_DIR/tests/web/decode.mjs
recordings=$SOURCE_DIR/tests/data/perfdata/files

# sums: folded stacks of stdin without marks and names of nobody, equal ones added up
sums()
{
	awk '{
		weight = $NF
		sub(/ [^ ]*$/, "")
		gsub(/_\[[a-z]\]/, "")
		sum[$0] += weight
	} END {
		for (chain in sum)
			printf "%s %.0f\n", chain, sum[chain]
	}' | LC_ALL=C sort
}

xperf()
{
	"$XPERF" export --force --symfs /nonexistent "$@" 2>/dev/null
}

failed=0 checked=0
for recording in "$recordings"/*; do
	xperf -i "$recording" -f html -o "$work/page.html" || continue
	node "$decode" "$work/page.html" 0 --head >"$work/head"
	mapfile -t events < <(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).events.map(e => e.name).join("\n")' "$work/head")
	for i in "${!events[@]}"; do
		[[ ${events[i]} ]] || continue
		{ xperf -i "$recording" -f folded --by '' -e "${events[i]}" || true; } | sums >"$work/folded"
		node "$decode" "$work/page.html" "$i" | sums >"$work/html"
		if ! diff "$work/folded" "$work/html" >"$work/diff"; then
			echo "$recording, ${events[i]}:"
			head -n 5 "$work/diff"
			failed=1
		fi
		checked=$((checked + 1))
	done
done

# Each event is compared with that of its name.
now=$recordings/local-arm64-group base=$recordings/local72-multi
xperf -i "$now" --diff "$base" -f html -o "$work/page.html"
for i in 0:cpu-clock 1:page-faults; do
	for side in "$now:" "$base:--base"; do
		xperf -i "${side%:*}" -f folded --by '' -e "${i#*:}" | sums >"$work/folded"
		node "$decode" "$work/page.html" "${i%:*}" ${side##*:} | sums >"$work/html"
		diff "$work/folded" "$work/html" || { echo "difference, ${i#*:} of $side"; failed=1; }
		[[ -s $work/folded ]] || { echo "$side: no ${i#*:}"; failed=1; }
	done
done
"$XPERF" diff --force --symfs /nonexistent --html "$work/diff.html" "$base" "$now" 2>/dev/null
cmp "$work/page.html" "$work/diff.html" || { echo "diff --html: another report"; failed=1; }

# Weights of samples by time are rounded, and right in sum.
recording=$recordings/local61-basic
if [[ -e $recording ]]; then
	xperf -i "$recording" -f html -o "$work/page.html"
	total=$(node "$decode" "$work/page.html" 0 | awk '{ sum += $NF } END { printf "%.0f", sum }')
	timed=$(node "$decode" "$work/page.html" 0 --samples | awk '{ sum += $NF } END { printf "%.0f", sum }')
	step=$(node "$decode" "$work/page.html" 0 --head | sed -n 's/.*"sampleStep": \([0-9]*\).*/\1/p' | head -n 1)
	if ((timed > total + step || timed < total - step)); then
		echo "samples by time add up to $timed, not to $total"
		failed=1
	fi
	# The same recording is the same page.
	xperf -i "$recording" -f html -o "$work/again.html"
	cmp "$work/page.html" "$work/again.html" || failed=1
fi
echo "$checked events compared"
((checked > 0)) || failed=1
exit $failed
