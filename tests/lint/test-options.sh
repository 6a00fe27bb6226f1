#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An option is in the table of its command, in --help and in the man page, or in none of them: letter,
# long name, and whether it takes a value.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

"$XPERF" --list-options version >/dev/null 2>&1 || skip "this xperf has no --list-options yet"

# Each prints lines "LETTER LONG VALUE": "-" for none, VALUE is "=" if there is one.
table_of()
{
	"$XPERF" --list-options "$1" | awk -F '\t' '{ print $1, $2, $3 == "-" ? "-" : "=" }' |
		sed 's/^-\([^ ]\)/\1/; s/ --/ /'
}

# From lines like "    -e, --event <event>   what it does".
help_of()
{
	"$XPERF" "$1" --help | awk '/^ +-/ {
		letter = long = value = "-"
		for (i = 1; i <= NF && $i ~ /^[-<[]/; i++) {
			word = $i
			sub(/,$/, "", word)
			if (word ~ /^--/)
				long = substr(word, 3)
			else if (word ~ /^-/)
				letter = substr(word, 2)
			else
				value = "="
		}
		if (sub(/[=[<].*/, "", long))
			value = "="
		print letter, long, value
	}'
}

# From lines like ".It Fl e Ar event , Fl -event Ns = Ns Ar event" of OPTIONS.
manual_of()
{
	awk '/^\.Sh / { options = $2 == "OPTIONS" }
	options && /^\.It Fl / {
		letter = long = value = "-"
		for (i = 2; i <= NF; i++) {
			if ($i == "Ar")
				value = "="
			if ($(i - 1) != "Fl")
				continue
			if ($i ~ /^-/)
				long = substr($i, 2)
			else
				letter = $i
		}
		print letter, long, value
	}' "man/xperf-$1.1"
}

compare()
{
	local command=$1 name=$2 wrong

	wrong=$(diff <(table_of "$command" | sort) <("${name}_of" "$command" | grep -v '^h help ' | sort)) ||
		{ sed -n "s/^< /$command: in the table, not in $name: /p
			s/^> /$command: in $name, not in the table: /p" <<<"$wrong"; failed=1; }
}

failed=0
for command in $("$XPERF" --list-cmds); do
	[[ -e man/xperf-$command.1 ]] || continue
	compare "$command" help
	compare "$command" manual
	echo "$command: $(table_of "$command" | wc -l) options"
done
exit $failed
