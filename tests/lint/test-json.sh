#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# JSON is written by lib/inline/json.h, which escapes names and sets commas; no other file writes its punctuation, but
# one: regions, which may end with their process.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

# by_hand FILE...: lines that write a name with its quotes and colon, a text after a bracket or comma, or a
# quote alone
by_hand()
{
	grep -nHE '\w\\" ?:|[{,[] ?(\\[nt])*\\"[[:alnum:]%"]|(putc|fputc|putchar|sink_char)\(.*'"'"'"'"'" "$@" || true
}

mapfile -t files < <(sources 'lib/*.[ch]' 'cli/*.[ch]' | grep -vE '^lib/inline/json.h$|^cli/output/json-numbers.c$|^lib/evlist/regions-json.c$')
found=$(by_hand "${files[@]}")
[[ -z $found ]] || { echo "$found"; echo "use lib/inline/json.h"; exit 1; }
echo "${#files[@]} files write no JSON by hand"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/wrong.c" <<'END'
	fputs("{\"dso\": ", file);
	fprintf(file, ", \"%s\": %d", name, value);
	fputs("[\n\t\"a\"", file);
	fputc('"', file);
	sink_text(out, ",\"time_ns\":");
	strpbrk(command, " *?[\"'");
	.help = "the recording (perf.data; \"-\": standard input)",
END
(($(by_hand "$work/wrong.c" | wc -l) == 5)) || { by_hand "$work/wrong.c"; echo "JSON by hand goes unnoticed"; exit 1; }
