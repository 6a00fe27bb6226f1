#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf diff` prints what `perf diff` does, of the same recordings; of several a side it says what
# differs for sure.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"
need_perf
"$XPERF" check -q feature libelf || skip "built without libelf"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# record NAME COMMAND...
record()
{
	perf record -q -e cpu-clock:u -F 5000 -o "$1" -- "${@:2}" >/dev/null 2>&1 || skip "perf cannot record here"
}

for i in 1 2 3; do
	record "a$i" "$XPERF" test -w leafloop 1
	record "b$i" "$XPERF" test -w sqrtloop 1
done

# Addresses in no function are one row here, with no address; perf has no name for entries of the
# procedure linkage table that have no symbol; rows that are alike are in any order.
plain()
{
	sed -e 's/0x[0-9a-f]\{16\}/[unknown]/' -e 's/\*ABS\*+0x[0-9a-f]*@plt/@plt/' -e 's/ *$//' |
		LC_ALL=C sort
}

failed=0
# same OPTION...
same()
{
	perf diff "$@" 2>/dev/null | plain >perf.txt
	"$XPERF" diff "$@" | plain >ours.txt
	diff -u perf.txt ours.txt || { echo "diff $*: differs from perf's"; failed=1; }
}

same a1 b1
for how in delta delta-abs ratio wdiff:1,2; do
	same -c $how a1 b1
done
same -p -F a1 b1
same -q a1 b1
same -t, a1 b1
same -s comm,dso a1 b1
same -s dso -o 2 a1 b1 a2
same b1 a1

# What one workload does and the other does not is no chance.
"$XPERF" diff -s symbol a1,a2,a3 b1,b2,b3 >many.txt
grep -q '95% CI.*Differs' many.txt || { echo "no intervals"; cat many.txt; failed=1; }
grep -qE '\.\. .* yes .*leaf' many.txt || { echo "leafloop does not differ"; cat many.txt; failed=1; }
"$XPERF" diff --json a1,a2 b1 >many.json
grep -q '"xperf-diff-version": 1' many.json && grep -q '"low": ' many.json || { cat many.json; failed=1; }
if command -v python3 >/dev/null; then
	python3 -m json.tool many.json >/dev/null || { echo "this is no JSON"; failed=1; }
fi

# What cannot be read is not compared.
if "$XPERF" diff a1 nowhere >none.txt 2>message; then
	echo "a recording that is not there was compared"
	failed=1
fi
[[ ! -s none.txt ]] && grep -q nowhere message || { cat none.txt message; failed=1; }
exit $failed
