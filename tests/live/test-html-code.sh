#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Code in HTML reports: of the hottest functions, with the samples that `annotate` shows, and their
# source; bounded, whatever is hot.
set -euo pipefail
# shellcheck source=tests/live/record.sh
. "${BASH_SOURCE[0]%/*}/record.sh"
for feature in libcapstone libelf; do
	"$XPERF" check -q feature "$feature" || skip "built without $feature"
done
command -v python3 >/dev/null || skip "python3 is not installed"

# code FILE: its block of code, as JSON; {} if it has none
code()
{
	python3 - "$1" <<-'PYTHON'
		import base64, gzip, re, sys
		found = re.search(r'id="data-code"( data-packed="gzip")?>([^<]*)<', open(sys.argv[1], encoding='utf-8').read())
		data = base64.b64decode(found[2]) if found else b'{}'
		print((gzip.decompress(data) if found and found[1] else data).decode())
	PYTHON
}

# Recordings that have their programs beside them: each instruction with its samples
for machine in x86_64 aarch64; do
	recording=(-f -i "$SOURCE_DIR/tests/data/annotate/$machine.data" --symfs "$SOURCE_DIR/tests/data/annotate")
	"$XPERF" annotate "${recording[@]}" -q --no-source --show-nr-samples -s mix 2>err |
		sed -nE 's/^ +([0-9]+) : +([0-9a-f]+): +(.*)$/\1 \2 \3/p' |
		awk '!seen[$2]++' >annotated # of the first event
	"$XPERF" export "${recording[@]/-f/--force}" -f html -o page.html -e cpu-clock 2>err
	code page.html >code.json
	python3 - code.json >listed <<-'PYTHON' || complain "$machine: the code is damaged"
		import json, sys
		code = json.load(open(sys.argv[1], encoding='utf-8'))
		mix, = [function for function in code['functions'] if function['name'] == 'mix']
		for nr, row in enumerate(mix['rows']):
		    if row[0] == 0:
		        print(sum(s[2] for s in mix['sums'] if s[:2] == [nr, 0]), '%x' % (int(mix['address'], 16) + row[4]), row[1])
	PYTHON
	diff annotated listed || { echo "$machine: other instructions or samples than annotate shows"; failed=1; }
	[[ -s listed ]] || { echo "$machine: there is no code"; failed=1; }
	"$XPERF" export "${recording[@]/-f/--force}" -f html --no-code -o page.html 2>err
	[[ $(code page.html) == '{}' ]] || { echo "--no-code: there is code"; failed=1; }
done

need_record
command -v cc >/dev/null || skip "there is no cc"
{
	echo '/* </script><img src=x onerror="window.broken=1"> */ static volatile unsigned int sink;'
	echo 'static inline __attribute__((always_inline)) unsigned int turn(unsigned int x) { return x * 3 ^ x >> 5; } // </script>'
	echo '__attribute__((noinline)) void large(unsigned int x) {'
	for ((i = 0; i < 3000; i++)); do echo "x = turn(x + $i); /* line $i */ sink += x;"; done
	echo '} int main(void) { for (int i = 0; i < 10000; i++) large(i); return 0; }'
} >large.c
cc -g -O1 -o large large.c 2>err || skip "cc cannot build: $(head -n 1 err)"
"$XPERF" record -q -e cpu-clock:u -F 3000 -o data ./large 2>err || skip "nothing was recorded"
"$XPERF" export -i data -f html -o page.html 2>err || complain "export fails"
"$XPERF" export -i data -f html -o again.html 2>err
cmp page.html again.html || complain "the same recording makes another report"
code page.html >code.json
! grep -q '<img' page.html || complain "source became markup"
python3 - code.json "$("$XPERF" export -i data -f folded --no-inline --by '' | awk '/;?large [0-9]+$/ { sum += $NF } END { print sum }')" <<'PYTHON' || complain "code of a large function"
import json, os, sys
code = json.load(open(sys.argv[1], encoding='utf-8'))
large, = [function for function in code['functions'] if function['name'] == 'large']
rows = large['rows']
assert 100 < len(rows) <= 3100, len(rows)
assert os.path.getsize(sys.argv[1]) < 2 << 20
assert any(row[0] == 3 for row in rows), 'nothing was left out'
assert sum(s[3] for s in large['sums']) == int(sys.argv[2]), (sum(s[3] for s in large['sums']), sys.argv[2])
source = [row for row in rows if row[0] == 1]
assert any('turn(x + ' in row[1] and '/* line' in row[1] for row in source), source[:3]
assert any(row[1].endswith('// </script>') for row in source), 'the line that is inlined'
assert any(row[0] == 2 and row[1] == 'turn():' for row in rows)
assert all(code['files'][row[3]].endswith('large.c') for row in source)
PYTHON
exit "$failed"
