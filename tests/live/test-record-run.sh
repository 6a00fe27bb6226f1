#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a user relies on around a recording: exit statuses, messages, signals, whose files are
# replaced, what the workload sees of xperf, when -p and -t end.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
root=0
"$XPERF" record -q -a -e cpu-clock -o probe true 2>/dev/null && root=1
rm -f probe

# --- exit statuses and messages ---

record -e page-faults -c 1 true
is 0 "$captured"'perf\.data( \([0-9]+ samples\))? \]$' true
is 0 '^\[ perf record: Woken up [0-9]+ times to write data \]$' true
is 0 '; next: xperf report$' true
whole perf.data true
[[ $(stat -c %a perf.data) == 600 ]] || complain "perf.data can be read by others"
record sh -c 'exit 7'
is 7 "$captured" 'exit 7'
record sh -c 'kill -9 $$'
is 137 "$captured" 'a killed workload'
record -o other "$dir/nosuch"
is 127 '^Error: Workload failed: .*: No such file or directory$' 'no such command'
! grep -q 'Captured' err || complain "something was captured of what did not run"
record -e nosuch true
is 129 "syntax error: 'nosuch'" 'no such event'
record -p 4000000
is 129 '^Error: There is no process 4000000$' 'no such process'
record -q true
[[ $status == 0 && ! -s err ]] || complain "-q prints"
record --dry-run touch ran
[[ $status == 0 && ! -e ran ]] || complain "--dry-run runs"
record -e page-faults -c 1 -o somewhere.data true
is 0 'next: xperf report -i somewhere.data$' 'the next command'
record -e minor-faults:u,minor-faults true
is 0 '^Warning: Linux can mix up samples of minor-faults:u and minor-faults, ' 'one event twice'
record -e minor-faults:u,page-faults,task-clock:u true
! grep '^Warning' err || complain "different events cannot be mixed up"
ln -s "$XPERF" perf
./perf record -e cpu-clock:u true 2>err
[[ $(tail -n 1 err) =~ ^\[\ perf\ record:\ Captured ]] || complain "called as perf: something behind perf's lines"
rm perf

# An ordinary user at perf_event_paranoid 2 gets user space, and a note says so.
if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null &&
	[[ $(</proc/sys/kernel/perf_event_paranoid) == 2 ]] &&
	mkdir mine && chown 65534 mine && chmod 755 . &&
	(cd mine && setpriv --reuid=65534 --clear-groups test -x "$XPERF"); then
	(cd mine && setpriv --reuid=65534 --clear-groups "$XPERF" record ls) >out 2>err
	status=$?
	is 0 "$captured" 'an ordinary user'
	is 0 '^Note: .*user space' 'an ordinary user'
	whole mine/perf.data 'an ordinary user'
else
	echo "not tried: an ordinary user (root, setpriv, perf_event_paranoid 2)"
fi

# --- files ---

record true
touch -d @0 perf.data
record true
[[ $(stat -c %Y perf.data.old) == 0 ]] || complain "the file before is not perf.data.old"
echo mine >precious
ln -s precious link
record -o link true
is 0 "$captured" "one's own symbolic link"
[[ -L link && $(<precious.old) == mine ]] || complain "the file that a link leads to was not kept"
whole precious "one's own symbolic link"
mkdir -p sub
ln -s there sub/dangling
record -o sub/dangling true
whole sub/there 'a symbolic link to no file'
if [[ $(id -u) == 0 ]]; then
	echo theirs >foreign
	chown 65534 foreign
	record -o foreign true
	is 255 '^Error: .*foreign' "another user's file"
	[[ $(<foreign) == theirs ]] || complain "another user's file was replaced"
	ln -s foreign to-foreign
	record -o to-foreign true
	is 255 '^Error: .*to-foreign' "a link to another user's file"
	echo mine >own
	ln -s own by-another
	chown -h 65534 by-another
	record -o by-another true
	is 255 '^Error: .*by-another' "another user's link"
	[[ $(<foreign) == theirs && $(<own) == mine ]] || complain "a link was followed that must not be"
fi
# What cannot be run replaces no recording.
record true
cp perf.data kept
record "$dir/nosuch"
cmp -s perf.data kept || complain "a wrong command replaced a recording"
rm -f fresh
record -o fresh "$dir/nosuch"
[[ ! -e fresh ]] || complain "a wrong command left a recording of nothing"
record -o "$dir/no/such/file" touch ran
is 255 '^Error: .*No such file or directory' '-o into nowhere'
[[ ! -e ran ]] || complain "the workload ran though its recording had nowhere to go"

# --- streams ---

"$XPERF" record -e cpu-clock:u -o - sh -c 'echo told; exit 5' >stream 2>err
status=$?
is 5 "$captured"'- ' '-o -'
grep -q '^told$' err || complain "-o -: what the workload prints is not on stderr"
whole stream '-o -'
[[ ! -e - ]] || complain "-o -: there is a file of this name"
"$XPERF" record -e cpu-clock:u -o - "$XPERF" test -w leafloop 0.3 2>err | true
status=${PIPESTATUS[0]}
is 255 '^Error: .*Broken pipe' 'a reader that went away'
if command -v script >/dev/null; then
	script -qec "'$XPERF' record -e cpu-clock:u -o - true" /dev/null >out 2>&1 </dev/null
	grep -q 'cannot be written to a terminal' out || complain "a stream goes to a terminal"
fi

# Standard streams and other descriptors are the workload's.
echo given | "$XPERF" record -q -e cpu-clock:u cat >out 2>err
[[ $(<out) == given ]] || complain "stdin or stdout are not the workload's"
record sh -c 'ls /proc/self/fd'
sh -c 'ls /proc/self/fd' >bare 2>/dev/null </dev/null
[[ $(wc -l <out) == $(wc -l <bare) ]] || complain "the workload has descriptors of xperf"
# As in perf, a pipe on stdout gets the recording, where no file is named and no option writes files.
rm -rf perf.data*
"$XPERF" record -e cpu-clock:u sh -c 'echo told' 2>err | cat >piped
whole piped 'a pipe on stdout'
[[ ! -e perf.data ]] && grep -q '^told$' err && grep -q '^Note: the recording goes into the pipe' err ||
	complain "a pipe on stdout does not get the recording"
ln -s "$XPERF" perf
./perf record -e cpu-clock:u true 2>err | "$XPERF" script >out 2>&1 || complain "record | script"
grep -q '^Note: the recording goes' err && complain "perf has no such note"
for options in '-o named' '--timestamp-filename' '--switch-output=100M'; do
	rm -rf perf.data* named
	# shellcheck disable=SC2086
	"$XPERF" record -q -e cpu-clock:u $options true | cat >out
	[[ ! -s out && $(ls perf.data* named 2>/dev/null) ]] || complain "$options: a stream, not a file"
done
for name in /dev/stdout /dev/fd/3; do
	"$XPERF" record -q -e cpu-clock:u -o $name true 2>err 3>&1 | cat >piped
	whole piped "-o $name"
done
# A stream that has ended is whole, one that is cut off is not.
"$XPERF" record -q -e cpu-clock:u -o - sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done' >piped-whole 2>err || complain '-o -'
"$XPERF" report -i piped-whole >shown 2>&1
! grep 'killed' shown || complain '-o -: a whole stream'
head -c $(($(stat -c %s piped-whole) - 20)) piped-whole >piped-part
"$XPERF" report -i piped-part >shown 2>&1
grep -q 'the recorder was killed, or the file is cut off' shown || complain '-o -: a stream that is cut off'
{
	echo before
	"$XPERF" record -q -e cpu-clock:u -o /dev/stdout true
} >out 2>err
[[ $(head -n 1 out) == before ]] || complain "-o /dev/stdout replaces what was written before"

# --- signals ---

block='echo >ready; exec sleep 600'
start sh -c "$block"
ready
kill -INT -- -$pid
finish
is 130 "$captured" '^C'
whole perf.data '^C'
for signal in TERM:143 HUP:129 INT:130; do
	start sh -c "$block"
	ready
	kill -"${signal%:*}" $pid
	finish
	is "${signal#*:}" "$captured" "SIG${signal%:*} to xperf alone"
	whole perf.data "SIG${signal%:*}"
done
start sh -c "trap 'exit 5' INT; kill -INT 0; exec sleep 600"
finish
is 5 "$captured" '^C and a workload that catches it'
start sh -c "trap '' INT; $block"
ready
kill -INT -- -$pid
kill -INT -- -$pid
finish
is 130 "$captured" '^C^C and a workload that ignores it'
kill -KILL -- -$pid 2>/dev/null
whole perf.data '^C^C'
start sh -c "kill -USR2 \$PPID; exit 3"
finish
is 3 "$captured" 'SIGUSR2 that nobody asked for'
if ((root)); then
	start -a
	goes_on
	kill -INT $pid
	finish
	is 130 "$captured" '-a until ^C'
	whole perf.data '-a until ^C'
fi

# --- targets ---

# start_target: a process that ends by end_target
start_target()
{
	mkfifo target
	exec {hold}<>target
	bash -c 'read -r _' <target {hold}>&- &
	target=$!
}

end_target()
{
	echo >&$hold
	wait $target
	exec {hold}>&-
	rm -f target
}

for option in -p -t; do
	start_target
	start $option $target
	goes_on
	end_target
	finish
	is 0 "$captured" "$option of what ends"
	whole perf.data "$option"
	[[ $(number perf.data EXIT) == 1 ]] || complain "$option: the end of the process is not in the file"
done
start_target
record -p $target sh -c 'exit 3'
is 3 "$captured" '-p with a command'
record --per-thread -t $target sh -c 'exit 4'
is 4 "$captured" '--per-thread'
record -a -p $target true
is 0 '^Warning: .*-a' '-a with -p'
record -u "$(id -un)" sh -c 'exit 6'
is 6 "$captured" '-u'
[[ $(number perf.data COMM) -ge 2 ]] || complain "-u: there are no processes"
end_target
record -u nosuchuser true
is 129 "^Error: There is no user 'nosuchuser'" '-u of nobody'
exit $failed
