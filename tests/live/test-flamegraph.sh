#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Flame graphs in a browser: search, zoom and keyboard; names are never markup.
set -euo pipefail

command -v chromium >/dev/null || { echo "chromium is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=$SOURCE_DIR/tests/data/perfdata
failed=0

# shown ADDRESS: the picture as the browser has it after its script
shown()
{
	HOME=$work timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
		--dump-dom "file://$1" 2>"$work/messages"
}

# expect WHAT PATTERN: a line of the picture
expect()
{
	grep -q -- "$2" "$work/shown" || { echo "$1: no '$2'"; failed=1; }
}

# keys KEY...: a copy of the picture in which they were pressed
keys()
{
	local key script=""

	for key; do
		script+="document.dispatchEvent(new KeyboardEvent('keydown', { key: '$key' }));"
	done
	sed "s|^</svg>|<script>$script</script></svg>|" "$work/graph.svg" >"$work/pressed.svg"
	shown "$work/pressed.svg" >"$work/shown"
}

"$XPERF" flamegraph --force --symfs /nonexistent --kallsyms "$files/kallsyms" -o "$work/graph.svg" \
	"$files/files/made-branches" 2>/dev/null

shown "$work/graph.svg#s=do_r&z=3" >"$work/shown"
[[ -s $work/shown ]] || { echo "the browser does not start here: $(tail -1 "$work/messages")"; exit 77; }
expect search 'id="matched".*do_r: 61.93%'
expect zoom 'id="reset".*Reset zoom'
expect zoom 'class="current match"><title>do_read'
expect zoom 'class="outer"><title>maker'
expect zoom 'class="hidden"><title>taker'
expect zoom 'rect x="10.000" width="1180.000" y="92"'

keys ArrowUp ArrowUp ArrowUp ArrowRight
expect arrows 'class="current"><title>do_write'
keys ArrowUp ArrowUp ArrowDown Enter
expect Enter 'class="hidden"><title>taker'
keys ArrowUp Enter Escape
! grep 'id="reset"' "$work/shown" | grep -q Reset || { echo 'Escape: still zoomed'; failed=1; }
keys ArrowUp Enter ArrowUp Enter Backspace
expect Backspace 'class="current"><title>maker'

"$XPERF" flamegraph --force --symfs /nonexistent --title '</title><script>document.title="bad"</script>' \
	-o "$work/graph.svg" "$files/files/made-branches" 2>/dev/null
shown "$work/graph.svg" >"$work/shown"
expect title '&lt;script&gt;document.title'
(($(grep -c '<script' "$work/shown") == 1)) || { echo "a title became a script"; failed=1; }
exit $failed
