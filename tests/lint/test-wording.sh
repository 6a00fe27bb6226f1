#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Texts of the library are for any program: they name no command and no option of xperf. The table of
# the program that adds them has no row whose phrase the library does not say; and the check notices
# each.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

lint=$SOURCE_DIR/tests/lint

# Not ours: other programs with their options; "xperf" as who wrote a recording, or where it is a name.
others=$'s/\\b(mount -[to]|ulimit -[ln]|fuser -v|sh -c|clang -g|Link it with -no-pie)\\b//
	s/\\b(docker run|qemu-system-x86_64|prlimit) .*//
	s/\txperf( %s)?$//'

# names_program FILE...: each literal that names the program or one of its options
names_program()
{
	awk -f "$lint/literals.awk" -f "$lint/tokens.awk" "$@" | sed -E "$others" |
		grep -E "(^|[^-_/A-Za-z])xperf([^-_/.A-Za-z]|$)|[[:blank:](\`']--?[A-Za-z]" || true
}

# never_said TABLE FILE...: each phrase of the table that is in no literal of the files. What the
# library puts in is a '*'.
never_said()
{
	awk -f "$lint/literals.awk" -f "$lint/tokens.awk" <(sed -n '/rows\[\] = {/,/^};/p' "$1") | cut -f2 >"$work/phrases"
	shift
	awk -f "$lint/literals.awk" -f "$lint/tokens.awk" "$@" | cut -f2 >"$work/said"
	awk 'NR == FNR { phrases[++nr] = $0; next }
		{ gsub(/%[-#.*0-9]*[hlz]*[a-zA-Z]/, "*"); said = said "\n" $0 }
		END {
			if (!nr || nr % 2)
				print "(the table is not read: " nr + 0 " literals)"
			for (i = 1; i <= nr; i += 2)
				if (!index(said, phrases[i]))
					print phrases[i]
		}' "$work/phrases" "$work/said"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mapfile -t library < <(sources 'lib/*.[ch]' 'arch/*.[ch]')

failed=0
faults=$(names_program "${library[@]}")
if [[ -n $faults ]]; then
	echo "Texts of the library that name the program; cli/wording.c is the place for that:"
	echo "$faults"
	failed=1
fi
faults=$(never_said cli/wording.c "${library[@]}")
if [[ -n $faults ]]; then
	echo "cli/wording.c waits for what the library does not say:"
	echo "$faults"
	failed=1
fi

cat >"$work/faulty.c" <<'END'
/* "xperf stat" in a comment */
static const char *const texts[] = {
	"Use mount -t tracefs, libxperf or /usr/xperf", '"', "not-an-option",
	"`xperf list` shows them", "Give one of -F "
				   "and another",
	"shorter: --call-graph fp", "it is in %.*s here",
};
END
cat >"$work/table.c" <<'END'
static const struct row rows[] = {
	{ "is in * here", "" },
	{ "is in * there", "" },
	{ "of -F and another", "" },
};
END
[[ $(names_program "$work/faulty.c" | cut -f2) == '`xperf list` shows them
Give one of -F and another
shorter: --call-graph fp' ]] || { echo "not all that names the program is noticed"; failed=1; }
[[ $(never_said "$work/table.c" "$work/faulty.c") == 'is in * there' ]] ||
	{ echo "what is never said is not noticed"; failed=1; }
exit $failed
