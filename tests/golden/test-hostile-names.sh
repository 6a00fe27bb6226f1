#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A recording in which every name would do something to a terminal: no output of any command has a
# control character in it, or one that turns the direction of text; and JSON is still JSON.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work
failed=0

# A title, a colour, a line, a tab, a bell, a quote, DEL, C1 controls, bidirectional controls, and
# bytes that are no UTF-8.
# shellcheck disable=SC2089
HOSTILE=$'x\e]0;t\a\e[31m\n\t"\\\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f\xff'
# shellcheck disable=SC2090
export HOSTILE
"$BUILD_DIR/bench/grow" hostile 1 h.data

# check WHAT FILE: what is in the file can be shown
check() {
	if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f\xff]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$2"; then
		echo "$1: a name reaches the terminal as it is:"
		LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f\xff]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$2" | cat -v | head -3
		failed=1
	fi
}

# run ARGUMENTS...: that a name is in the output is for the last line to say
nr_shown=0
run() {
	local status=0
	"$XPERF" "$@" >out 2>err || status=$?
	case $status in 13[2-9]) false ;; esac || { echo "$*: status $status"; failed=1; }
	check "$*" out
	check "$*: stderr" err
	! grep -qF '\033' out || nr_shown=$((nr_shown + 1))
}

# as_json ARGUMENTS...: each line, or the whole, parses
as_json() {
	"$XPERF" "$@" >out 2>err || { echo "$*: $(cat -v err)"; failed=1; }
	check "$*" out
	check "$*: stderr" err
	python3 - out <<'PYTHON' || { echo "$*: no JSON"; failed=1; }
import json, sys
text = open(sys.argv[1], encoding='utf-8').read()
try:
    json.loads(text)
except ValueError:
    for line in text.splitlines():
        json.loads(line)
PYTHON
}

for format in $("$XPERF" export --list | awk '$1 !~ /^(pprof|otlp|firefox|sqlite)$/ { print $1 }'); do
	run export -f "$format" -i h.data
done
keys=$("$XPERF" report --help 2>/dev/null | grep -o 'comm,dso,symbol' | head -1)
for key in ${keys//,/ } pid tid cpu socket srcline srcfile parent dso_size cgroup cgroup_id time symoff trace; do
	run report -i h.data --stdio -s "$key"
	run report -i h.data --stdio -s "$key" -x ,
done
for options in '' --header '--header-only -I' -v --stats --tasks --mmaps '--hierarchy' '-g caller' '-T' '-F sample,comm' '--percent-limit 1'; do
	# shellcheck disable=SC2086
	run report -i h.data --stdio $options
done
for options in '' --header '--header-only' -D '--show-mmap-events --show-task-events' '--show-cgroup-events' '-F comm,tid,event,ip,sym,dso,cgroup' -v '--per-event-dump'; do
	# shellcheck disable=SC2086
	run script -i h.data $options
done
for options in '' -v -F -g --trace-fields; do
	# shellcheck disable=SC2086
	run evlist -i h.data $options
done
run buildid-list -i h.data
run buildid-list -i h.data --with-hits
run diff h.data h.data
run diff -s comm,dso h.data h.data
run archive h.data
run report -i nowhere"$HOSTILE"
run script -i nowhere"$HOSTILE"
run stat -e "no$HOSTILE" true
run stat -e task-clock true "$HOSTILE"
run stat -x , -e task-clock true "$HOSTILE"
as_json stat -j -o stat.json -e task-clock true "$HOSTILE"

# a thread that calls itself so
mkfifo go
bash -c 'printf %s "$HOSTILE" >/proc/$$/comm; echo >ready; read -r _ <go' &
pid=$!
until [ -s ready ]; do sleep 0.01; done
for format in '' '-x ,' -j; do
	# shellcheck disable=SC2086
	run stat $format -o stat.out --per-thread -p "$pid" -e task-clock sleep 0.01
	[ ! -e stat.out ] || check "stat $format --per-thread" stat.out
done
echo >go
wait "$pid"
run report -i h.data --stdio --comms "$HOSTILE"
as_json report -i h.data --json
as_json script -i h.data --json
as_json diff --json h.data h.data
as_json data convert --to-json j.json -i h.data
as_json data convert --to-json all.json --all -i h.data
for file in j.json all.json; do
	check "$file" "$file"
	python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$file" || { echo "$file: no JSON"; failed=1; }
done
((nr_shown > 20)) || { echo "only $nr_shown outputs show a name"; failed=1; }
exit $failed
