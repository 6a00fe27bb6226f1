#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each public function has a man page, made from its docstring, which mandoc has nothing against. What
# a docstring says about parameters, results and errors is in the page.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool mandoc

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
awk -v dir="$pages" -f tools/man-functions.awk man/*.3 lib/include/xperf/*.h

families=$(basename -s .3 man/xp_*.3 | paste -sd '|')
failed=0
fault() { echo "$*"; failed=1; }

mandoc -T lint -W warning "$pages"/*.3 || failed=1
for name in $(sed -n 's/^\t\t\(xp_[a-z0-9_]*\);/\1/p' lib/libxperf.map); do
	[[ -e $pages/$name.3 ]] || { fault "$name(): has no man page"; continue; }
	grep -q "^\.Nd ." "$pages/$name.3" || fault "$name(): its man page does not say what it does"
	grep -q "^\.Fo $name\$" "$pages/$name.3" || fault "$name(): its man page has no prototype"
	grep -q '^\.Sh DESCRIPTION$' "$pages/$name.3" || fault "$name(): its man page has no description"
	grep -qE "^\.Xr ($families) 3" "$pages/$name.3" ||
		fault "$name(): its man page does not name that of its family"
done

# shown NAME: the page as text, words separated by one blank
shown() { mandoc -T ascii "$pages/$1.3" | sed 's/.\x08//g' | tr -s ' \t\n' ' '; }

# has NAME TEXT...
has()
{
	local name=$1 text page

	shift
	page=$(shown "$name")
	for text; do
		[[ $page == *"$text"* ]] || fault "man $name: does not have \"$text\""
	done
}

has xp_evlist_open "int xp_evlist_open(struct xp_evlist *evlist, const struct xp_open_opts *opts, struct xp_diag *diag);" \
	"diag on failure, a sentence for the user" "-EALREADY the list is open" "-ESRCH all threads have ended" \
	"Other negative errno: as the kernel gave it." "SEE ALSO xp_evlist(3)"
has xp_bpf_count_events "xp_evlist_open() returns, besides what it says, -ENOSYS this library was built" "(BTF) -E2BIG there are" \
	"of such an event -ENOTCONN" "RETURN VALUES Returns the number of events that BPF will count, -EBUSY (the list is open), or -ENOMEM. SEE"
has xp_bpf_count_programs "says, -ENOENT there is no such program" "-ENOMEM, with diag filled. SEE ALSO"
has xp_evlist_free "close and free a list with its events; evlist may be NULL" \
	"DESCRIPTION Close and free a list with its events; evlist may be NULL. SEE ALSO"
has xp_self_open "borrowed until xp_self_close()" "xp_self_close(3)"
has xp_diag_set "int xp_diag_set(struct xp_diag *diag, int err, const char *fmt, ...);"
has xp_timeline_maps "int (*fn)(const struct xp_map *map, void *data)"
echo "$(find "$pages" -name '*.3' | wc -l) pages"
exit $failed
