#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What becomes of files that commands write: they are complete or as they were, never the file that
# is read, and a device stays a device. What cannot be written is named, with the reason.
set -uo pipefail

export HOME=/nonexistent LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
files=$SOURCE_DIR/tests/data/perfdata/files
cp "$files/local61-g-fp" perf.data
cp "$files/mal-magic-only" damaged
chmod u+w perf.data damaged
touch -d 2001-01-01 kept
cp perf.data original

# run STATUS TEXT ARGUMENTS...: the exit status, and a text on stderr
run()
{
	local wanted=$1 text=$2 status=0
	shift 2
	"$XPERF" "$@" >out 2>err </dev/null || status=$?
	[[ $status == "$wanted" && $(<err) == *"$text"* ]] && return
	echo "xperf $*: exit status $status, not $wanted, or no '$text':"
	sed 's/^/    /' err
	failed=1
}

complain()
{
	echo "$*"
	failed=1
}

# --- what is read is not written ---

ln -s perf.data link
ln perf.data hard
mkdir dir
cp perf.data dir/data
for to in perf.data ./perf.data "$work/perf.data" link hard; do
	run 255 "'$to' cannot be written: it is also the input" data convert --to-json "$to" -i perf.data -f
	run 255 "'$to' cannot be written: it is also the input" archive -o "$to" perf.data
done
run 255 'it is also the input' data convert --to-json dir/data -i dir -f
"$XPERF" data convert --to-json perf.data -f <perf.data -i - >out 2>err &&
	complain "what is read from standard input is overwritten"
cmp -s perf.data original || complain "the recording has changed"
cmp -s dir/data original || complain "the recording in a directory has changed"
cp "$XPERF" program
run 255 'it is also the input' list sdt program -o program
cmp -s program "$XPERF" || complain "the file with markers has changed"
run 255 'it is the command to run' stat -o program ./program version
cmp -s program "$XPERF" || complain "the program to count has changed"

# --- a result that fails leaves what was there ---

for command in "data convert --to-json result -f -i damaged" "data convert --to-json result -f -i none" \
	"archive -o result none" "archive -o result damaged" "list bogus: -o result --bogus"; do
	echo before >result
	# shellcheck disable=SC2086
	"$XPERF" $command >out 2>err </dev/null && continue
	[[ $(<result) == before ]] || complain "xperf $command: has failed and changed its output"
done
rm result
run 255 '' data convert --to-json result -i damaged
[[ ! -e result ]] || complain "a conversion that failed leaves a file"
[[ -z $(find . -name 'result.*') ]] || complain "an unfinished file is left"

# --- what is there is replaced as a whole ---

echo before >result
chmod 640 result
run 255 "'result' cannot be written: File exists" data convert --to-json result -i perf.data
[[ $(<result) == before ]] || complain "an existing file is replaced without --force"
run 0 "into JSON data 'result'" data convert --to-json result -i perf.data -f
[[ $(stat -c %a result) == 640 ]] || complain "a file that is replaced loses its mode"
ln -s result to-result
run 0 '' list -o to-result sw
[[ -L to-result ]] && grep -q task-clock result || complain "a link to the output is replaced"

# --- devices and descriptors ---

for output in "data convert --to-json node -i perf.data" "data convert --to-json node -i perf.data -f" \
	"archive --compress none -o node perf.data" "archive --compress gzip -o node perf.data" \
	"list sw -o node"; do
	ln -sf /dev/full node
	# shellcheck disable=SC2086
	run 255 "'node' cannot be written: No space left on device" $output
	[[ -L node && -c node ]] || complain "xperf $output: the device is gone"
	ln -sf /dev/null node
	# shellcheck disable=SC2086
	run 0 '' $output
	[[ -L node && -c node ]] || complain "xperf $output: the device is gone"
done
{
	echo before
	"$XPERF" list sw -o /dev/stdout
	echo after
} >out 2>err
[[ $(head -n 1 out) == before && $(tail -n 1 out) == after ]] && grep -q task-clock out ||
	complain "-o /dev/stdout does not write where standard output is"

# --- an archive is unpacked where it is meant to be ---

# A file of the recording is there with its build id, but its path has "..".
if echo 'int main(void) { return 0; }' | "${CC:-cc}" -xc - -o up \
	-Wl,--build-id=0xfa3ecb9156ab31c2532cd83f5c310d281642a209 2>err; then
	sed 's|/opt/profiler-corpus/bin/deep|/proc/self/cwd/..//////////up|g' "$files/local61-buildid-mmap" >leading-up
	(cd dir && "$XPERF" archive --compress none -o ../packed.tar ../leading-up) >out 2>err
	[[ $(<err) == *'up is left out: its path contains'* ]] ||
		complain "a path with '..' is packed, or nothing is said: $(<err)"
	tar -tf packed.tar | grep -F .. && complain "names in the archive lead out of it"
else
	echo "not tried: paths with '..' (no compiler that sets build ids)"
fi

# --- standard output ---

# to_stdout TEXT FILE COMMAND...: the reason is given once, and nothing else is blamed. Descriptor 3
# is a pipe that nobody reads.
to_stdout()
{
	local text=$1 to=$2 status=0
	shift 2
	(
		trap '' PIPE
		exec 3> >(exec true)
		wait $!
		"$XPERF" "$@" 2>err </dev/null >"$to"
	) || status=$?
	[[ $status == 255 && $(grep -c '^Error' err) == 1 ]] &&
		grep -Fxq "Error: standard output cannot be written: $text" err && return
	complain "xperf $* >$to: exit status $status, and: $(<err)"
}

# Some of them print more than a buffer of stdio takes, so that a write in their midst fails.
commands=("version" "version --build-options" "--version" "help" "help stat" "stat --help" "check feature libelf"
	"--list-cmds" "--list-options stat" "--complete bash" "list sw" "list --json sw" "list --raw-dump hw"
	"doctor" "doctor --json" "evlist -v" "buildid-list" "buildid-list -f" "data convert --to-json -" "data convert --all --to-json -"
	"report" "report --stdio --header" "report --json" "report --stats" "report -D" "diff perf.data original"
	"diff --json perf.data original" "script" "script --json" "script --header" "script --header-only" "script -D"
	"test --list-workloads" "archive --compress none -o packed perf.data")
for command in "${commands[@]}"; do
	# shellcheck disable=SC2086
	to_stdout 'No space left on device' /dev/full $command
done
for command in version "report --stdio" "script" "script --header" "data convert --to-json -"; do
	# shellcheck disable=SC2086
	to_stdout 'Broken pipe' /dev/fd/3 $command
done

# --- recordings and counts ---

for output in "record -e cpu-clock:u -o /dev/full" "stat -e task-clock:u -o /dev/full" "stat -x, -e task-clock:u -o /dev/full" \
	"stat -j -e task-clock:u -o /dev/full"; do
	# shellcheck disable=SC2086
	"$XPERF" $output true >out 2>err && complain "$output: a full disk is success"
	[[ $(<err) == *seccomp* || $(<err) == *paranoid* ]] || grep -Eq '/dev/full.*: No space left on device' err ||
		complain "xperf $output: the file is not named: $(<err)"
done
exit $failed
