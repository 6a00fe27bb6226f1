#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a user relies on around the counts: exit statuses, signals, where output goes, what the
# workload sees of xperf, when -p and -t end.
set -uo pipefail
: "${XPERF:?}"
export LC_ALL=C
# Counted in user space, so that this runs without privileges; nothing here depends on the numbers.
event=page-faults:u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

if ! "$XPERF" stat -e $event true 2>"$dir/err"; then
	echo "skipped: software events cannot be counted here: $(head -n 1 "$dir/err")"
	exit 77
fi

# complain TEXT: one fault, with what was printed
complain()
{
	echo "$1"
	sed 's/^/    /' "$dir/out" "$dir/err"
	failed=1
}

# stat ARGUMENTS...: leaves out, err and $status behind
stat()
{
	"$XPERF" stat -e $event "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
}

# is STATUS REGEX WHAT: the last run's exit status, and a line on stderr
is()
{
	if [[ $status != "$1" ]] || ! grep -Eq -- "$2" "$dir/err"; then
		complain "$3: exit status $status, not $1, or no line '$2'"
	fi
}

# Job control: a process in the background is a group of its own and does not ignore SIGINT.
set -m

# start ARGUMENTS...: the same in the background; $pid is xperf and its process group
start()
{
	mkfifo "$dir/ready"
	"$XPERF" stat -e $event "$@" >"$dir/out" 2>"$dir/err" </dev/null &
	pid=$!
}

# finish: waits for it
finish()
{
	wait $pid
	status=$?
	rm -f "$dir/ready"
}

# ready: until the workload has written a line to the fifo
ready()
{
	read -r _ <"$dir/ready"
}

rows="^ +[0-9,]+ +$event"

# Exit statuses.
stat true
is 0 "$rows" true
is 0 "^ Performance counter stats for 'true':" true
is 0 'seconds time elapsed$' true
stat sh -c 'exit 7'
is 7 "$rows" 'exit 7'
stat sh -c 'kill -9 $$'
is 137 "$rows" 'a killed workload'
stat -r 3 sh -c 'kill -TERM $$'
is 143 '\(3 runs\)' 'a killed workload, three times'
stat -a -C 0 sh -c 'exit 3'
if [[ $status != 255 ]]; then # counting CPUs may be forbidden
	is 3 "$rows" 'exit 3 on a CPU'
	stat -C 8191 true
	is 255 '^Error: CPU 8191 is not online$' 'a CPU that is not there'
	(exec -a perf "$XPERF" stat -C 8191 true) >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	is 1 '^Error: No supported events found\.$' 'the same, called as perf'
fi
stat "$dir/nosuch"
is 127 '^Error: Workload failed: .*: No such file or directory$' 'no such command'
stat 'echo a | cat'
is 127 "^Hint: .*: sh -c 'echo a \| cat'\$" 'a shell command as one word'
stat "$dir"
is 126 '^Error: Workload failed: .*: Permission denied$' 'a directory as command'
[[ $(wc -l <"$dir/err") == 1 ]] || complain "more than a sentence for a command that cannot be run"


# What was counted before a run that fails is printed.
printf 'rm "$0"\n' >"$dir/once"
chmod +x "$dir/once"
stat -r 3 "$dir/once"
is 127 "$rows" 'a command that is gone at its second run'
is 127 '^Error: Workload failed' 'the same'

# A script without an interpreter line is the shell's.
printf 'exit 6\n' >"$dir/script"
chmod +x "$dir/script"
stat "$dir/script"
is 6 "$rows" 'a script without #!'

# stdin, stdout and other descriptors belong to the workload; nothing of xperf's is among them.
echo given | "$XPERF" stat -e $event cat >"$dir/out" 2>"$dir/err"
[[ $(<"$dir/out") == given ]] || complain "cat: stdin or stdout are not the workload's"
"$XPERF" stat -e $event -o "$dir/table" sh -c 'ls /proc/self/fd; echo error >&2' >"$dir/out" 2>"$dir/err" </dev/null
sh -c 'ls /proc/self/fd' >"$dir/bare" 2>/dev/null </dev/null
[[ $(wc -l <"$dir/out") == $(wc -l <"$dir/bare") ]] || complain "the workload has descriptors of xperf"
[[ $(<"$dir/err") == error ]] || complain "-o: something is on stderr besides the workload's"

# So do its limits, though many events need more descriptors than were allowed.
many=$(printf '%0.stask-clock:u,' {1..60})
(ulimit -Sn 50 && stat -r 2 -e "${many%,}" sh -c 'ulimit -Sn; ulimit -Hn')
[[ $(sort -u "$dir/out") == "$(sort -u <(echo 50; ulimit -Hn))" && $(wc -l <"$dir/out") == 4 ]] ||
	complain "the workload's limit of open files is not the user's"

# The kernel does not let an ordinary user count what has another's privileges: that is no 0.
user() { (cd "$dir" && setpriv --reuid=65534 --regid=65534 --clear-groups "$XPERF" "$@" >/dev/null 2>"$dir/err"); status=$?; }
work=("$dir/setuid" -c 30M /dev/zero)
if [[ $EUID == 0 ]] && chmod 755 "$dir" && cp "$(type -P head)" "$dir/setuid" && user stat -e $event "${work[@]}" &&
	[[ $status == 0 ]]; then
	is 0 "$rows" 'an ordinary user'
	chmod 4755 "$dir/setuid"
	user stat -x, -e $event,duration_time "${work[@]}"
	if [[ ! $(awk '/NoNewPrivs/ { print }' /proc/self/status) =~ 1 ]] &&
		! findmnt -no OPTIONS -T "$dir" | grep nosuid >/dev/null; then
		is 0 '^<not counted>,,page-faults:u,' 'a setuid program'
		is 0 '^[0-9]+,ns,duration_time,' 'a setuid program'
		user stat -e $event "${work[@]}"
		is 0 '^Not counted: .*setuid' 'a setuid program'
		user record -o - -e $event -c 1 "${work[@]}"
		is 0 '^Warning: .*setuid' 'a recording of a setuid program'
	fi
fi

# Streams that are closed stay closed for the workload, and nothing else is written into.
"$XPERF" stat -e $event -D 1 -o "$dir/table" sh -c 'ls /proc/self/fd >&3' \
	3>"$dir/out" <&- >&- 2>&- && status=0
sed -i '/^3$/d' "$dir/out"
if grep -Eq '^[012]$' <(head -n 2 "$dir/out") && [[ $(head -n 1 "$dir/out") != 0 ]]; then
	complain "closed streams are open in the workload"
fi
grep -q 'Events' "$dir/table" && complain "closed stderr: messages are in the table"
grep -q "$event" "$dir/table" || complain "closed streams: no table"

# Outputs.
stat -o "$dir/table" true
grep -q '^# started on ' "$dir/table" || complain "-o: no date"
stat --append -o "$dir/table" true
[[ $(grep -c "$event" "$dir/table") == 2 ]] || complain "--append: not two tables"
stat -j -o "$dir/json" true
[[ $(head -c 1 "$dir/json") == '{' ]] || complain "-j -o: the file is more than JSON"
"$XPERF" stat -e $event --log-fd 5 true 5>"$dir/five" 2>"$dir/err"
grep -q "$event" "$dir/five" && [[ ! -s $dir/err ]] || complain "--log-fd 5: not there, or not only there"
stat --log-fd 77 touch "$dir/ran"
is 255 '^Error: Descriptor 77 cannot be written' '--log-fd of a closed descriptor'
stat -o "$dir/no/such/file" touch "$dir/ran"
is 255 'cannot be written: No such file' '-o into nowhere'
[[ ! -e $dir/ran ]] || complain "the workload ran though its counts had nowhere to go"
if [[ -w /dev/full ]]; then
	stat -o /dev/full true
	is 255 '^Error: .*No space left on device$' '-o /dev/full'
	[[ $(wc -l <"$dir/err") == 1 ]] || complain "a full disk: more than one sentence"
	"$XPERF" stat -e $event true 2>/dev/full && complain "a full disk behind stderr goes unnoticed"
fi
stat -q true
[[ $status == 0 && ! -s $dir/err ]] || complain "-q prints"
stat -v -j -o "$dir/json" true
grep -vq '^{' "$dir/json" && complain "-v -j: the file is more than JSON"
is 0 "^$event: [0-9]+ [0-9]+ [0-9]+$" '-v -j'

# A workload that leaves a child behind is not waited for longer than itself.
mkfifo "$dir/hold"
stat sh -c "cat $dir/hold >/dev/null & exit 3"
is 3 "$rows" 'a child left behind'
: >"$dir/hold"
rm "$dir/hold"

# --pre and --post, around each run.
hooked=(--pre 'echo pre' --post 'echo post')
stat -r 2 "${hooked[@]}" echo run
[[ $(tr '\n' ' ' <"$dir/out") == 'pre run post pre run post ' ]] || complain "--pre and --post: not around each run"
stat -r 2 "${hooked[@]}" sh -c 'echo run; exit 4'
[[ $status == 4 && $(tr '\n' ' ' <"$dir/out") == 'pre run pre run ' ]] || complain "--post of a run that failed"
stat "${hooked[@]}" sh -c 'kill $$'
[[ $status == 143 && $(tr '\n' ' ' <"$dir/out") == 'pre post ' ]] || complain "--post of a run that was killed"
stat --pre 'exit 3' touch "$dir/ran"
is 255 '^Error: The command of --pre failed with exit status 3, and nothing was run: exit 3$' '--pre that fails'
[[ ! -e $dir/ran ]] || complain "the workload ran after a failed --pre"
stat --post 'exit 3' true
is 0 '^Warning: The command of --post failed with exit status 3: exit 3$' '--post that fails'
stat -q --post 'exit 3' true
[[ $status == 0 && ! -s $dir/err ]] || complain "-q prints what --post gave"

# --interval-clear, on a terminal only.
clear=$'\033[H\033[2J'
stat -I 20 --interval-clear sleep 0.05
grep -qF "$clear" "$dir/err" "$dir/out" && complain "--interval-clear clears a file"
[[ $(grep -c '^#.*time.*counts' "$dir/err") == "$(grep -c "$event" "$dir/err")" ]] ||
	complain "--interval-clear: not one heading per interval"
if [[ $(type -P script) ]]; then
	script -qec "'$XPERF' stat -e $event -I 20 --interval-clear sleep 0.05" /dev/null >"$dir/out" 2>&1 </dev/null
	[[ $(grep -cF "$clear#" "$dir/out") == "$(grep -c "$event" "$dir/out")" ]] ||
		complain "--interval-clear does not clear the terminal"
fi

# Signals. What is sent to the process group, as a terminal does, reaches the workload as well.
block="echo >$dir/ready; exec sleep 600"
start sh -c "$block"
ready
kill -INT -- -$pid
finish
is 130 "$rows" '^C'
for signal in TERM:143 HUP:129 INT:130; do
	start sh -c "$block"
	ready
	kill -"${signal%:*}" $pid
	finish
	is "${signal#*:}" "$rows" "SIG${signal%:*} to xperf alone"
done
start sh -c "trap 'exit 5' INT; kill -INT 0; exec sleep 600"
finish
is 5 "$rows" '^C and a workload that catches it'
start -r 0 sh -c "$block"
ready
kill -INT -- -$pid
finish
is 130 "$rows" '-r 0 and ^C'
start -r 0 sh -c "echo >>$dir/runs"
until [[ -s $dir/runs ]]; do :; done
kill -INT -- -$pid
finish
is 130 "$event" '-r 0 and ^C at any moment'
start -D 100000 sh -c "$block"
ready
kill -INT -- -$pid
finish
is 130 '<not counted> +page-faults' '^C before the delay is over'
start --pre "$block" touch "$dir/ran"
ready
kill -TERM $pid
finish
[[ $status == 143 && ! -s $dir/err && ! -e $dir/ran ]] || complain "SIGTERM during --pre: exit status $status"
start -p $$ "${hooked[@]}" sh -c "$block"
ready
kill -INT -- -$pid
finish
[[ $(tr '\n' ' ' <"$dir/out") == 'pre post ' ]] || complain "^C: --post was not run"

# An end that the caller chose to ignore is ignored by both.
if env --ignore-signal=INT true 2>/dev/null; then
	mkfifo "$dir/ready"
	env --ignore-signal=INT "$XPERF" stat -e $event \
		sh -c "echo >$dir/ready; kill -INT \$\$; exit 4" >"$dir/out" 2>"$dir/err" </dev/null &
	pid=$!
	ready
	finish
	is 4 "$rows" 'a workload under an ignored SIGINT'
fi

# -p and -t end with what they count, or with the command.
start_target()
{
	mkfifo "$dir/target"
	exec {hold}<>"$dir/target"
	bash -c 'read -r _' <"$dir/target" {hold}>&- &
	target=$!
}

end_target()
{
	echo >&$hold
	wait $target
	exec {hold}>&-
	rm -f "$dir/target"
}

# counting: until xperf has opened its event and waits
counting()
{
	until [[ $(find /proc/$pid/fd -lname '*perf_event*' 2>/dev/null) ]] &&
		[[ $(</proc/$pid/syscall) != running ]]; do
		kill -0 $pid 2>/dev/null || break
	done
}

if [[ -r /proc/self/syscall ]]; then
	for option in -p -t; do
		start_target
		start $option $target
		rm "$dir/ready"
		counting
		end_target
		finish
		is 0 "^ Performance counter stats for (process|thread) id '$target':" "$option of what ends"
	done
	start_target
	start -p $target --per-thread
	counting
	end_target
	finish
	is 0 "^ +bash-$target +" '--per-thread: the name of a thread that has ended'
fi
start_target
stat -p $target sh -c 'exit 3'
is 3 "process id '$target'" '-p with a command'
stat -t $target --per-thread --timeout 20
is 0 "^ +bash-$target +" '-t with --per-thread'
stat -p $target --pre 'echo pre' --post 'echo post' --timeout 50
[[ $(tr '\n' ' ' <"$dir/out") == 'pre post ' ]] || complain "--pre and --post without a command"
awk '/elapsed/ && $1 < 0.05 { exit 1 }' "$dir/err" || complain "--pre without a command ends the counting"
stat -t $target --timeout 20
is 0 "thread id '$target'" '-t with --timeout'
stat -a -p $target true
is 0 '^Warning: .*-a' '-a with -p'
end_target
stat -p $target true
is 129 "^Error: There is no process $target$" '-p of what has ended'
exit $failed
