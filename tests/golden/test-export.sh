#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `export` of the recordings in tests/data/perfdata.
set -euo pipefail

files=$SOURCE_DIR/tests/data/perfdata/files golden=$SOURCE_DIR/tests/data/perfdata/export
. "$SOURCE_DIR/tests/golden/shown.sh"
cd "$files"
fail() { echo "$*"; failed=1; }

# Each option.
while read -r file line; do
	skipped "$file" && continue
	read -ra options <<<"$line"
	show 12 export --force --symfs /nonexistent -i "$file" "${options[@]}"
done >"$work/shown" <<'EOF'
local61-g-fp
local61-g-fp --weight samples
local61-g-fp --by thread --max-stack 4
local61-g-fp --by event,process,cpu
local61-g-fp --tid 1
local61-g-fp -e cycles
local61-g-fp -e nosuch
local61-g-fp -f foldd
local61-g-fp --by threads
local61-g-fp -f csv --by thread
local61-g-fp --diff made-lbr
local72-multi -f html --diff made-lbr
local61-g-fp --weight much
local61-g-fp extra
local61-all-cgroups --by cgroup,comm
made-branches --kallsyms ../kallsyms
made-branches --kallsyms ../kallsyms -f text
made-branches --kallsyms ../kallsyms -f csv
made-branches --kallsyms ../kallsyms -f jsonl
made-branches --kallsyms ../kallsyms -f chrome
local61-all-cgroups -f csv --tid 1
local72-multi -f csv -e nosuch
made-lbr --kallsyms ../kallsyms
local72-multi
local-arm64-group
mal-callchain-nr-huge
mal-magic-only
EOF
for format in folded jsonl; do
	show 5 report --format "$format" --force --symfs /nonexistent -i made-branches --kallsyms ../kallsyms --comm taker
done >>"$work/shown"
# What is read is not written
cp made-branches "$work/perf.data"
for line in "export -o perf.data" "flamegraph -o perf.data --diff perf.data" \
	"flamegraph -o perf.data --diff perf.data -i $SOURCE_DIR/tests/fuzz/corpus/folded/usual" "export -f csv -o perf.data -i perf.data"; do
	read -ra words <<<"$line"
	(cd "$work" && show 5 "${words[@]}" --symfs /nonexistent) | sed "s|$SOURCE_DIR/||"
done >>"$work/shown"
cmp -s made-branches "$work/perf.data" || { echo "a recording was overwritten"; failed=1; }

# Folded stacks of other programs
printf 'main;read_[k] 3\nmain;x;y 4\n\nmain;x 2.0\n' >"$work/stacks"
printf 'main;read 3\nmain\n' >"$work/wrong"
printf '\n\377\377 is no profile' >"$work/damaged"
for line in "$work/stacks" "$work/stacks -f callgrind" "$work/wrong" "$work/stacks -f csv" \
	"$work/damaged" "$SOURCE_DIR/tests/fuzz/corpus/pprof/usual --by thread" "$SOURCE_DIR/tests/fuzz/corpus/pprof/usual --weight samples"; do
	read -ra words <<<"$line"
	show 40 export -i "${words[@]}" | sed "s|$work/||g; s|$SOURCE_DIR/||g"
done >>"$work/shown"
printf 'main;f;f;g 3\nmain;f 1\n' >"$work/recursive"
for line in "$work/recursive" "$work/recursive --comm main" "$work/recursive --format folded" "$work/wrong" "$work/damaged"; do
	read -ra words <<<"$line"
	show 40 report -i "${words[@]}" | sed "s|$work/||g"
done >>"$work/shown"
same folded

# Pictures. What the browser runs is the same in all.
for line in "made-branches --kallsyms ../kallsyms" "local61-g-fp --inverted --weight samples --title a<b" \
	"made-branches --kallsyms ../kallsyms --width 400 --minwidth 100 --subtitle of<two --countname units" \
	"made-lbr --diff made-branches --kallsyms ../kallsyms --negate" "made-branches --width 9" "made-branches --minwidth thin" \
	"made-lbr --diff made-branches --kallsyms ../kallsyms" "local72-multi -e cs --by process" local72-multi; do
	read -ra words <<<"$line"
	show 400 flamegraph --force --symfs /nonexistent -o - "${words[@]}" | sed -E '/<style>/,/<.style>/d; /<script>/,/<.script>/d; /^\([0-9]+ lines\)/d'
done >"$work/shown"
# Kinds of frames have the colours of HTML reports.
"$XPERF" flamegraph --force --symfs /nonexistent -o - local61-g-fp 2>/dev/null >"$work/graph"
sed -n 's/^\.k[0-9]* { fill: hsl(\([0-9]*\), \([0-9]*\).000%, 72.*/\1, \2/p' "$work/graph" | sort -u >"$work/colors"
[[ $(wc -l <"$work/colors") -ge 8 ]] || fail "the style has too few colours"
while read -r color; do
	grep -qF "= [$color];" "$SOURCE_DIR/web/src/colors.ts" || fail "an HTML report has no colour $color"
done <"$work/colors"
# Their titles are the commands that were recorded, without the recorder's own options.
for file in local61-all-cgroups local61-mt-s-T local61-namespaces local61i386-sampleall local72-groupS made-branches; do
	echo "== the title of $file"
	"$XPERF" flamegraph --force --symfs /nonexistent --kallsyms ../kallsyms -o - "$file" 2>/dev/null | sed -n 3p
done >>"$work/shown"
same svg


# A process has its own name, not that of a thread; a thread without a name keeps its place.
sed 's/worker-1/\x00\x00\x00\x00\x00\x00\x00\x00/' "$files/local510-basic" >"$work/nameless"
# roots ARGUMENTS...: the outermost frames, each once
roots() { "$XPERF" export -i "$work/nameless" -f folded "$@" | cut -d';' -f1 | sort -u | tr '\n' ' '; }
[[ $(roots --by process) == 'mt-static-13811 ' ]] || fail "--by process: $(roots --by process)"
[[ $(roots) == '[no name] worker-0 worker-2 worker-3 ' ]] || fail "--by comm: $(roots)"
threads=$("$XPERF" export -i "$work/nameless" -f firefox -o - | gzip -dcf |
	grep -o '"name":"[^"]*","processName":"[^"]*"' | sort -u)
grep -q '"worker-0 (cpu-clock)","processName":"mt-static"' <<<"$threads" || fail "firefox: $threads"
grep -q '"\[no name\] (cpu-clock)"' <<<"$threads" || fail "firefox: $threads"

# Folded stacks as other programs write them: comments, fractions, several files, standard input, comparisons.
printf 'main;a;b 1.5\nmain;a 0.5\n' >"$work/fractions"
printf '# of a program\nmain;a 10 12\nmain;b 3 1\n' >"$work/compared"
printf 'main;a 3\nnothing\nx;y 4\n' >"$work/other"
printf 'x;y 5\n' >"$work/one"
head -c 100000000 /dev/zero >"$work/zeros"
# gives EXPECTED ARGUMENTS...: what export prints, lines joined by "|"
gives()
{
	local got

	got=$("$XPERF" export -f folded "${@:2}" 2>"$work/err" | tr '\n' '|') || true
	[[ $got == "$1" ]] || fail "export ${*:2}: $got, $(<"$work/err")"
}
gives 'main;a 500|main;a;b 1500|' "$work/fractions"
grep -q 'thousandths' "$work/err" || fail "fractions: $(<"$work/err")"
gives 'main;a 3|x;y 9|' "$work/other" "$work/one"
grep -q '1 line without a number' "$work/err" || fail "skipped lines: $(<"$work/err")"
gives 'main;a 500|main;a;b 1500|x;y 5000|' "$work/fractions" "$work/one"
gives 'x;y 5|' -i - <"$work/one"
gives 'x;y 5|' -i - < <(cat "$work/one")
for wrong in "$work/compared" "$work/one $work/fractions" "$SOURCE_DIR/tests/data/perfdata/files/local61-g-fp $work/one" "$work/zeros"; do
	# shellcheck disable=SC2086 # several files
	gives '' $wrong
	grep -q '^Error: ' "$work/err" || fail "$wrong: no error"
done
"$XPERF" flamegraph -o "$work/compared.svg" "$work/compared" 2>/dev/null || fail "flamegraph of a comparison"
grep -q '^12 samples, 92.31%, before 76.92%' "$work/compared.svg" || fail "flamegraph of a comparison: no difference"
exit "$failed"
