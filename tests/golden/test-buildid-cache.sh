#!/bin/bash
# SPDX-License-Identifier: MIT
# `xperf buildid-cache` keeps files where perf looks for them, and removes nothing else; `archive
# --unpack` puts those of an archive there.
set -u
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir/home
mkdir "$HOME"

fail()
{
	echo "FAIL: $*"
	failed=1
}

cache()
{
	"$XPERF" buildid-cache "$@" 2>"$dir/err"
}

"$XPERF" check -q feature libelf || { echo 'this xperf reads no ELF files'; exit 77; }
cp "$(type -P true)" "$dir/a"
id=$("$XPERF" buildid-list -i "$dir/a")
[[ $id =~ ^[0-9a-f]{8,}$ ]] || { echo "the programs of this machine have no build ids"; exit 77; }
kept=$HOME/.debug/$dir/a/$id/elf

[[ -z $(cache -l) ]] || fail '-l with nothing'
(cd "$dir" && cache -v -a a) || fail "-a: $(cat "$dir/err")"
[[ $(cat "$dir/err") == "Added $id $dir/a" ]] || fail "-v -a: $(cat "$dir/err")"
cmp -s "$kept" "$dir/a" && [[ $(readlink "$HOME/.debug/.build-id/${id:0:2}/${id:2}") == "../..$dir/a/$id" ]] ||
	fail "-a: $(find "$HOME/.debug")"
cache -a "$dir/a" || fail '-a again'
[[ $(cache -l) == "$id $dir/a" ]] || fail "-l: $(cache -l)"
if command -v perf >/dev/null; then
	[[ $(perf buildid-cache -l 2>/dev/null) == "$id $dir/a" ]] || fail "perf buildid-cache -l: $(perf buildid-cache -l)"
fi

# What is wrong fails, and the rest is done.
cp "$(type -P sleep)" "$dir/b"
cache -a "/nonexistent,$dir/b,/proc/version" && fail 'what cannot be kept is success'
[[ $(grep -c '^Error: ' "$dir/err") == 2 ]] || fail "-a with wrong files: $(cat "$dir/err")"
[[ $(cache -l | wc -l) == 2 ]] || fail "-l: $(cache -l)"
cache -r "$dir/b" || fail "-r: $(cat "$dir/err")"
[[ $(cache -l) == "$id $dir/a" && ! -e $HOME/.debug/$dir/b ]] || fail "-r: $(find "$HOME/.debug")"
cache -r "$dir/b" && fail '-r of what is not there'
grep -q " is not kept\$" "$dir/err" || fail "-r of what is not there: $(cat "$dir/err")"
cache -u "$dir/a" || fail "-u: $(cat "$dir/err")"
cmp -s "$kept" "$dir/a" || fail '-u: the file is gone'
rm "$dir/a"
cache -p "$dir/a" || fail "-p: $(cat "$dir/err")"
[[ -z $(cache -l) && -z $(find "$HOME/.debug" -mindepth 1) ]] || fail "-p: $(find "$HOME/.debug")"
cache; [[ $? == 129 ]] || fail 'without options'
cache -l -P; [[ $? == 129 ]] || fail '-l -P'

# Links that lead elsewhere are no entries.
mkdir -p "$HOME/.debug/.build-id/ab" "$dir/precious/abcdef"
echo important >"$dir/precious/abcdef/elf"
ln -s ../../../../precious/abcdef "$HOME/.debug/.build-id/ab/cdef"
ln -s "$dir/precious/abcdef" "$HOME/.debug/.build-id/ab/cdee"
[[ -z $(cache -l) ]] || fail "a link that leads elsewhere: $(cache -l)"
cache -P
[[ -s $dir/precious/abcdef/elf ]] || fail 'a link that leads elsewhere was followed'
rm -r "$HOME/.debug"

# What a recording has, and what is missing.
cp "$SOURCE_DIR/tests/data/perfdata/files/local61-g-fp" "$dir/data"
all=$("$XPERF" buildid-list -i "$dir/data" | wc -l)
[[ $(cache -M "$dir/data" | wc -l) == "$all" && $all -gt 0 ]] || fail "-M: $(cache -M "$dir/data"; cat "$dir/err")"

# From one directory to another one, through an archive.
if command -v tar >/dev/null && cp "$(type -P sort)" "$dir/c" && yes line | head -300000 >"$dir/lines" &&
	"$XPERF" record -q -e cpu-clock:u -o "$dir/perf.data" "$dir/c" "$dir/lines" >/dev/null 2>&1; then
	cache -a "$dir/c"
	(cd "$dir" && "$XPERF" archive --compress none >/dev/null 2>&1) || fail 'archive'
	rm -r "$HOME/.debug" "$dir/c"
	(cd "$dir" && "$XPERF" archive --unpack) || fail 'archive --unpack'
	cache -l | grep -q " $dir/c\$" || fail "archive --unpack: $(find "$HOME/.debug" | head)"
	[[ $(cache -M "$dir/perf.data") != *"$dir/c"* ]] || fail "-M: $(cache -M "$dir/perf.data")"
	"$XPERF" archive --unpack "$dir/nonexistent" >/dev/null 2>"$dir/err" && fail 'archive --unpack of nothing'
	(cd "$HOME" && "$XPERF" archive --unpack 2>&1) | grep -q 'there is no archive of perf.data here' ||
		fail 'archive --unpack without an archive'
fi
exit $failed
