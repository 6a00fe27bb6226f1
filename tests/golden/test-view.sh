#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `view`: where the report goes, who opens it, and what is served to whom.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
recording=$SOURCE_DIR/tests/data/perfdata/files/made-branches
unset DISPLAY WAYLAND_DISPLAY SSH_CONNECTION SUDO_UID BROWSER TMPDIR
mkdir -m 700 "$work/session"
export HOME=/nonexistent XDG_RUNTIME_DIR=$work/session
cd "$work"
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# view OPTION...: what it prints is in out and message, its status in status
view()
{
	status=0
	"$XPERF" view --force --symfs /nonexistent -i "$recording" "$@" >"$work/out" 2>"$work/message" </dev/null || status=$?
}

# expect STATUS OUT MESSAGE: the last one is a part of it
expect()
{
	((status == $1)) || fail "status $status: $(<message)"
	[[ $(<out) == "$2" ]] || fail "printed '$(<out)', not '$2'"
	[[ $(<message) == *"$3"* ]] || fail "'$(<message)' has no '$3'"
}

"$XPERF" export --force --symfs /nonexistent -i "$recording" -f html -o exported.html

# Files
view --no-open -o named.html
expect 0 named.html ''
cmp exported.html named.html || fail "--no-open -o: another report"
"$XPERF" export --force --symfs /nonexistent -i "$recording" -f html --diff "$recording" -o difference.html
view --no-open -o named.html --diff "$recording"
cmp difference.html named.html || fail "--diff: another report"
view --no-open
private=$(<out)
[[ $private == "$work"/session/xperf-*.html ]] || fail "the report is in '$private'"
[[ $(stat -c %a "$private") == 600 ]] || fail "others can read it"
cmp exported.html "$private" || fail "--no-open: another report"
rm "$private"
while read -r viewer file words; do
	view --in "$viewer"
	expect 0 "$file" "$words"
	[[ -s $file ]] || fail "--in $viewer: there is no $file"
done <<'END'
firefox xperf.profile.json.gz On https://profiler.firefox.com
speedscope xperf.speedscope.json On https://www.speedscope.app
perfetto xperf.trace.json On https://ui.perfetto.dev
chrome xperf.trace.json chrome://tracing
END
view --in speedscope -o named.json
expect 0 named.json speedscope.app
cmp named.json xperf.speedscope.json || fail "-o: another profile"

# What is not possible
view --in perfeto
expect 129 '' "did you mean 'perfetto'?"
view --in firefox --serve
expect 129 '' 'are of --in html'
view --no-open --for 1
expect 129 '' 'choose one'
view -o -
expect 129 '' 'xperf export -f html'
view --no-open -o /nonexistent/file
expect 255 '' "'/nonexistent/file' cannot be written"
view --no-open -i /nonexistent
expect 255 '' "'/nonexistent'"
[[ -z $(ls -A session) ]] || fail "left behind: $(ls -A session)"

# Browsers: the first one that works; what it prints is not seen, and names are no shell's.
# shellcheck disable=SC2016 # no shell is to look at it
strange='a $(echo bad)'
mkdir "$strange"
cat >browser <<'END'
#!/bin/sh
echo printed
printf '%s\n' "$@" >"$(dirname "$0")/opened"
END
printf '#!/bin/sh\nexit 3\n' >failing
chmod +x browser failing
export DISPLAY=:0 BROWSER="/nonexistent/browser:$work/failing:$work/browser --new %s --last:$work/failing"
view
expect 0 '' 'a browser shows it'
[[ $(<opened) == --new$'\n'"$work"/session/xperf-*.html$'\n'--last ]] || fail "opened $(<opened)"
cmp exported.html "$(sed -n 2p opened)" || fail "a browser: another report"
export BROWSER=$work/browser
view -o "$strange/b.html"
[[ $(<opened) == "$work/$strange/b.html" ]] || fail "opened $(<opened)"
rm session/* opened

# A server. get PATH: what it answers
get()
{
	exec {socket}<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' "$1" >&"$socket"
	cat <&"$socket"
	exec {socket}>&-
}

# served OPTION...: the report is, until it is told to end
served()
{
	local server address port path

	mkfifo addresses
	env PATH="${programs:-$PATH}" "$XPERF" view --force --symfs /nonexistent -i "$recording" "$@" \
		>addresses 2>message &
	server=$!
	read -r address <addresses
	rm addresses
	[[ $address =~ ^http://127\.0\.0\.1:([0-9]+)(/[0-9a-f]{32})$ ]] || fail "address '$address'"
	port=${BASH_REMATCH[1]} path=${BASH_REMATCH[2]}
	get "$path" >answer
	[[ $(head -1 answer) == 'HTTP/1.1 200 OK'* ]] || fail "$* $(head -1 answer)"
	cmp exported.html <(sed '1,/^\r$/d' answer) || fail "$* another report is served"
	[[ $(get /) == 'HTTP/1.1 404 '* ]] || fail "$* / is served"
	grep -q "ssh -N -L $port:127.0.0.1:$port " message || fail "$* no line for ssh: $(<message)"
	[[ ! -e opened ]] || fail "$* a browser was opened, too"
	kill -TERM "$server"
	status=0
	wait "$server" || status=$?
	((!status)) || fail "$* ended with $status"
}

served --serve
SSH_CONNECTION='192.0.2.1 1 192.0.2.2 22' served
((EUID)) || SUDO_UID=1000 served
[[ -z $(ls -A session) ]] || fail "left behind: $(ls -A session)"
unset DISPLAY
served
served -o served.html
cmp exported.html served.html || fail "-o: it is not kept"
WAYLAND_DISPLAY='' served
export DISPLAY=:0
programs=$work BROWSER=$work/failing served
grep -q 'no browser could be started' message || fail "no browser: $(<message)"
view --for 1
[[ $(<out) == http://127.0.0.1:* && $(<message) == *'for 1 s'* ]] || fail "--for: $(<out) $(<message)"
exit "$failed"
