#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What names cost in `xperf report`, beside perf, in one run: of the kernel, of large libraries, and
# inlined functions of stripped and of large programs; prints Markdown.
#
# Usage: bench/symbols.sh [XPERF [PERF]]     needs a release build, root, clang++, 1 GB below $DATA
#   DATA=DIRECTORY  keeps what is made for the next time; default: a temporary directory
#   ROUNDS=5        the medians of which are shown
#   PARTS=18        of the large program: about 25 MB each
#   PERF_INLINES=1  perf shows inlined functions, too, which takes it minutes
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=$PWD/build/release
xperf=${1:-$build/xperf}
perf=${2:-perf}
tools=$build/bench
rounds=${ROUNDS:-5}
needs "$perf" "nothing to compare with"
needs clang++ "nothing to record"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work
data=${DATA:-$work}
mkdir -p "$data"
cd "$data"
unset XPERF_CACHE_DIR XDG_CACHE_HOME

cat >work.cpp <<'END'
#include <iostream>
#include <map>
#include <regex>
int main() { std::map<std::string, std::regex> m; m["a"] = std::regex("a+"); std::cout << m.size(); }
END

# One part of a program: containers and functions of 60 types, all with the number of the part.
write_part() {
	printf '#include <algorithm>\n#include <functional>\n#include <map>\n#include <memory>\n'
	printf '#include <set>\n#include <string>\n#include <unordered_map>\n#include <vector>\n'
	printf 'namespace part0 {\n'
	for i in $(seq 60); do
		sed "s/@/$i/g" <<'END'
struct T@ {
	int a;
	std::string b;
	bool operator<(const T@ &o) const { return a < o.a; }
	bool operator==(const T@ &o) const { return a == o.a; }
};
struct H@ {
	size_t operator()(const T@ &t) const { return std::hash<int>()(t.a * 31 + @); }
};
int run@(int x)
{
	std::map<T@, std::vector<T@>> lists;
	std::unordered_map<T@, std::set<T@>, H@> sets;
	std::vector<std::shared_ptr<T@>> all;
	for (int i = 0; i < 40; i++) {
		T@ t{ i * x % 17, "abc" };
		lists[t].push_back(t);
		sets[t].insert(t);
		all.push_back(std::make_shared<T@>(t));
	}
	std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a->a < b->a; });
	std::function<int(const T@ &)> f = [x](const T@ &t) { return t.a + x; };
	int sum = 0;
	for (auto &list : lists)
		for (auto &t : list.second)
			sum += f(t);
	for (auto &t : all)
		sum += (int)sets[*t].size();
	return sum;
}
END
	done
	echo 'int all(int x) { int sum = 0;'
	for i in $(seq 60); do echo "sum += run$i(x);"; done
	echo 'return sum; } }'
}

# One part is compiled; the others are copies of it with names of the same length.
make_large() {
	local names
	names=$(printf '%s\n' {0..9} {a..z} | head -"${PARTS:-18}")
	write_part >part.cpp
	clang++ -g -O1 -c part.cpp -o part0.o
	for i in $names; do
		[ "$i" = 0 ] || LC_ALL=C sed "s/part0/part$i/g" part0.o >"part$i.o"
		echo "namespace part$i { int all(int); }"
	done >main.cpp
	{
		echo '#include <cstdio>'
		echo 'int main() { int sum = 0; for (int i = 1; i < 40; i++) {'
		for i in $names; do echo "sum += part$i::all(i);"; done
		printf '} printf("%%d\\n", sum); }\n'
	} >>main.cpp
	clang++ -g -O1 main.cpp part?.o -o large.part
	rm part?.o
	mv large.part large
}

[ -s kernel.data ] || "$perf" record -q -B -o kernel.data -e page-faults:k -c 1 -- sh -c 'ls /' >/dev/null
if [ ! -s flat.data ]; then
	"$perf" record -q -B -o small.data -e cpu-clock -F 20000 -- clang++ -O2 -c work.cpp -o work.o
	"$tools/multiply" small.data flat.part 1500000 >/dev/null
	mv flat.part flat.data
fi
[ -s stacks.data ] || "$perf" record -q -B -o stacks.data -m 8192 -e cpu-clock:u -F 5000 --call-graph dwarf,8192 -- \
	clang++ -O2 -c work.cpp -o work.o
[ -s large ] || make_large
[ -s large.data ] || "$perf" record -q -B -o large.data -e cpu-clock:u -F 2000 --call-graph dwarf,8192 -- ./large >/dev/null

# row TITLE FILE PERF-OPTIONS: xperf and perf in turn; perf's inlined functions only where asked for
row() {
	local title=$1 file=$2 samples
	shift 2
	samples=$("$tools/walk" "$file" | sed 's/.*, \([0-9]*\) samples/\1/')
	"$tools/turns" "$rounds" "$xperf report --stdio -i $file" "$perf report --stdio $* -i $file" |
		awk -F'\t' -v title="$title" -v samples="$samples" '{ wall[NR] = $1; cpu[NR] = $2 }
			END { printf "| %s | %d | %.1f | %.1f | %.1f | 1/%.1f |\n", title, samples, wall[1], cpu[1],
				cpu[2], cpu[2] / cpu[1] }'
}

inlines=--no-inline
[ -z "${PERF_INLINES:-}" ] || inlines=--inline
"$xperf" report --stdio -i kernel.data >/dev/null # keeps the names
echo "| perf: $inlines | samples | xperf, wall ms | CPU ms | perf, CPU ms | of perf |"
echo "|---|---|---|---|---|---|"
row "functions of the kernel, kept" kernel.data
XPERF_CACHE_DIR='' row "functions of the kernel, not kept" kernel.data
row "1.5 M flat samples of clang" flat.data
row "stacks of clang, inlined functions" stacks.data "$inlines"
row "program of $(($(stat -c %s large) / 1000000)) MB with debug information" large.data "$inlines"
