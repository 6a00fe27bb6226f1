#!/bin/bash
# SPDX-License-Identifier: MIT
# ~/.perfconfig, PERF_CONFIG, `xperf config`: settings are defaults of options, the command line wins,
# and what is wrong is named with file and line.
set -u
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
files=$SOURCE_DIR/tests/data/perfdata/files
data=$files/local61-g-fp
export HOME=$dir
unset PERF_CONFIG

fail()
{
	echo "FAIL: $*"
	failed=1
}

# settings TEXT...: the lines of ~/.perfconfig
settings()
{
	printf '%s\n' "$@" >"$dir/.perfconfig"
}

# same_as NAME "OPTIONS WITH THE FILE" "OPTIONS WITHOUT": both print the same
same_as()
{
	local name=$1 with without

	with=$(eval "\"\$XPERF\" $2" 2>&1)
	without=$(eval "PERF_CONFIG=/dev/null \"\$XPERF\" $3" 2>&1)
	[[ -n $with && $with == "$without" ]] ||
		fail "$name: $(diff <(echo "$with") <(echo "$without") | head -5)"
}

# said REGEX STATUS COMMAND...
said()
{
	local regex=$1 status=$2 output got
	shift 2
	output=$("$XPERF" "$@" 2>&1)
	got=$?
	((got == status)) && grep -Eq -- "$regex" <<<"$output" ||
		fail "$*: status $got, wanted $status and '$regex': $(head -3 <<<"$output")"
}

# --- defaults of options ---

report="report -f -i $data"
settings '[report]' ' sort_order = dso,sym # short' ' children = off' ' percent-limit = 2'
same_as report "$report" "$report -s dso,sym --no-children --percent-limit 2"
same_as 'report -s' "$report -s comm --percent-limit 1" "$report -s comm --no-children --percent-limit 1"
same_as 'report -s +' "$report -s +pid" "$report -s dso,sym,pid --no-children --percent-limit 2"
same_as 'report --children' "$report --children" "$report -s dso,sym --percent-limit 2"
PERF_CONFIG=/dev/null same_as 'PERF_CONFIG=/dev/null' "$report" "$report"

settings '[call-graph]' 'print-type = fractal' 'threshold = 3' 'print-limit = 2' 'order = callee' '[hist]' 'percentage = relative'
same_as call-graph "$report -c deep" "$report -c deep --percentage relative -g fractal,3,2,callee"
same_as 'call-graph, -g' "$report -g caller" "$report --percentage relative -g fractal,3,2,caller"

settings '[diff]' 'order = 1' 'compute = ratio'
same_as diff "diff -f $data $data" "diff -f $data $data -o 1 -c ratio"
same_as 'diff -c' "diff -f $data $data -c delta" "diff -f $data $data -o 1 -c delta"

settings '[annotate]' 'hide_src_code = true' 'show_nr_samples = true'
same_as annotate "annotate -f -i $data" "annotate -f -i $data --no-source -n"
settings '[report]' 'group = false' 'skip-empty = false'
same_as group "report -f -i $files/local72-groupS" "report -f -i $files/local72-groupS --no-group"
same_as skip-empty "report -f --stats -i $data" "report -f --stats --no-skip-empty -i $data"

# Every key that is used has an option, which accepts its values.
settings '[report]' 'sort_order = comm' 'percent-limit = 1' 'children = true' 'group = true' 'skip-empty = true' \
	'[hist]' 'percentage = absolute' \
	'[call-graph]' 'print-type = graph' 'order = caller' 'sort-key = address' 'threshold = 1' 'print-limit = 3' \
	'record-mode = fp' 'dump-size = 4096' '[record]' 'call-graph = dwarf' 'build-id = mmap' \
	'[top]' 'children = no' 'call-graph = dwarf' '[core]' 'proc-map-timeout = 500' '[diff]' 'order = 0' 'compute = delta' \
	'[annotate]' 'disassembler_style = intel' 'hide_src_code = false' 'show_nr_samples = no' \
	'show_total_period = 0' 'demangle = 1' 'demangle_kernel = off' '[color]' 'ui = auto' '[tui]' 'report = on' 'top = on' 'annotate = on' '[ui]' 'show-headers = on' \
	'[stat]' 'big-num = on' 'no-csv-summary = yes' '[colors]' 'top = red, default' 'medium = green' 'normal = default, default' 'selected = black, yellow' 'root = white, blue' 'jump_arrows = blue, default' 'addr = magenta, default' '[buildid]' 'dir = /dev/null' '[buildid-cache]' 'debuginfod = http://localhost'
for command in report record diff annotate stat top; do
	said '^Usage: ' 0 "$command" --help
done
[[ $("$XPERF" report -f -v -i "$data" 2>&1) != *' is not used here'* ]] || fail 'a key is not used'
for key in $(sed -n 's/^\t{ "\([a-z_.-]*\)", .*/\1/p' "$SOURCE_DIR/cli/defaults.c"); do
	[[ $("$XPERF" config "$key") == "$key="* ]] || fail "$key is not tried here"
	grep -q "^\.It Va $key\( \|\$\)" "$SOURCE_DIR/man/xperf-config.1" || fail "$key is not in xperf-config(1)"
done
for choice in no-mmap no-cache cache skip; do
	settings '[record]' "build-id = $choice"
	said '^Usage: ' 0 record --help
done

# -g of record means what is set, and --call-graph what it says.
settings '[call-graph]' 'record-mode = dwarf' 'dump-size = 2048'
events()
{
	"$XPERF" record -q -e cpu-clock:u -o "$dir/data" "$@" true 2>/dev/null && "$XPERF" evlist -v -i "$dir/data"
}
if events -g >"$dir/out"; then
	"$XPERF" evlist -f -v -i "$dir/data" >"$dir/out"
	PERF_CONFIG=/dev/null events --call-graph dwarf,2048 >"$dir/wanted"
	cmp -s "$dir/out" "$dir/wanted" || fail "record -g: $(diff "$dir/out" "$dir/wanted" | head -4)"
	events --call-graph fp >"$dir/out"
	PERF_CONFIG=/dev/null events --call-graph fp >"$dir/wanted"
	cmp -s "$dir/out" "$dir/wanted" || fail "record --call-graph fp: $(diff "$dir/out" "$dir/wanted" | head -4)"
	events >"$dir/out"
	PERF_CONFIG=/dev/null events >"$dir/wanted"
	cmp -s "$dir/out" "$dir/wanted" || fail 'record without -g has call chains'
else
	echo 'nothing can be recorded here: record-mode is not tried'
fi

# What -g of top means is not what -g of record means.
settings '[top]' 'call-graph = nonsense' '[call-graph]' 'record-mode = fp'
said "nonsense" 129 top --stdio -p $$ -g
settings '[top]' 'children = perhaps'
said "^Error: $dir/\.perfconfig, line 2: top\.children: 'perhaps' is not true or false\$" 129 top --stdio

# The directory of build ids.
settings '[buildid]' 'dir = ~/kept'
if "$XPERF" record -q --buildid-cache -e cpu-clock:u -o "$dir/data" sleep 0 2>/dev/null; then
	[[ -d $dir/kept/.build-id && ! -e $dir/.debug ]] || fail "buildid.dir: $(ls -a "$dir")"
fi

# --- mistakes ---

settings '[report]' 'percent-limit = much'
said "^Error: $dir/\.perfconfig, line 2: report\.percent-limit: 'much' is not a percentage\$" 129 report -f -i "$data"
settings '' '[report]' 'children = perhaps'
said "^Error: $dir/\.perfconfig, line 3: report\.children: 'perhaps' is not true or false\$" 129 report -f -i "$data"
said '^# Baseline' 0 diff -f "$data" "$data"
settings '[report]' 'sort_order = nonsense'
said "^Note: $dir/\.perfconfig, line 2: report\.sort_order is a default here\$" 129 report -f -i "$data"
settings '[call-graph]' 'record-mode = dwarf,1000000'
said "^Error: $dir/\.perfconfig, line 2: call-graph\.record-mode: 'dwarf,1000000' is not one of: auto" 129 record -g true
settings '[record]' 'build-id = some'
said "line 2: record\.build-id: 'some' is not one of cache, no-cache, skip, mmap, no-mmap\$" 129 record true
settings '[report' 'x = 1'
said "^Error: $dir/\.perfconfig, line 1: '\]' is missing after the name of the section\$" 129 report -f -i "$data"
said "line 1: '\]' is missing" 255 config -l
said "line 1: '\]' is missing" 255 config report.children=true
[[ $(cat "$dir/.perfconfig") == $'[report\nx = 1' ]] || fail 'a wrong file was changed'

# Unknown keys matter with -v only.
settings '[nonsense]' 'a = b' '[report]' 'children = true'
said "^Note: $dir/\.perfconfig, line 2: nonsense\.a is not used here\$" 0 report -f -v -i "$data"
[[ $("$XPERF" report -f -i "$data" 2>&1) != *nonsense* ]] || fail 'an unknown key is named without -v'

# PERF_CONFIG names the only file.
printf '[report]\nsort_order = comm\n' >"$dir/other"
PERF_CONFIG=$dir/other same_as PERF_CONFIG "$report" "$report -s comm"
PERF_CONFIG=$dir/nowhere said '^# Children' 0 report -f -i "$data"

# A file of somebody else is not used.
if [[ $(id -u) == 0 ]] && chown 12345 "$dir/.perfconfig" 2>/dev/null; then
	said "^Warning: $dir/\.perfconfig belongs to another user and is ignored\$" 0 config --user -l
	chown 0 "$dir/.perfconfig"
fi

# A home that may not be searched, as HOME can be behind `sudo -u`, has no settings.
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [[ $(id -u) == 0 ]] && "${nobody[@]}" test -x "$XPERF" 2>/dev/null; then
	output=$("${nobody[@]}" "$XPERF" config --user -l 2>&1) && [[ -z $output ]] ||
		fail "a home of another user: $output"
fi

# --- xperf config ---

rm "$dir/.perfconfig"
said '^$' 0 config --user -l
"$XPERF" config report.children=false 'new.key=a # b' --user || fail 'config key=value'
"$XPERF" config --user --set report.children=true || fail 'config --set'
[[ $(cat "$dir/.perfconfig") == $'[report]\n\tchildren = true\n[new]\n\tkey = "a # b"' ]] ||
	fail "config key=value: $(cat "$dir/.perfconfig")"
[[ $("$XPERF" config --user -l) == $'report.children=true\nnew.key=a # b' ]] || fail "config -l: $("$XPERF" config -l)"
[[ $("$XPERF" config --user report.children) == report.children=true ]] || fail 'config key'
[[ $("$XPERF" config --user report.nothing) == '' ]] || fail 'config key that is not set'
[[ $("$XPERF" config --user --get new.key) == 'a # b' ]] || fail 'config --get'
said '^$' 1 config --user --get no.such
said "'children' is no setting" 129 config children
said "'children' is no setting" 255 config --user children=1
said '--user and --system exclude each other' 129 config --user --system -l
said 'only one of' 129 config -l report.children
PERF_CONFIG=/dev/null said 'PERF_CONFIG is /dev/null' 255 config report.children=true
PERF_CONFIG=$dir/made "$XPERF" config a.b=c && [[ $(cat "$dir/made") == $'[a]\n\tb = c' ]] || fail 'config with PERF_CONFIG'
mkdir "$dir/directory"
PERF_CONFIG=$dir/directory said 'cannot be read' 255 config -l
PERF_CONFIG=/dev/zero said 'is larger than 1 MB' 255 config -l

# perf reads what was written.
if perf config --help >/dev/null 2>&1 || command -v perf >/dev/null; then
	[[ $(perf config --user -l 2>/dev/null) == $'report.children=true\nnew.key=a # b' ]] ||
		fail "perf config -l: $(perf config --user -l 2>&1)"
fi
exit $failed
