#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions of the page that need no browser: numbers as text, sums, trees, search, code.
set -euo pipefail

skip()
{
	echo "$*"
	exit 77
}

command -v node >/dev/null || skip "node is not installed"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' || skip "node is older than 18"
# shellcheck source=tests/web/packages.sh
. "$SOURCE_DIR/tests/web/packages.sh"
modules=$(npm_packages "$SOURCE_DIR/web" web) || skip "$modules"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for name in code decode format model search tree weights; do
	echo "export * from '$SOURCE_DIR/web/src/$name.ts';"
done >"$work/all.ts"
"$modules/.bin/esbuild" "$work/all.ts" --bundle --format=esm --platform=neutral --log-level=warning \
	--outfile="$work/all.mjs"
cp "$SOURCE_DIR"/tests/web/{functions.test,encode}.mjs "$work"
node --test "$work/functions.test.mjs" >"$work/out" || { cat "$work/out"; exit 1; }
grep '^# tests' "$work/out" || true
