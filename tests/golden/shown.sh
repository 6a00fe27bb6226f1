# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What commands print of the recordings in tests/data/perfdata, against what they printed when that
# was looked at. REFRESH=1 accepts what is printed now. To be sourced; the test says where the
# expected texts are: $golden.
: "${golden:?}"

export HOME=/nonexistent TZ=UTC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export failed=0

# have LIBRARY: true if it is there
have() { "$XPERF" check -q feature "$1"; }

# skipped FILE: true if a library that it takes is missing
skipped()
{
	case $1 in
	*-z) ! have zstd ;;
	*-tp) ! have libtraceevent ;;
	*) false ;;
	esac
}

# first LINES: so many, and how many there are
first()
{
	sed '/^# captured on/d' | awk -v most="$1" 'NR <= most; END { print "(" NR " lines)" }' | cut -c1-400
}

# show LINES COMMAND...: what it prints, its message and its status
show()
{
	local lines=$1 status=0
	shift

	echo "== $*"
	"$XPERF" --no-pager "$@" >"$work/out" 2>"$work/message" </dev/null || status=$?
	first "$lines" <"$work/out"
	grep -v '^Usage: ' "$work/message" | sed "s|$work/||g" || true
	((!status)) || echo "status $status"
}

# same NAME: what was shown, and what is expected
same()
{
	if [[ ${REFRESH:-} ]]; then
		mkdir -p "$golden"
		cp "$work/shown" "$golden/$1.txt"
	fi
	diff -u "$golden/$1.txt" "$work/shown" || { echo "$1: not as expected"; failed=1; }
}
