#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A corpus of recordings with what perf printed of them (XPERF_CORPUS: files/NAME,
# expected/NAME.{script,evlist}[.symfs].txt, also with .xz; symfs*/; manifest.tsv): `script` and
# `evlist -v` print the same. tests/data/corpus-differences.tsv says where they do not, and why; of
# recordings that newer versions of perf were asked for, blanks do not count. What perf cannot read
# is read, or refused with a reason.
set -euo pipefail

[[ ${XPERF_CORPUS:-} ]] || { echo "XPERF_CORPUS names no corpus of recordings"; exit 77; }
table=$SOURCE_DIR/tests/data/corpus-differences.tsv

# recorded NAME: what perf printed, below the corpus; fails if that is not there
recorded()
{
	local path=$XPERF_CORPUS/$1

	if [[ -f $path ]]; then
		cat "$path"
	elif [[ -f $path.xz ]]; then
		xz -dc "$path.xz"
	else
		return 1
	fi
}

# expected DIRECTORY FILE COMMAND: preferably without this machine's files
expected()
{
	recorded "$1/$2.$3.symfs.txt" || recorded "$1/$2.$3.txt"
}

# Our recordings have the programs that ran.
files_of()
{
	case $1 in
	local-s390x*) echo "$XPERF_CORPUS/symfs-s390x" ;;
	local-arm64*) echo "$XPERF_CORPUS/symfs-aarch64" ;;
	local*) echo "$XPERF_CORPUS/symfs" ;;
	*) echo "$work/empty" ;;
	esac
}

# Addresses in chains are as they ran, and perf 6.1 has them as in the file; the tip names the
# program. (Both stand in the table.)
normalise()
{
	sed -E -e 's/^\t *[0-9a-f]+ (.* \(([^[]|\[[^kgu]).*)$/\tADDRESS \1/' \
		-e "s/^(# Tip: use ')x?perf /\1perf /" ${squeeze:+-e 's/[ \t]+/ /g' -e 's/ $//'}
}

# allowed COMMAND FILE: how many lines may differ, in all
allowed()
{
	local command pattern differs rest total=0

	while IFS=$'\t' read -r command pattern differs rest; do
		# shellcheck disable=SC2053 # a pattern
		[[ $command == "$1" && $2 == $pattern && $differs =~ ^([0-9]+)\ line ]] || continue
		total=$((total + BASH_REMATCH[1]))
	done <"$table"
	echo "$total"
}

# given COMMAND FILE: the options that xperf needs to print what perf prints
given()
{
	local command pattern how value rest

	while IFS=$'\t' read -r command pattern how value rest; do
		# shellcheck disable=SC2053 # a pattern
		[[ $command != "$1" || $2 != $pattern || $how != options ]] || echo "$value"
	done <"$table"
}

# compare COMMAND FILE DIRECTORY: 0: the same; 1: another; 2: another, as the table says
compare()
{
	local command=$1 file=$2 differ may size

	expected "$3" "$file" "$command" >"$work/perf" || return 0
	size=$(stat -c %s "$work/perf")
	normalise <"$work/perf" >"$work/theirs"
	normalise <"$work/out" >"$work/ours"
	# what was cut when it was recorded
	if ((size >= 2000000 && $(stat -c %s "$work/out") > size)); then
		head -n "$(($(wc -l <"$work/theirs") - 1))" "$work/ours" >"$work/cut"
		mv "$work/cut" "$work/ours"
		head -n -1 "$work/theirs" >"$work/cut" || true
		head -n "$(wc -l <"$work/ours")" "$work/theirs" >"$work/cut"
		mv "$work/cut" "$work/theirs"
	fi
	if cmp -s "$work/theirs" "$work/ours"; then
		! grep -F "$command"$'\t'"$file"$'\t' "$table" | grep -v $'\toptions\t' >/dev/null ||
			{ echo "$command $file: the same by now: its row can go"; return 1; }
		return 0
	fi
	differ=$(diff "$work/theirs" "$work/ours" | awk '/^</ { a++ } /^>/ { b++ } END { print (a > b ? a : b) + 0 }')
	may=$(allowed "$command" "$file")
	((differ <= may)) && return 2
	echo "$command $file: $differ lines differ, and the table allows $may:"
	diff "$work/theirs" "$work/ours" | head -n 6 | cut -c1-300 || true
	return 1
}

# print COMMAND FILE: runs it; complains of a crash, and of a failure without a reason
print()
{
	local command=$1 file=$2 status=0
	local -a options=(-v)

	[[ $command == evlist ]] || options=(--symfs "$(files_of "$file")")
	# shellcheck disable=SC2207 # words
	options+=($(given "$command" "$file"))
	(cd "$XPERF_CORPUS/files" && "$XPERF" --no-pager "$command" -f "${options[@]}" -i "./$file") \
		>"$work/out" 2>"$work/message" </dev/null || status=$?
	if ((status != 0 && status != 255)); then
		echo "$command $file: status $status: $(head -c 300 "$work/message")"
		return 1
	fi
	((!status)) || [[ -s $work/message ]] || { echo "$command $file: fails without a word"; return 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty"
export HOME=$work/empty TZ=UTC
failed=0 same=0 known=0 nr=0 refused=0
while IFS=$'\t' read -r file oracle; do
	directory=${oracle%%[+:(]*} squeeze=
	[[ $directory == expected ]] || squeeze=1
	for command in script evlist; do
		print "$command" "$file" || { failed=$((failed + 1)); continue; }
		[[ $directory == expected* ]] || { refused=$((refused + 1)); continue; }
		nr=$((nr + 1)) status=0
		compare "$command" "$file" "$directory" || status=$?
		case $status in
		0) same=$((same + 1)) ;;
		2) known=$((known + 1)) ;;
		*) failed=$((failed + 1)) ;;
		esac
	done
done < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $1 "\t" $at["oracle"] }' "$XPERF_CORPUS/manifest.tsv")
echo "$nr outputs compared: $same the same, $known differ as the table says, $failed failed;" \
	"$refused of recordings that perf does not read"
((nr && !failed))
