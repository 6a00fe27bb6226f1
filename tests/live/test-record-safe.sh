#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Nothing is lost when things go wrong: recorders that are killed at any moment, full disks, many
# threads, many processes that hardly live.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record

# --- killed ---

# At first while it begins, then while it records; rings are emptied once a second at least.
for ((i = 0; i < ${KILLS:-25}; i++)); do
	rm -f killed killed.old
	"$XPERF" record -q -e page-faults:u -c 1 -g -o killed \
		sh -c 'while :; do /bin/true; done' >out 2>err </dev/null &
	pid=$!
	sleep "0.$(printf %03d $((i * 7)))"
	kill -KILL $pid
	wait $pid 2>/dev/null
	kill -KILL -- -$pid 2>/dev/null
	# Before it had begun, there is no header yet.
	[[ -s killed && $(head -c 8 killed | tr -d '\0') ]] || continue
	whole killed "killed after $((i * 7)) ms"
done

# What was in the file before is there: all but the last second of samples.
rm -f killed
start -o killed -F 1000 "$XPERF" test -w leafloop 600
goes_on
before=$SECONDS
until [[ $(number killed SAMPLE) -ge 500 ]]; do
	if ! kill -0 $pid || ((SECONDS > before + 300)); then
		complain "no samples reach the file while it is written"
		break
	fi
	sleep 0.1
done
{ kill -KILL -- -$pid && finish; } 2>/dev/null
whole killed 'killed after a while'
[[ $(number killed SAMPLE) -ge 500 ]] || complain "samples that were in the file are gone"
"$XPERF" report -i killed >shown 2>&1
! grep 'nothing lost' shown && grep -q '^# Quality: the recorder was killed, .* missing$' shown ||
	complain "killed after a while: report says $(grep '^# Quality' shown)"

# A cut file is read as far as it goes.
record -o complete -g "$XPERF" test -w leafloop 0.2
size=$(stat -c %s complete)
for ((i = 1; i < 20; i++)); do
	head -c $((size * i / 20)) complete >part
	"$READER" part >shown 2>&1 || ((i < 10)) || complain "cut at $i/20: $(tail -n 1 shown)"
done

# --- a full disk ---

# honest FILE WHAT: as many samples are said to be recorded as the file holds, and what is not there
# is said
honest()
{
	local said held

	said=$(sed -n 's/^\([0-9]*\) samples* in .*/\1/p' err)
	held=$(number "$1" SAMPLE)
	[[ -n $said && $said == "${held:-0}" ]] || complain "$2: $said samples said, ${held:-0} in the file"
	grep -Eq '^Lost: [1-9][0-9]* (sample that was|samples that were) read could not be written$' err ||
		complain "$2: nothing is said of the samples that are not in the file"
	! grep -q 'nothing lost' err || complain "$2: something untrue is said"
	# The file says so itself.
	said=$(sed -n 's/^Lost: \([0-9]*\) sample.*could not be written$/\1/p' err)
	"$XPERF" report -i "$1" >shown 2>&1
	grep -q "^# Quality: .*, $said samples\? lost" shown ||
		complain "$2: $said samples lost, but report says: $(grep -m1 '^# Quality' shown)"
}

# A workload that runs until the recorder has found that it cannot write: how much it samples by then is
# up to the machine.
cat >until-full <<'END'
for i in $(seq 2000); do
	! grep -q 'cannot be written' err || exit 0
	"$XPERF" test -w leafloop 0.05
done
END
export XPERF

if [[ $(id -u) == 0 ]] && unshare -m true 2>/dev/null &&
	unshare -m sh -c 'mkdir tiny && mount -t tmpfs -o size=256k none tiny' 2>/dev/null; then
	unshare -m bash -c '
		mount -t tmpfs -o size=256k none tiny
		"$1" record -e cpu-clock:u -F max -g -o tiny/full sh until-full 2>err
		status=$?
		cp tiny/full full
		exit $status' sh "$XPERF" >out
	status=$?
	is 255 '^Error: .*No space left on device' 'a full disk'
	whole full 'a full disk'
	honest full 'a full disk'
	[[ $(number full SAMPLE) -gt 100 ]] || complain "a full disk: only $(number full SAMPLE) samples are in the file"
else
	echo "not tried: a full disk (root, mount namespaces)"
fi
(ulimit -f 64 && record -o limited -F max -g sh until-full; exit "$status")
status=$?
is 255 '^Error: .*File too large' 'ulimit -f'
whole limited 'ulimit -f'
honest limited 'ulimit -f'
if "$XPERF" check feature -q zstd; then
	(ulimit -f 40 && record -o limited -z -F max -g "$XPERF" test -w leafloop 1; exit "$status")
	status=$?
	if ((status)); then # else it took fewer bytes than that
		whole limited 'ulimit -f with -z'
		honest limited 'ulimit -f with -z'
	fi
fi

# A reader that has enough: what it could have got is counted, and no signal is made up.
"$XPERF" record -e cpu-clock:u -o - -F max -g sh until-full 2>err | head -c 5000 >out
status=${PIPESTATUS[0]}
is 255 '^Error: .*Broken pipe' 'a pipe without a reader'
! grep -q 'nothing lost' err || complain 'a pipe without a reader: something untrue is said'
grep -Eq '^Lost: [1-9][0-9]* (sample that was|samples that were) read could not be written$' err ||
	complain 'a pipe without a reader: nothing is said of what it did not get'

# --- a file that is not there any more ---

for how in 'rm gone' 'mv gone other' 'mv gone other; echo >gone'; do
	record -o gone sh -c "$how"
	is 255 "^Error: 'gone' was removed, renamed or replaced while it was written$" "$how"
	! grep -q Captured err || complain "$how: it is said to be written"
done
ln -s real link
record -o link true
is 0 "$captured" 'a link to a file that is made'

# --- many ---

cat >many.c <<'C'
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
	volatile char *page = malloc(1 << 20);

	for (int i = 0; i < 1 << 20; i += 4096)
		page[i] = 1;
	return arg;
}

int main(void)
{
	pthread_t threads[500];

	for (int i = 0; i < 500; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 500; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
C
if ${CC:-cc} -pthread -o many many.c 2>/dev/null; then
	record -o many.data -e page-faults:u -c 1 ./many
	is 0 "$captured" '500 threads'
	whole many.data '500 threads'
	threads=$(number many.data FORK)
	[[ $threads -ge 500 ]] || complain "500 threads: $threads are in the file"
	samples=$(number many.data 'event page-faults:u')
	[[ $samples -ge 100000 ]] || complain "500 threads: $samples page faults of 128000"
fi
record -o many.data sh -c 'i=0; while [ $i -lt 2000 ]; do (:); i=$((i + 1)); done'
is 0 "$captured" 'many processes'
whole many.data 'many processes'
processes=$(number many.data FORK)
[[ $processes -ge 2000 ]] || complain "2000 processes: $processes are in the file"
record -o chain.data sh -c 'exec sh -c "exec sh -c \"exec true\""'
[[ $(number chain.data COMM) -ge 4 ]] || complain "a chain of exec: $(number chain.data COMM) names"
exit $failed
