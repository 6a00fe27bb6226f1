#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What functions weigh is the same in all formats of one recording, and in its report; the programs that
# formats are for read the same numbers.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work
files=$SOURCE_DIR/tests/data/perfdata
failed=0 skipped=()

"$XPERF" export -f sqlite --force -i "$files/files/made-branches" -o "$work/db" 2>"$work/messages" &&
	has_sqlite=yes || { has_sqlite=""; grep -q SQLite "$work/messages" && skipped+=("SQLite is missing"); }

"$XPERF" export -f pprof --force -i "$files/files/made-branches" -o "$work/gz" 2>"$work/messages"
[[ $(head -c 1 "$work/gz") == $'\x1f' ]] && has_zlib=yes || has_zlib=""

# written FORMAT ARGUMENTS...: the recording, in a format
written()
{
	"$XPERF" export -f "$1" --force --symfs /nonexistent "${@:2}" -o "$work/$1" 2>"$work/messages" ||
		{ echo "$*: $(cat "$work/messages")"; failed=1; }
}

# totals FORMAT: of what was written
totals()
{
	python3 "$SOURCE_DIR/tests/golden/export-totals.py" "$1" "$work/$1"
}

# reported ARGUMENTS...: the same by the report, and the name of its first event in $event
reported()
{
	"$XPERF" report --json --no-branch-stack --no-group -s sym --children --force --symfs /nonexistent "$@" \
		2>/dev/null >"$work/report"
	event=$(grep -o '"event": "[^"]*"' "$work/report" | head -1 | cut -d'"' -f4)
	python3 - "$work/report" >"$work/totals" <<-'PYTHON'
		import json, sys
		rows = json.load(open(sys.argv[1], encoding='utf-8'))['events'][0]['rows']
		named = [row for row in rows if row.get('place', {}).get('symbol')]
		named = [row for row in named if row.get('children_period', row['period'])]
		for row in sorted(named, key=lambda row: row['place']['symbol']):
		    print(row['period'], row.get('children_period', row['period']), row['place']['symbol'])
	PYTHON
	mv "$work/totals" "$work/expected"
}

# same WHAT FILE FILE
same()
{
	diff -u "$2" "$3" || { echo "$1: other totals"; failed=1; }
}

while read -r line; do
	read -ra words <<<"$line"
	reported -i "$files/files/${words[0]}" "${words[@]:1}" --no-inline
	[[ -s $work/expected ]] || { echo "$line: the report has no functions"; failed=1; }
	for format in folded pprof otlp speedscope callgrind firefox csv jsonl sqlite; do
		[[ $format != sqlite || $has_sqlite ]] || continue
		written "$format" -i "$files/files/${words[0]}" "${words[@]:1}" --no-inline -e "$event"
		totals "$format" >"$work/found"
		if [[ $format == callgrind ]]; then
			awk '$1 { $2 = 0; print }' "$work/expected" >"$work/alone"
			same "$line: $format" "$work/alone" "$work/found"
		else
			same "$line: $format" "$work/expected" "$work/found"
		fi
	done
	# A profile of pprof is read, and has the same totals again.
	if [[ $has_zlib ]]; then
		"$XPERF" export -f folded -i "$work/pprof" -o "$work/folded"
		totals folded >"$work/found"
		same "$line: pprof, read" "$work/expected" "$work/found"
		# But for locations of samples that were left out, it is the same, byte for byte.
		"$XPERF" export -f pprof -i "$work/pprof" -o "$work/again"
		"$XPERF" export -f pprof -i "$work/again" -o "$work/once-more"
		cmp "$work/again" "$work/once-more" || { echo "$line: pprof, read and written, differs"; failed=1; }
		[[ $line == *--comm* || $line == *cycles* ]] || cmp <(gzip -dc "$work/pprof") <(gzip -dc "$work/again") ||
			{ echo "$line: pprof, read and written, differs"; failed=1; }
	fi
done <<END
made-branches --kallsyms $files/kallsyms
made-branches --kallsyms $files/kallsyms --comm maker
made-cycles --kallsyms $files/kallsyms
made-memory --kallsyms $files/kallsyms
END

# What other programs read of them
branches=(-i "$files/files/made-branches" --kallsyms "$files/kallsyms")
reported "${branches[@]}"
if command -v go >/dev/null; then
	written pprof "${branches[@]}"
	go tool pprof -top -nodecount=1000 -nodefraction=0 "$work/pprof" 2>"$work/messages" |
		awk '$6 ~ /^[a-z_]+$/ && $1 != "flat" { print $1, $4, $6 }' | LC_ALL=C sort -k3 >"$work/found"
	same "go tool pprof" <(LC_ALL=C sort -k3 "$work/expected") "$work/found"
else
	skipped+=("go is not installed")
fi
if command -v protoc >/dev/null; then
	written otlp "${branches[@]}"
	protoc --proto_path="$SOURCE_DIR/tests/golden" --decode=otlp.Data otlp.proto <"$work/otlp" >"$work/otlp-decoded"
	totals otlp-decoded >"$work/found"
	same "protoc" "$work/expected" "$work/found"
else
	skipped+=("protobuf-compiler is not installed")
fi
if [[ $has_sqlite ]] && command -v sqlite3 >/dev/null; then
	written sqlite "${branches[@]}"
	sqlite3 -readonly -separator ' ' "$work/sqlite" "
		SELECT ifnull((SELECT sum(period) FROM functions_view f WHERE f.symbol = t.symbol), 0), sum(period), symbol
		FROM totals_view t WHERE symbol NOT LIKE '[%' GROUP BY symbol ORDER BY symbol" >"$work/found"
	same "sqlite3" "$work/expected" "$work/found"
else
	skipped+=("the sqlite3 program, or SQLite, is missing")
fi
if command -v callgrind_annotate >/dev/null; then
	written callgrind "${branches[@]}"
	callgrind_annotate --threshold=100 "$work/callgrind" 2>"$work/messages" |
		sed -nE 's/^ *([0-9,]+) \([ 0-9.]+%\) +\?\?\?:([a-z_]+)_\[k\].*/\1 \2/p' | tr -d , |
		LC_ALL=C sort -k2 >"$work/found"
	same "callgrind_annotate" <(awk '$1 { print $1, $3 }' "$work/expected" | LC_ALL=C sort -k2) "$work/found"
else
	skipped+=("valgrind is not installed")
fi
((!${#skipped[@]})) || printf '%s: its part was skipped\n' "${skipped[@]}"
exit $failed
