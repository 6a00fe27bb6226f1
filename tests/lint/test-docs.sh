#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Paths and functions that pages name in backquotes are in the tree, links lead to files,
# and commands of xperf in blocks of code have only options that exist. Pictures are small.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

# words_of PAGE: what stands in backquotes, outside of blocks of code
words_of()
{
	awk '/^```/ { code = !code; next } !code' "$1" | grep -oE '`[^`]+`' | tr -d '`' | sort -u
}

# path_exists WORD: a path from the root of the tree, or the name of a file anywhere in it
path_exists()
{
	case $1 in
	build/*) ;; # what building makes
	*[A-Z]*) ;; # a name to be filled in
	*/*) compgen -G "$1" >/dev/null ;;
	*) grep -qE "(^|/)${1//./\\.}\$" <<<"$files" ;;
	esac
}

# missing PAGE: each path, function and link of a page that leads nowhere
missing()
{
	local page=$1 word target

	while read -r word; do
		if [[ $word =~ ^(lib|cli|arch|tests|bench|examples|man|cmake|docs|tools)/[^\ ]*$ ||
			$word =~ ^[a-z0-9_-]+\.[ch]$ ]]; then
			path_exists "$word" || echo "$page: no file $word"
		elif [[ $word =~ ^([a-z_][a-z0-9_]*)\(\)$ ]]; then
			grep -qE "\\b${BASH_REMATCH[1]}\\(" "${code[@]}" || echo "$page: no function $word"
		fi
	done < <(words_of "$page")
	while read -r target; do
		[[ -e $(dirname "$page")/$target ]] || echo "$page: no file $target"
	done < <(grep -oE '\]\([^)#:]+\)' "$page" | sed 's/^](//; s/)$//')
}

# options_table: each option of each command: COMMAND<tab>OPTION<tab>"=" if it takes a word
options_table()
{
	local command

	for command in $("$XPERF" --list-cmds); do
		[[ $command == help ]] || "$XPERF" --list-options "$command" |
			awk -F '\t' -v OFS='\t' -v command="$command" '{
				takes = $3 == "-" || $3 ~ /^\[/ ? "-" : "="
				if ($1 != "-")
					print command, $1, takes
				if ($2 != "-")
					print command, $2, takes
			}'
	done
}

# wrong_options PAGE: each option in a block of code that its command does not have
wrong_options()
{
	awk -v page="$1" '
	FNR == NR { split($0, row, "\t"); known[row[1], row[2]] = row[3]; next }
	/^```/ { code = !code; next }
	code && match($0, /(^|[ ;])xperf [a-z-]+ /) {
		nr = split(substr($0, RSTART), word, /[ ;]+/)
		for (i = 1; word[i] != "xperf"; i++)
			;
		command = word[++i]
		while (++i <= nr && word[i] ~ /^-./) {
			option = word[i]
			sub(/=.*/, "", option)
			sub(/^-v+$/, "-v", option)
			if (!((command, option) in known))
				print page ": xperf " command " has no option " option
			else if (known[command, option] == "=" && word[i] !~ /=/)
				i++
		}
	}' "$work/options" "$1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options_table >"$work/options"
files=$(sources)
mapfile -t code < <(sources 'lib/*.[ch]' 'cli/*.[ch]' 'arch/*.[ch]')
mapfile -t pages < <(sources README.md ARCHITECTURE.md 'docs/*.md')

failed=0
for page in "${pages[@]}"; do
	faults=$(missing "$page"; wrong_options "$page")
	[[ -z $faults ]] || { echo "$faults"; failed=1; }
done

size=$(cat docs/pictures/* | wc -c)
((size < 500000)) || { echo "docs/pictures: $size bytes are too many for a page"; failed=1; }

# The check notices each kind of fault.
cat >"$work/page.md" <<'END'
`lib/no/such.c` `no-such-file.c` `xp_no_such()` [link](no-such-page.md)
`cli/stat/show/text.c` `text.c` `xp_ctx_new()`
```
$ xperf stat -e cycles --no-such -x , ls -Z | xperf
```
END
[[ $(missing "$work/page.md" | wc -l) == 4 ]] || { echo "not every fault is noticed"; failed=1; }
[[ $(wrong_options "$work/page.md") == *"xperf stat has no option --no-such" ]] ||
	{ echo "a wrong option is not noticed"; failed=1; }
exit $failed
