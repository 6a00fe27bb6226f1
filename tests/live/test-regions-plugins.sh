#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The regions of a program, of a library that hides its symbols, and of a plugin are in one summary. A
# plugin with regions can be unloaded while threads that were in it go on, also when libxperf came
# with it.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

"$XPERF" stat -e page-faults:u true >/dev/null 2>&1 || { echo "no events can be opened here"; exit 77; }

# summary HOST PLUGIN REGION...: what is counted, each once
summary()
{
	local host=$1 plugin=$2 file=$work/$1-$2.json

	shift 2
	XPERF_REGIONS=$file XPERF_EVENTS=page-faults:u "$BUILD_DIR/tests/regions-$host" \
		"$BUILD_DIR/tests/libregions-$plugin.so" >"$work/out" 2>&1 ||
		{ echo "$host with $plugin: ends with $?"; cat "$work/out"; failed=1; return; }
	diff <(printf '%s 1\n' "$@" | sort) <(python3 -c '
import json, sys
for region in json.load(open(sys.argv[1]))["regions"]:
    print("/".join(region["path"]), region["calls"])' "$file" | sort) ||
		{ echo "$host with $plugin: wrong regions"; failed=1; }
}

summary program plugin in_main in_main/in_library in_plugin
summary host plugin in_plugin
# What the plugin's own copy of the library has allocated stays when it is unloaded: threads may use it.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 summary host static-plugin in_plugin

XPERF_REGIONS=$work/no/such/folder "$BUILD_DIR/tests/regions-program" \
	"$BUILD_DIR/tests/libregions-plugin.so" >"$work/out" 2>&1
grep -q "^XPERF_REGIONS: Cannot write regions to $work/no/such/folder" "$work/out" ||
	{ echo "a summary that cannot be written:"; cat "$work/out"; failed=1; }

# told PATH: what the program prints with a summary that goes there
told()
{
	XPERF_REGIONS=$1 XPERF_EVENTS=page-faults:u "$BUILD_DIR/tests/regions-program" \
		"$BUILD_DIR/tests/libregions-plugin.so" >"$work/stdout" 2>"$work/stderr" ||
		{ echo "$1: ends with $?"; failed=1; }
	! grep -h XPERF_REGIONS "$work/stderr" || { echo "$1 is refused"; failed=1; }
}

told /dev/null
told /dev/stdout
grep -q xperf_regions "$work/stdout" && grep -q "the thread has ended" "$work/stdout" ||
	{ echo "/dev/stdout: what the program or the summary says is missing"; failed=1; }
ln -s "$work/target.json" "$work/link.json"
told "$work/link.json"
told "$work/link.json"
[[ $(grep -c xperf_regions "$work/target.json") == 1 ]] || { echo "a link is not followed"; failed=1; }
exit $failed
