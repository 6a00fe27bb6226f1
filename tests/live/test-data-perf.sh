#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf data convert --to-json` writes what perf does, in any locale; `buildid-list` prints the same;
# what `archive` packs is unpacked again.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"
need_perf 6.1 7.2
"$XPERF" check -q feature libelf || skip "built without libelf"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work

perf record -q -e page-faults -c 1 -g -k CLOCK_MONOTONIC -o data -- true >/dev/null 2>&1 ||
	skip "perf cannot record here"
failed=0

perf data convert --to-json perf.json -i data >/dev/null 2>&1 || skip "this perf writes no JSON"
LC_ALL=de_DE.UTF-8 "$XPERF" data convert --to-json ours.json -i data 2>message
# perf looks up what was called before an exec in what was mapped after it.
without_frames()
{
	grep -vE '"(symbol|dso)": |^\t{4,5}[]{}[],?$' "$1" | sed 's/,$//'
}
diff -u <(without_frames perf.json) <(without_frames ours.json) || { echo "other JSON"; failed=1; }
cat message
grep -q 'samples) \]' message || { echo "the summary is missing"; failed=1; }
if "$XPERF" data convert --to-json ours.json -i data 2>message; then
	echo "a file was replaced"
	failed=1
fi
grep -q -- --force message
"$XPERF" data --to-json - --all --tod -i data >all.json
grep -q '"events": \[' all.json && grep -q '"type": "MMAP2"' all.json
if command -v python3 >/dev/null; then
	python3 - <<-'END' || failed=1
		import json
		data = json.load(open('all.json'))
		plain = json.load(open('ours.json'))
		ahead = {a['timestamp'] - p['timestamp'] for a, p in zip(data['samples'], plain['samples'])}
		headers = plain['headers']
		assert ahead == {headers['real-time'] - headers['clock-time']}, ahead
		assert [s['pid'] for s in data['samples']] == [s['pid'] for s in plain['samples']]
	END
fi
if "$XPERF" data convert --to-ctf x -i data 2>message; then
	echo "CTF was written"
	failed=1
fi
grep -q -- --to-json message

for options in "" -H; do
	# shellcheck disable=SC2086
	diff -u <(perf buildid-list $options -i data | sort) <("$XPERF" buildid-list $options -i data | sort) ||
		{ echo "buildid-list $options: other files"; failed=1; }
done
diff -u <("$XPERF" buildid-list -H -i data) <(cat data | "$XPERF" buildid-list -H)
diff -u <(perf buildid-list -k) <("$XPERF" buildid-list -k) || failed=1
diff -u <(perf buildid-list -i "$XPERF") <("$XPERF" buildid-list -i "$XPERF") || failed=1

"$XPERF" archive --compress none -o files.tar data >told
mkdir unpacked
tar -xf files.tar -C unpacked
libc=$(perf buildid-list -H -i data | awk '/\/libc\.so|\/ld-linux/ { print $1, $2; exit }')
if [[ $libc ]]; then
	read -r id path <<<"$libc"
	cmp "$path" "unpacked/.build-id/${id:0:2}/${id:2}/elf" || { cat told; failed=1; }
fi
grep -q 'tar -xf files.tar -C ~/.debug' told
exit $failed
