#!/bin/bash
# SPDX-License-Identifier: MIT
# `xperf inject` writes what a recording has: the same samples in every shape, and more build ids.
set -u
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
files=$SOURCE_DIR/tests/data/perfdata/files

fail()
{
	echo "FAIL: $*"
	failed=1
}

# samples FILE: all that is recorded of them. Names of functions depend on what the machine has installed.
samples()
{
	"$XPERF" script -f -i "$1" -F -sym --show-task-events --show-mmap-events --show-switch-events 2>"$dir/err"
}

# events FILE: with their attributes, which are no longer than needed
events()
{
	"$XPERF" evlist -v -f -i "$1" 2>&1 | sed 's/ size: [0-9]*,//'
}

names="local510-basic local61-g-fp local72-multi local61-pipe local61-threads-dir local72-groupS local-arm64-z made-branches made-cycles"
"$XPERF" check -q feature zstd || { echo "built without zstd: no compressed recording is tried"; names=${names/local-arm64-z/}; }
for name in $names; do
	samples "$files/$name" >"$dir/expected"
	warnings=$(<"$dir/err")
	"$XPERF" inject -f -i "$files/$name" -o "$dir/file" 2>"$dir/err" || { fail "$name: $(cat "$dir/err")"; continue; }
	"$XPERF" inject -i "$dir/file" >"$dir/stream" 2>"$dir/err" || fail "$name: a stream"
	[[ ! -s $dir/err ]] || fail "$name: a stream: $(cat "$dir/err")"
	"$XPERF" inject -b -i - <"$dir/stream" >"$dir/with-ids" 2>"$dir/err" || fail "$name: of a stream"
	[[ ! -s $dir/err ]] || fail "$name: of a stream: $(cat "$dir/err")"
	for copy in file stream with-ids; do
		samples "$dir/$copy" | diff -q "$dir/expected" - >/dev/null || fail "$name, $copy: other samples"
		[[ $(<"$dir/err") == "$warnings" ]] || fail "$name, $copy: $(cat "$dir/err")"
	done
	[[ $(events "$dir/file") == "$(events "$files/$name")" ]] || fail "$name: other events"
	! "$XPERF" report --header-only -i "$dir/file" 2>/dev/null | grep '^# compressed' || fail "$name: it is still compressed"
done

# A file of perf has entries of type 0 in its table of build ids; in a stream they are records that perf reads, too.
"$XPERF" inject -f -i "$files/local61-g-fp" >"$dir/stream" 2>"$dir/err" && [[ ! -s $dir/err ]] || fail "a stream: $(cat "$dir/err")"
"$XPERF" script -i "$dir/stream" 2>"$dir/err" >/dev/null && [[ ! -s $dir/err ]] || fail "a stream is read: $(cat "$dir/err")"
deep=$("$XPERF" buildid-list -f -i "$files/local61-g-fp" | grep '/deep$')
[[ $deep && $("$XPERF" buildid-list -i "$dir/stream") == *"$deep"* ]] ||
	fail "a stream lacks '$deep': $("$XPERF" buildid-list -i "$dir/stream")"
"$XPERF" inject -i - <"$dir/stream" >"$dir/again" || fail 'a stream of a stream'
"$XPERF" inject -i - <"$dir/stream" -o "$dir/stored" || fail 'a file of a stream'
"$XPERF" inject -b -i - <"$dir/stream" >"$dir/more" || fail 'a stream of a stream, with build ids'
for copy in again stored more; do
	[[ $("$XPERF" buildid-list -i "$dir/$copy" | grep -cxF "$deep") == 1 ]] ||
		fail "$copy lacks '$deep': $("$XPERF" buildid-list -i "$dir/$copy")"
done
if command -v perf >/dev/null; then
	perf script -F ip,dso -i - <"$dir/stream" >"$dir/out" 2>"$dir/err" && [[ -s $dir/out ]] || fail "perf reads nothing of a stream: $(cat "$dir/err")"
	! grep -q 'type: 0\|unknown events' "$dir/err" || fail "perf reads a stream: $(cat "$dir/err")"
fi

# Build ids: what the recording has stays, and mapped files that are there get theirs.
"$XPERF" inject -f -b -i "$files/local61-g-fp" -o "$dir/more" || fail '-b'
"$XPERF" buildid-list -f -i "$files/local61-g-fp" | sort >"$dir/before"
"$XPERF" buildid-list -i "$dir/more" | sort >"$dir/after"
[[ -z $(comm -23 "$dir/before" "$dir/after") ]] || fail '-b loses build ids'
if "$XPERF" check -q feature libelf && "$XPERF" record -q -B --no-buildid-mmap -e cpu-clock:u -o "$dir/without" true 2>/dev/null; then
	true=$(readlink -f "$(type -P true)")
	id=$("$XPERF" buildid-list -i "$true" 2>/dev/null)
	"$XPERF" inject -b -i "$dir/without" -o "$dir/with" || fail 'a recording without build ids'
	[[ -z $id || -z $("$XPERF" buildid-list -i "$dir/without" | grep -F "$id") ]] || fail '-B has recorded a build id'
	[[ -z $id ]] || "$XPERF" buildid-list -i "$dir/with" | grep -qF "$id " || fail "-b: no build id of $true"
else
	echo 'nothing is recorded here: -b is not tried with new files'
fi

# What is wrong, and what is not done here
"$XPERF" inject -i /dev/null -o "$dir/none" 2>"$dir/err"
[[ $? == 255 && ! -e $dir/none ]] && grep -q "is empty" "$dir/err" || fail "an empty file: $(cat "$dir/err")"
"$XPERF" inject -i "$files/local61-g-fp" -o "$dir/nonexistent/file" -f 2>"$dir/err"
[[ $? == 255 ]] && grep -q "^Error: .*nonexistent" "$dir/err" || fail "a directory that is not there: $(cat "$dir/err")"
"$XPERF" inject -f -i "$files/local61-g-fp" >"$dir/one" && "$XPERF" inject -f -i "$files/local72-multi" | tail -c +17 >"$dir/two"
cat "$dir/one" "$dir/two" | "$XPERF" inject -i - -o "$dir/both" 2>"$dir/err"
[[ $? == 255 ]] && grep -q 'describes events after its first records' "$dir/err" || fail "events that come late: $(cat "$dir/err")"
for options in --strip --itrace=i100 --convert-callchain now; do
	"$XPERF" inject $options 2>"$dir/err" >&2 </dev/null
	[[ $? == 129 ]] || fail "$options: $(cat "$dir/err")"
done
exit $failed
