#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that know their call chains (tests/truth/), built for arm64, in an emulated machine that signs
# return addresses: chains that are computed while recording, and afterwards, are those that were.
# TRUTH_ROWS and TRUTH_VERBOSE are those of tests/live/test-unwind-truth.sh.
#
# Measured on two busy cores: three minutes after fetching and building.
set -euo pipefail
# shellcheck source=tests/guest/arm64.sh
. "${BASH_SOURCE[0]%/*}/arm64.sh"
# shellcheck source=tests/truth/truth.sh
. "$SOURCE_DIR/tests/truth/truth.sh"

: "${TRUTH_ROWS=gcc-O2|gcc-O0|gcc-fp|gcc-bti-pac|clang-O2|static|stripped|no-hdr|debug-frame}"
work=$shared/work
mkdir -p "$shared"/{truth,tools} "$work" "$shared/source/tests/live"
cp -r "$SOURCE_DIR/tests/truth" "$shared/source/tests/"
cp "$SOURCE_DIR"/tests/live/{record.sh,control.sh,test-unwind-truth.sh} "$shared/source/tests/live/"

# The tools have the names that they have where nothing is built for another machine.
for tool in gcc g++ nm strip objcopy; do
	path=$(command -v aarch64-linux-gnu-$tool) || { echo "not there: aarch64-linux-gnu-$tool"; continue; }
	ln -s "$path" "$shared/tools/$tool"
done
for tool in clang clang++; do
	path=$(command -v $tool) || continue
	printf '#!/bin/sh\nexec %s --target=aarch64-linux-gnu "$@"\n' "$path" >"$shared/tools/$tool"
	chmod +x "$shared/tools/$tool"
done
export PATH=$shared/tools:$PATH CC=gcc
cd "$work"
build_judge
mv judge "$shared/truth/"

# build_row NAME ...: a folder of what the row is made of
build_row()
{
	rm -f ./*
	truth_build "$@" || {
		echo "$1: not tried: it cannot be built: $(grep -m 1 -iE 'error|not found|cannot' log)"
		return 0
	}
	mkdir "$shared/truth/$1"
	cp truth symbols "$shared/truth/$1/"
	cp lib*.so "$shared/truth/$1/" 2>/dev/null || :
}

what=
build_row probe gcc -O2 ""
each_truth_row build_row
cd "$SOURCE_DIR"
guest_exports="TRUTH_VERBOSE=${TRUTH_VERBOSE-}"
# Of two -cpu, the last one counts.
arm64_boot 1 "$guest_dir/in-arm64-truth.sh" -M virt -cpu max,pauth-impdef=on
