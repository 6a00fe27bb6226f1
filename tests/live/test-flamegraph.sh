#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Flame graphs in a browser: search, zoom and keyboard; names are never markup.
set -euo pipefail

command -v chromium >/dev/null || { echo "chromium is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=$SOURCE_DIR/tests/data/perfdata
failed=0

# shown ADDRESS [WIDTH,HEIGHT]: the picture as the browser has it after its script, in a window of that size
shown()
{
	HOME=$work timeout 300 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
		--hide-scrollbars --window-size="${2:-1200,600}" \
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

# It is as wide as the window, and begins with its root, which is below, while head and foot stay in sight.
expect width 'viewBox="0 0 1200 '
expect root 'id="head" transform="translate(0 0)"'
shown "$work/graph.svg" 700,200 >"$work/shown"
expect width 'viewBox="0 0 700 204"'
expect width 'rect x="10.000" width="680.000" y="143"'
expect width 'id="search" class="button" x="690"'
expect root 'id="head" transform="translate(0 [1-9]'
expect root 'id="foot" transform="translate(0 0)"'
expect legend '>kernel</text>'
"$XPERF" flamegraph --inverted --force --symfs /nonexistent -o "$work/inverted.svg" "$files/files/made-branches" 2>/dev/null
shown "$work/inverted.svg" 700,200 >"$work/shown"
expect root 'id="head" transform="translate(0 0)"'
expect root 'id="foot" transform="translate(0 -'

keys ArrowUp ArrowUp ArrowUp ArrowRight
expect arrows 'class="current"><title>do_write'
keys ArrowUp ArrowUp ArrowDown Enter
expect Enter 'class="hidden"><title>taker'
keys ArrowUp Enter Escape
! grep 'id="reset"' "$work/shown" | grep Reset >/dev/null || { echo 'Escape: still zoomed'; failed=1; }
keys ArrowUp Enter ArrowUp Enter Backspace
expect Backspace 'class="current"><title>maker'

# Names are as long as their boxes let them be, before and after a zoom, and the heading leaves the
# buttons alone.
"$XPERF" flamegraph --force --symfs /nonexistent --kallsyms "$files/kallsyms" -o "$work/graph.svg" \
	--title "$(printf 'title-%.0s' {1..60})" "$files/files/made-branches" 2>/dev/null
read -r -d '' outside <<'END' || true
for (const g of document.querySelectorAll('#frames > g:not(.hidden)')) {
	const label = g.querySelector('text'), box = g.querySelector('rect');
	if (label && label.textContent &&
	    label.getComputedTextLength() > Number(box.getAttribute('width')) - 3)
		document.getElementById('what').textContent += ' out' + 'side: ' + label.textContent;
}
for (const id of ['search', 'reset']) {
	const button = document.getElementById(id).getBBox(), heading = document.getElementById('heading').getBBox();
	if (heading.x < button.x + button.width && button.x < heading.x + heading.width)
		document.getElementById('what').textContent += ' out' + 'side: ' + id;
}
END
for where in '' '#z=3'; do
	{ sed '/^<\/svg>/d' "$work/graph.svg"; echo "<script><![CDATA[$outside]]></script></svg>"; } >"$work/measured.svg"
	shown "$work/measured.svg$where" >"$work/shown"
	expect heading '>title-title-.*…<'
	! grep -o 'outside: [^<]*' "$work/shown" || { echo "zoom '$where': texts overlap"; failed=1; }
done

"$XPERF" flamegraph --force --symfs /nonexistent --title '</title><script>document.title="bad"</script>' \
	-o "$work/graph.svg" "$files/files/made-branches" 2>/dev/null
shown "$work/graph.svg" >"$work/shown"
expect title '&lt;script&gt;document.title'
(($(grep -c '<script' "$work/shown") == 1)) || { echo "a title became a script"; failed=1; }
exit $failed
