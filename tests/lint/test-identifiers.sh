#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Private words do not come back as names in the code: those of identifiers.txt are no part of an identifier.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

here=$SOURCE_DIR/tests/lint

# private_names FILE...: each identifier with a private word, once per line, with its place
private_names()
{
	awk -f "$here/identifiers.awk" -f "$here/tokens.awk" "$here/identifiers.txt" "$@"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=0
mapfile -t files < <(sources 'lib/*.[ch]' 'cli/*.[ch]' 'arch/*.[ch]' 'tests/*.[ch]' 'examples/*.[ch]' 'bench/*.[ch]')
faults=$(private_names "${files[@]}")
[[ -z $faults ]] || { echo "$faults"; failed=1; }

# Each kind is noticed, and only in names.
cat >"$work/names.c" <<'END'
/* The spot is told by take_line(). */
int take_line(struct xp_spot *wishes); // spot
int xp_str_take(const char *what_is_told);
int mistake = 'a', compile(void), long_texts_take_time("tell \" spot"), takes;
int take(void);
END
[[ $(private_names "$work/names.c" | cut -f2 | tr '\n' ' ') == \
	"take_line xp_spot wishes xp_str_take what_is_told take " ]] ||
	{ echo "not every name is noticed:"; private_names "$work/names.c"; failed=1; }
exit $failed
