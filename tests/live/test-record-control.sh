#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --control and --delay: what is switched on and off while a recording goes on; --switch-output and
# --overwrite: which files it leaves.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record

# Counts page faults of a workload that does one thing per line it is given: deterministic samples.
faulty()
{
	start -e page-faults:u -c 1 "$@" sh -c 'echo >ready; while read -r _; do /bin/true; echo >ready; done <work'
}

rm -f work
mkfifo work

# step: the workload runs a program, which has page faults
step()
{
	echo >&$work
	ready
}

# --- commands ---

exec {work}<>work
faulty -D -1 -o control.data
ready
grep -q '^Events disabled$' err || complain "-D -1 does not say that events are off"
step
tell enable || complain "enable is not acknowledged"
step
tell disable || complain "disable is not acknowledged"
step
tell ping || complain "ping is not acknowledged"
tell enable page-faults:u || complain "enable NAME is not acknowledged"
tell evlist || complain "evlist is not acknowledged"
grep -qx 'page-faults:u' out || complain "evlist does not name the event"
tell evlist -v || complain "evlist -v is not acknowledged"
grep -q '^page-faults:u: type: 1' out || complain "evlist -v does not show attributes"
tell evlist -F || complain "evlist -F is not acknowledged"
grep -q '^page-faults:u: sample_period=1$' out || complain "evlist -F does not show the period"
tell stop || complain "stop is not acknowledged"
exec {work}>&-
finish
is 143 "$captured" 'stop'
is 143 '^Events enabled$' 'enable'
is 143 '^Event page-faults:u enabled$' 'enable NAME'
whole control.data '--control'
[[ $(number control.data "event page-faults:u") -gt 0 ]] || complain "nothing was recorded between enable and disable"

record --control=fd:77 true
is 255 '^Error: --control: descriptor 77 is not open' 'a closed descriptor'
record --control="fifo:$dir/nosuch" true
is 255 '^Error: --control: .*nosuch cannot be opened' 'no such FIFO'
touch plain
record --control=fifo:plain true
is 255 '^Error: --control: plain is not a FIFO' 'a plain file'

# Commands that arrive together, in pieces, and such as are none.
mkfifo fd-control
exec {commands}<>fd-control
printf 'ping\nnonsense\nena' >&$commands
"$XPERF" record -e cpu-clock:u --control fd:$commands sh -c "printf 'ble\n' >fd-control; exec sleep 0.1" >out 2>err
status=$?
is 0 "'nonsense' is not one of: enable" 'a wrong command'
exec {commands}>&-

# --- ranges ---

record -p $$ -D 5-10,15-20
[[ $(grep -c '^Events enabled$' err) == 2 && $(grep -c '^Events disabled$' err) == 3 ]] ||
	complain "-D 5-10,15-20: events are not switched on and off twice"
is 0 "$captured" '-D ranges'

# --- files after each other ---

start -o pieces --switch-output=1h,signal sh -c 'echo >ready; exec sleep 600'
ready
goes_on
kill -USR2 $pid
until grep -q 'Dump pieces' err; do kill -0 $pid || break; done
kill -TERM $pid
finish
is 143 "$captured"'pieces\.<timestamp>' '--switch-output'
is 143 '^\[ perf record: Dump pieces\.[0-9]{16} \]$' '--switch-output'
files=(pieces.[0-9]*)
[[ ${#files[@]} == 2 && ! -e pieces ]] || complain "not two files: ${files[*]}"
for file in "${files[@]}"; do
	whole "$file" '--switch-output'
	[[ $(number "$file" COMM) -ge 1 ]] || complain "$file does not say what ran"
done
# A workload that runs until there were three files: how much it samples by then is up to the machine.
cat >until-dumped <<'END'
for i in $(seq 2000); do
	(($(grep -c 'Dump pieces' err) < 3)) || exit 0
	"$XPERF" test -w leafloop 0.05
done
exit 1
END
export XPERF
rm -f pieces*
record -o pieces --switch-output=100K --switch-max-files=2 -F max -g bash until-dumped
is 0 "$captured" '--switch-output=SIZE'
files=(pieces.[0-9]*)
[[ ${#files[@]} == 2 ]] || complain "--switch-max-files=2: ${#files[@]} files"
rm -f pieces*
record -o pieces --timestamp-filename true
is 0 "$captured"'pieces\.<timestamp>' '--timestamp-filename'
files=(pieces.[0-9]*)
[[ ${#files[@]} == 1 ]] || complain "--timestamp-filename: ${#files[@]} files"
if [[ $(id -u) == 0 ]] && "$XPERF" stat -o out -e irq_vectors:irq_work_exit true 2>/dev/null; then
	record -e irq_vectors:irq_work_exit -o unsampled true
	is 255 '^Error: irq_vectors:irq_work_exit can be counted, but not sampled' 'what nobody may sample'
fi
if "$XPERF" stat -e sched:sched_process_exec true 2>/dev/null; then
	rm -f pieces*
	record -o pieces --switch-output-event sched:sched_process_exec sh -c '
		/bin/true
		for i in $(seq 1200); do ! grep -q "Dump pieces" err || break; sleep 0.1; done
		exit 3'
	is 3 '^\[ perf record: Dump pieces' '--switch-output-event'
fi

# --- limits ---

# Beyond the size there are names and features only, and with -z it is that of the file.
for compressed in '' -z; do
	[[ -z $compressed ]] || "$XPERF" check feature -q zstd || continue
	# shellcheck disable=SC2086
	record -o limited $compressed -F max -g --max-size=40K "$XPERF" test -w leafloop 100
	is 143 'size limit reached \([0-9]+ KB\), stopping' "--max-size $compressed"
	whole limited "--max-size $compressed"
	bytes=$(stat -c %s limited)
	((bytes > 30000 && bytes < 120000)) || complain "--max-size=40K $compressed: $bytes bytes"
	samples=$(number limited SAMPLE)
	grep -q "^$samples samples* in " err || complain "--max-size $compressed: not the $samples samples of the file"
done

# --- what xperf does itself ---

# own_samples FILE: of the process $pid, in all its threads
own_samples()
{
	"$XPERF" script -i "$1" -F pid 2>/dev/null | awk -v "pid=$pid" '$1 == pid' | wc -l
}

if "$XPERF" stat -a -e sched:sched_switch true 2>/dev/null; then
	for exclude in '' --exclude-perf; do
		# shellcheck disable=SC2086
		"$XPERF" record -q -a -e sched:sched_switch $exclude -o self -c 1 sleep 1.2 >out 2>err &
		pid=$!
		finish
		[[ $status == 0 ]] || complain "-a $exclude: exit status $status"
		own=$(own_samples self)
		if [[ -z $exclude ]]; then
			((own > 0)) || complain "-a: no sample of xperf's own"
		else
			((own == 0)) || complain "--exclude-perf: $own samples of xperf's own"
		fi
		[[ $(number self SAMPLE) -gt 0 ]] || complain "-a $exclude: no samples"
	done
fi

# --- nothing to record ---

sleep 1000 &
sleeper=$!
until [[ $(ps -o stat=,comm= -p $sleeper) == S*sleep ]]; do
	kill -0 $sleeper || break
done
record -p $sleeper -o none sleep 0.1
kill $sleeper
is 0 '^0 samples in [0-9.]* s$' 'a process that sleeps'
is 0 '^No samples: the target mostly slept, it ran for only 0.000 ms; record for longer, or ' \
	'a process that sleeps'
"$XPERF" record -e minor-faults:u -c 1000000 -o none true 2>err
status=$?
is 0 '^No samples: minor-faults:u happened [1-9][0-9]* times; lower -c or raise -F$' 'a large period'
record -e cpu-clock:u -D -1 -o none sleep 0.1
is 0 '^No samples: cpu-clock:u counted nothing while it was enabled \(-D\)$' '-D -1'

# --- the newest only ---

# Page faults of programs, more than there is room for: each is a sample.
# shellcheck disable=SC2016 # for the shell that is recorded
faults=(-e page-faults:u -c 1 sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done')
"$XPERF" record -o newest --overwrite -m 1 "${faults[@]}" >out 2>err </dev/null
status=$?
is 0 "$captured" '--overwrite'
whole newest '--overwrite'
newest=$(number newest SAMPLE)
((newest > 0)) || complain "--overwrite: no samples"
# A sample has 32 bytes at least, and a ring is one page.
((newest <= $(nproc --all) * $(getconf PAGESIZE) / 32)) || complain "--overwrite -m 1 keeps $newest samples"
exit $failed
