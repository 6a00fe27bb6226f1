#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What perf's own tests ask of perf holds for xperf called as perf. The tests are where perf is: those
# of the installed perf and those of kernel sources, which are Debian's packages linux-source-* or what
# XPERF_PERF_SOURCES names (trees or their tarballs, separated by colons).
# tests/data/perf-own-tests.tsv says which are run, and why others are not. What several versions of perf
# have is run as the newest of them has it; XPERF_TEST_ALL=1 runs all.
set -uo pipefail
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
: "${XPERF:?}" "${BUILD_DIR:?}"
export LC_ALL=C
command -v python3 >/dev/null || skip "perf's tests need python3"
"$XPERF" stat -e page-faults true >/dev/null 2>&1 || skip "nothing may be counted here"

table=$SOURCE_DIR/tests/data/perf-own-tests.tsv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/home"
ln -s "$(readlink -f "$XPERF")" "$scratch/bin/perf"
failed=0 nr_run=0 nr_left_out=0

# --- where perf's tests are: a line with version and folder for each ---

# unpacked TARBALL: the tree with perf's tests, and what they need of it; unpacked once
unpacked()
{
	local tree=$BUILD_DIR/perf-tests/${1##*/}

	if [[ ! $tree/whole -nt $1 ]]; then
		rm -rf "$tree"
		mkdir -p "$tree"
		tar -C "$tree" --strip-components=1 --wildcards -xf "$1" '*/tools/perf/tests/*' \
			'*/tools/perf/scripts/python/*' --no-wildcards-match-slash '*/Makefile' ||
			{ echo "$1: cannot be unpacked, or there are no tests of perf in it" >&2; return 1; }
		touch "$tree/whole"
	fi
	echo "$tree"
}

# of_tree TREE: the line of a kernel's sources
of_tree()
{
	local version

	version=$(awk '$2 == "=" && ($1 == "VERSION" || $1 == "PATCHLEVEL") { printf "%s%s", dot, $3; dot = "." }' \
		"$1/Makefile" 2>/dev/null)
	[[ -z $version || ! -d $1/tools/perf/tests/shell ]] || echo "$version $1/tools/perf/tests"
}

suites()
{
	local sources source version tree

	version=$(perf version 2>/dev/null | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
	[[ -z $version || ! -d /usr/lib/perf-core/tests/shell ]] ||
		echo "$version /usr/lib/perf-core/tests"
	IFS=: read -ra sources <<<"${XPERF_PERF_SOURCES:-}"
	for source in "${sources[@]}" /usr/src/linux-source-*; do
		if [[ -d $source ]]; then
			of_tree "$source"
		elif [[ $source =~ \.tar($|\.) && -e $source ]]; then
			tree=$(unpacked "$source") && of_tree "$tree"
		fi
	done
}

# --- what the table says ---

# generation VERSION: the newest in the table that is not newer
generation()
{
	awk -F '\t' '!/^#/ { print $2 }' "$table" | tr , '\n' | sort -Vu |
		while read -r known; do
			[[ $(printf '%s\n' "$known" "$1" | sort -V | head -n 1) != "$known" ]] || echo "$known"
		done | tail -n 1
}

# verdict GENERATION TEST: run, no, or nothing
verdict()
{
	awk -F '\t' -v generation="$1" -v test="$2" \
		'$1 == test && index("," $2 ",", "," generation ",") { print $3 }' "$table"
}

# --- running them ---

# judge WHAT STATUS: 2 is how these tests say that they cannot run here
judge()
{
	case $2 in
	0) nr_run=$((nr_run + 1)) ;;
	2) nr_left_out=$((nr_left_out + 1)) ;;
	*) echo "$1: status $2"; cat "$scratch/log"; failed=1 ;;
	esac
}

# run_shell VERSION FOLDER TEST: their own limits of time are short for a crowded machine, so that the
# best of three counts
run_shell()
{
	local status=1 try

	for try in 1 2 3; do
		HOME=$scratch/home PATH=$scratch/bin:$PATH timeout 200 bash "$2/shell/$3.sh" \
			>"$scratch/log" 2>&1 </dev/null
		status=$?
		[[ $status != [02] ]] || break
	done
	judge "$3 of perf $1 (tried $try times)" "$status"
}

# run_attr VERSION GENERATION FOLDER: all files of tests/attr at once
run_attr()
{
	local version=$1 generation=$2 from=$3/attr program=$3/attr.py to=$scratch/attr-$1 file

	if [[ ! -d $from ]]; then
		from=$3/shell/attr program=$3/shell/lib/attr.py
	fi
	mkdir -p "$to"
	for file in "$from"/*; do
		[[ $(verdict "$generation" "attr/${file##*/}") == no ]] || cp "$file" "$to/"
	done
	sed -i 's/^size=[0-9]*$/size=*/; s/^config=0$/config=0|1/' "$to"/base-*
	HOME=$scratch/home python3 -W ignore "$program" -d "$to" -p "$scratch/bin/perf" -vv \
		>"$scratch/log" 2>&1 </dev/null
	judge "attr of perf $version" $?
	echo "attr of perf $version: $(grep -c ^running "$scratch/log") files, of which" \
		"$(grep -cE '^(unsupp|skipped)' "$scratch/log") do not apply here"
}

done_already=" "
while read -r version folder; do
	generation=$(generation "$version")
	if [[ -z $generation ]]; then
		echo "the tests of perf $version are older than those in the table"
		continue
	fi
	for file in attr "$folder"/shell/*.sh; do
		name=${file##*/} name=${name%.sh}
		[[ $file != attr ]] || name="attr/*"
		[[ -z ${XPERF_TEST_ALL:-} && $done_already == *" $name "* ]] && continue
		case $(verdict "$generation" "$name") in
		run) ;;
		no) continue ;;
		*) echo "$name of perf $version is not in the table"; continue ;;
		esac
		done_already+="$name "
		if [[ $file == attr ]]; then
			run_attr "$version" "$generation" "$folder"
		else
			run_shell "$version" "$folder" "$name"
		fi
	done
done < <(suites | sort -Vru)
[[ $done_already != " " ]] || skip "no perf with tests, no linux-source-* in /usr/src, no XPERF_PERF_SOURCES"
echo "$nr_run run, $nr_left_out need what this machine does not have"
exit $failed
