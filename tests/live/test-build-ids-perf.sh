#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# perf finds the build ids of a recording, the same as in its own, and the files in the cache.
set -u
# shellcheck source=tests/live/perf.sh
. "$SOURCE_DIR/tests/live/perf.sh"
need_perf 6.1 7.2

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

fail()
{
	echo "$*"
	failures=$((failures + 1))
}

mkdir "$dir/ours" "$dir/theirs"
HOME=$dir/ours "$XPERF" record --buildid-cache -o "$dir/x.data" -e cpu-clock sh -c 'ls /; true' >"$dir/log" 2>&1 ||
	skip "xperf cannot record here: $(cat "$dir/log")"
HOME=$dir/theirs perf record -q --buildid-all -o "$dir/p.data" -e cpu-clock sh -c 'ls /; true' \
	>"$dir/log" 2>&1 || skip "perf cannot record here: $(cat "$dir/log")"
perf buildid-list -i "$dir/x.data" | sort >"$dir/ours.list"
perf buildid-list -i "$dir/p.data" | sort >"$dir/theirs.list"
[ -s "$dir/ours.list" ] || fail "perf finds no build ids in a recording of xperf"
# What one of them alone has seen may differ (a shell that runs ls by another way): no file has two.
cat "$dir/ours.list" "$dir/theirs.list" | sort -u | awk '{ $1 = ""; print }' | sort | uniq -d >"$dir/two"
[ -s "$dir/two" ] && fail "files with two build ids: $(cat "$dir/two")"
libc=$(awk '/libc[.-]/ { print; exit }' "$dir/theirs.list")
[ -z "$libc" ] || grep -qxF "$libc" "$dir/ours.list" || fail "'$libc' is missing in: $(cat "$dir/ours.list")"

perf --buildid-dir "$dir/ours/.debug" buildid-cache -l | sort >"$dir/cache.list"
while read -r id name; do
	copy=$dir/ours/.debug/.build-id/${id:0:2}/${id:2}
	case $name in
	# The kernel's symbols may be hidden from this user; perf does not list the vDSO.
	"[kernel.kallsyms]") ;;
	"[vdso]") [ -s "$copy/vdso" ] || fail "there is no copy of the vDSO" ;;
	*)
		[ -s "$copy/elf" ] || fail "there is no copy of '$name'"
		grep -qxF "$id $name" "$dir/cache.list" || fail "perf does not find '$name' ($id) in the cache"
		;;
	esac
done <"$dir/ours.list"

# Build ids that another recorder asks for are not taken for those of a recording without them.
"$XPERF" record -a -e cpu-clock -o "$dir/other.data" \
	sh -c "touch '$dir/ready'; until [ -e '$dir/go' ] || [ ! -d '$dir' ]; do sleep 0.01; done" >"$dir/log" 2>&1 &
other=$!
until [[ -e $dir/ready ]] || ! kill -0 $other 2>/dev/null; do sleep 0.01; done
if [[ -e $dir/ready ]]; then
	"$XPERF" record -q -B --no-buildid-mmap -e cpu-clock:u -o "$dir/none.data" true 2>"$dir/log" || fail "$(cat "$dir/log")"
	! "$XPERF" script -i "$dir/none.data" --show-mmap-events 2>/dev/null | grep 'MMAP2.*@ 0x[0-9a-f]* <' ||
		fail "maps have build ids that nobody asked for"
fi
touch "$dir/go"
wait $other

# Called as perf it keeps copies where perf does.
mkdir "$dir/as" "$dir/kept"
ln -s "$XPERF" "$dir/as/perf"
for options in --buildid-all '--buildid-all -N' ''; do
	# shellcheck disable=SC2086 # words
	HOME=$dir/kept "$dir/as/perf" record $options -o "$dir/as.data" -e cpu-clock true >"$dir/log" 2>&1 ||
		fail "record $options: $(cat "$dir/log")"
	kept=$(HOME=$dir/kept "$XPERF" buildid-cache -l)
	[[ $options == --buildid-all ]] && is_kept=1 || is_kept=0
	((is_kept == ${#kept} > 0)) || fail "record $options keeps: '$kept'"
	rm -rf "$dir/kept/.debug"
done
exit "$((failures > 0))"
