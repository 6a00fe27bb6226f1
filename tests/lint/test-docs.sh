#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Paths and functions that docs/ and README.md name in backquotes are in the tree, and links lead to files.
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
	*/*) [[ -e $1 ]] ;;
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

files=$(sources)
mapfile -t code < <(sources 'lib/*.[ch]' 'cli/*.[ch]' 'arch/*.[ch]')
mapfile -t pages < <(sources README.md 'docs/*.md')

failed=0
for page in "${pages[@]}"; do
	faults=$(missing "$page")
	[[ -z $faults ]] || { echo "$faults"; failed=1; }
done

# The check notices each kind of fault.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/page.md" <<'END'
`lib/no/such.c` `no-such-file.c` `xp_no_such()` [link](no-such-page.md)
`cli/stat/text.c` `text.c` `xp_ctx_new()`
END
[[ $(missing "$work/page.md" | wc -l) == 4 ]] || { echo "not every fault is noticed"; failed=1; }
exit $failed
