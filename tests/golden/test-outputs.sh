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
	run 255 "'$to' cannot be written: it is the file that is read" data convert --to-json "$to" -i perf.data -f
	run 255 "'$to' cannot be written: it is the file that is read" archive -o "$to" perf.data
done
run 255 'it is the file that is read' data convert --to-json dir/data -i dir -f
"$XPERF" data convert --to-json perf.data -f <perf.data -i - >out 2>err &&
	complain "what is read from standard input is overwritten"
cmp -s perf.data original || complain "the recording has changed"
cmp -s dir/data original || complain "the recording in a directory has changed"
cp "$XPERF" program
run 255 'it is the file that is read' list sdt program -o program
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
exit $failed
