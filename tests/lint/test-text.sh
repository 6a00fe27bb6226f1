#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# House rules that can be seen in the text: licence line, size of a file, no leftovers, no #if inside
# a function, clean line ends.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

failed=0

# complain FORMAT: each line of stdin is one fault
complain()
{
	local line

	while read -r line; do
		echo "$line: $1"
		failed=1
	done
}

# Texts of ours; data for tests and pictures are as they are.
mapfile -t texts < <(sources | grep -v -E '^docs/pictures/|^tests/.*(data|corpus|expected)/|\.(json|patch|txt|csv|hex)$|^LICENSE$')
mapfile -t code < <(sources 'lib/*.[ch]' 'arch/*.[ch]' 'cli/*.[ch]')
mapfile -t measured < <(sources '*.c' '*.h' '*.sh' '*.cmake' '*.awk' '*.py' run test .ci/run)

# Plain redirections, not pipes: the loop must run in this shell to count.
complain "no SPDX-License-Identifier in the first three lines" < <(
	for file in "${texts[@]}"; do
		head -n 3 "$file" | grep 'SPDX-License-Identifier: MIT' >/dev/null || echo "$file"
	done
)
complain "unfinished work" < <(
	grep -nE '\b(TO''DO|FIX''ME|X''XX)\b' "${texts[@]}" /dev/null | cut -d: -f1,2
)
complain "#if inside a function" < <(
	awk '/^\{/ { inside = 1 } /^\}/ { inside = 0 }
		FNR == 1 { inside = 0 }
		inside && /^[ \t]*#[ \t]*if/ { print FILENAME ":" FNR }' "${code[@]}"
)
# Tables of cases make a test longer.
complain "too many lines (500, a test 1000): look for the second job" < <(
	wc -l "${measured[@]}" |
		awk '$2 != "total" && $1 > ($2 ~ /^tests\// ? 1000 : 500) { print $2 }'
)
complain "space at the end of the line" < <(
	grep -nE '[ 	]+$' "${measured[@]}" | cut -d: -f1,2
)
complain "no newline at the end of the file" < <(
	for file in "${texts[@]}"; do
		[[ ! -s $file || -z $(tail -c 1 "$file") ]] || echo "$file"
	done
)
exit $failed
