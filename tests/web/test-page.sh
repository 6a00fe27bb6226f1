#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The page of reports in a headless Chromium: clicks, search, zoom, keys, selection, events, names that
# would be markup, no error, no request.
set -euo pipefail

skip()
{
	echo "$*"
	exit 77
}

command -v node >/dev/null || skip "node is not installed"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	skip "no Chromium is installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

node "$SOURCE_DIR/tests/web/check-page.mjs" "$chromium" "$work"
