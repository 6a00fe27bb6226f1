#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every key of xperf-report(1) in every output of `report`, as a key and as a field: the sanitizers
# find no fault, and the JSON is JSON.
set -euo pipefail

cd "$SOURCE_DIR/tests/data/perfdata/files"
export HOME=/nonexistent
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

mapfile -t keys < <(sed -n '/^\.Sh KEYS/,/^\.Sh JSON/s/^\.It Cm //p' "$SOURCE_DIR/man/xperf-report.1" | tr -s ', ' '\n')
((${#keys[@]} > 50)) || { echo "only ${#keys[@]} keys in the manual"; exit 1; }
# What every recording can show.
all=$(printf '%s\n' "${keys[@]}" | grep -vE '^(latency|parallelism|trace_fields|callchain_branch|(cache|memory|dtlb)$)' | paste -sd,)

# run FILE OPTION...: must succeed
run()
{
	local file=$1
	shift
	"$XPERF" --no-pager report -f --symfs /nonexistent --kallsyms ../kallsyms -i "$file" "$@" \
		>"$work/out" 2>"$work/message" </dev/null && [[ -s $work/out ]] && return
	echo "$file $*: $(head -3 "$work/message")"
	failed=1
}

# json FILE OPTION...: must be JSON, too
json()
{
	run "$@" --json
	cat "$work/out" >>"$work/json"
	printf '\0' >>"$work/json"
}

for key in "${keys[@]}"; do
	case $key in
	trace_fields) continue ;;
	latency* | parallelism) files=(local61-switch-events) ;;
	op | cache | memory | snoop | dtlb) files=(made-memory) ;;
	callchain_branch*) files=(made-branches) ;;
	*) files=(made-branches made-memory) ;;
	esac
	json "${files[0]}" -s "$key"
	run "${files[0]}" -F "$key,comm" -t ,
	case $key in
	cache | memory | dtlb | callchain_branch*) continue ;; # no levels of a hierarchy
	esac
	run "${files[-1]}" -H -s "comm,$key"
done
for file in made-branches made-memory local61-g-fp; do
	for graph in graph,callee fractal,caller flat folded,count none; do
		run "$file" --no-branch-stack -s "$all" -g "$graph"
	done
	json "$file" -s "$all"
	json "$file" --no-branch-stack --no-children --ignore-callees . -s "$all"
	json "$file" --no-branch-stack --no-children -p . -g srcline -s "$all"
	fields=$all
	[[ $file == made-memory ]] || fields=$(tr , '\n' <<<"$all" | grep -vE '^(op|snoop)$' | paste -sd,)
	run "$file" --no-branch-stack -F "overhead,$fields" -w 9,4,6
done
run made-branches --branch-history -s "$all,callchain_branch_cycles"
run made-memory --mem-mode -F "overhead,cache,memory,dtlb,$all" -w 9,4,6
if "$XPERF" check -q feature libtraceevent; then
	run local-s390x61-pipe-tp -s trace_fields,comm
	json local-s390x61-pipe-tp -s trace_fields,trace
fi
if command -v python3 >/dev/null; then
	python3 - "$work/json" <<-'END' || failed=1
	import json, sys
	for text in open(sys.argv[1]).read().split('\0')[:-1]:
	    json.loads(text)
	END
fi
exit $failed
