#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A corpus of recordings with what perf said of them (XPERF_CORPUS: files/NAME, manifest.tsv,
# expected/NAME.{report,header}[.symfs].txt[.xz], symfs*/): `xperf report` says the same, byte by
# byte, but for what tests/data/corpus-differences.tsv names. What perf cannot read is read, or it
# is said why not.
set -euo pipefail

[[ ${XPERF_CORPUS:-} ]] || { echo "XPERF_CORPUS names no corpus of recordings"; exit 77; }
export TZ=UTC LC_ALL=C
XPERF_CORPUS=$(realpath "$XPERF_CORPUS")
XPERF=$(realpath "$XPERF")
differences=$SOURCE_DIR/tests/data/corpus-differences.tsv

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/none"
export HOME=$work/none # no cache of files

# What perf printed: expected FILE COMMAND VERSION. Returns 1 if that is not recorded.
expected()
{
	local path

	for path in "$XPERF_CORPUS/expected$3/$1.$2".{symfs.txt,txt}; do
		[[ ! -f $path ]] || { cat "$path"; return; }
		[[ ! -f $path.xz ]] || { xz -dc "$path.xz"; return; }
	done
	return 1
}

# The differences that are allowed: allowed COMMAND FILE HOW prints what stands for it, a line each.
allowed()
{
	local command glob how value

	while IFS=$'\t' read -r command glob how value _; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ $command != "$1" || $2 != $glob || $how != "$3" ]] || echo "$value"
	done <"$differences"
}

# Tips come at random, the file's time is that of the copy, and perf tells nothing of quality.
normal()
{
	sed -ze 's/#\n# (Tip: [^\n]*\n#\n//' |
		sed -e '/^# Quality: /d' -e '/^# captured on /d' "$@"
}

# Both without rows of addresses in no known function, and what is below them.
without_unknown()
{
	local name

	for name in expected ours; do
		awk '/^ +[0-9.]+% +[0-9.]+%/ { drop = /\] 0x[0-9a-f]+ *$/ } NF && !drop' "$work/$name" >"$work/rows"
		mv "$work/rows" "$work/$name"
	done
}

# Lines of the first may be cut.
is_cut()
{
	sed 's/[ .]*$//' "$1" >"$work/cut"
	awk 'NR == FNR { line[NR] = $0; next }
		{ nr = FNR; if (substr($0, 1, length(line[FNR])) != line[FNR]) bad = 1 }
		END { exit bad || nr != NR - nr }' "$work/cut" "$2"
}

# compare COMMAND FILE VERSION OPTION...
compare()
{
	local command=$1 file=$2 version=$3 expressions=() options cut line
	shift 3

	expected "$file" "$command" "$version" >"$work/expected.raw" || return 0
	mapfile -t options < <(allowed "$command" "$file" options | tr ' ' '\n')
	while IFS= read -r line; do expressions+=(-e "$line"); done < <(allowed "$command" "$file" sed)
	cut=$(allowed "$command" "$file" cut)
	"$XPERF" report "$@" "${options[@]}" -f -i "./$file" </dev/null >"$work/ours.raw" 2>"$work/message" ||
		status=$?
	normal "${expressions[@]}" <"$work/expected.raw" >"$work/expected"
	normal "${expressions[@]}" <"$work/ours.raw" >"$work/ours"
	[[ $command != report || ! $(allowed "$command" "$file" unknown) ]] || without_unknown
	nr=$((nr + 1))
	cmp -s "$work/expected" "$work/ours" && return
	[[ ! $cut ]] || ! is_cut "$work/expected" "$work/ours" || return 0
	echo "$command of $file differs:"
	diff "$work/expected" "$work/ours" >"$work/diff" || true
	head -"${LINES_SHOWN:-8}" "$work/diff"
	failed=$((failed + 1))
}

# Our own recordings were made with the files in symfs*; no others are to be found.
symfs_of()
{
	case $1:$2 in
	local:s390x) echo "$XPERF_CORPUS/symfs-s390x" ;;
	local:aarch64) echo "$XPERF_CORPUS/symfs-aarch64" ;;
	local:*) echo "$XPERF_CORPUS/symfs" ;;
	*) echo "$work/none" ;;
	esac
}

# It ends with a reason, if it does not succeed.
check_end()
{
	((status < 128 || status == 255)) || { echo "$1: ends with $status"; failed=$((failed + 1)); }
	((!status)) || [[ -s $work/message ]] || {
		echo "$1: ends with $status and does not say why"
		failed=$((failed + 1))
	}
}

cd "$XPERF_CORPUS/files"
nr=0 failed=0
while IFS=$'\t' read -r file origin arch oracle; do
	version='' status=0
	symfs=$(symfs_of "$origin" "$arch")
	case $oracle in
	expected | expected+* | expected:* | expected\(*)
		[[ $(allowed header "$file" skip) ]] || compare header "$file" '' --header-only
		check_end "$file"
		status=0
		;;
	expected-*)
		version=${oracle#expected}
		version=${version%%[+:]*}
		;;
	*) version=none ;;
	esac
	if [[ $version == none || $(allowed report "$file" skip) ]]; then
		"$XPERF" report --stdio --symfs "$symfs" -f -i "./$file" </dev/null >"$work/ours.raw" 2>"$work/message" ||
			status=$?
	else
		compare report "$file" "$version" --stdio --symfs "$symfs"
	fi
	check_end "$file"
done < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $1 "\t" $at["origin"] "\t" $at["arch"] "\t" $at["oracle"] }' "$XPERF_CORPUS/manifest.tsv")
echo "$nr outputs compared, $failed differ"
((nr && !failed))
