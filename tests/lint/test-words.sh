#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Private words do not come back: the phrases of words.txt are in no text that users read.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

checked=(README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md 'docs/*.md' 'man/*' 'lib/include/xperf/*.h' 'lib/*.c' 'arch/*.c'
	'cli/*.[ch]')
here=$SOURCE_DIR/tests/lint

# text_of FILE: its prose as lines "FILE:LINE<tab>TEXT". Of C sources the string literals, of headers the
# comments, of man pages what is not made of headers and examples, of Markdown what is outside of
# blocks of code and of the table of words themselves.
text_of()
{
	case $1 in
	*.c | cli/*.h) awk -f "$here/literals.awk" -f "$here/tokens.awk" "$1" ;;
	*.h) awk '/^ ?\/?\*/ { print FILENAME ":" FNR "\t" $0 }' "$1" ;;
	*.md) awk '/^```/ { code = !code } /^Private words / { words = 1 } /^## / { words = 0 }
		!code && !words { print FILENAME ":" FNR "\t" $0 }' "$1" ;;
	*) awk '/^\.\\" (functions of|examples\/)/ { made = 1 } /^\.\\" end of / { made = 0 }
		/^\.Bd / { made++ } /^\.Ed/ { made-- }
		!made && !/^\.\\"/ { print FILENAME ":" FNR "\t" $0 }' "$1" ;;
	esac
}

# private_words FILE...: each phrase that a file uses, with its place and what to write instead
private_words()
{
	local file phrase instead case line

	for file in "$@"; do
		text_of "$file"
	done >"$work/text"
	while IFS=$'\t' read -r phrase instead; do
		[[ $phrase != '#'* ]] || continue
		case=-i
		[[ $phrase != *[[:upper:]]* ]] || case=
		cut -f2- "$work/text" | { grep -n $case -E "$phrase" || true; } | cut -d: -f1 |
			while read -r line; do
				sed -n "${line}s/\t/: /p" "$work/text"
				echo "    instead: $instead"
			done
	done <"$here/words.txt"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=0
mapfile -t files < <(sources "${checked[@]}")
faults=$(private_words "${files[@]}")
[[ -z $faults ]] || { echo "$faults"; failed=1; }

# Each phrase is noticed, and only in prose.
cat >"$work/page.md" <<'END'
The reason is told below.
```
told
```
Of the branches, the last one counts.
END
[[ $(private_words "$work/page.md" | grep -c instead) == 2 ]] || { echo "not every phrase is noticed"; failed=1; }
exit $failed
