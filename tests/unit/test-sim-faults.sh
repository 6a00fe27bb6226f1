#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever kernel call of a run fails, with whatever errno is plausible for it: either the run goes
# on and shows everything, or there is one sentence and a non-zero exit. Nothing is left open, no
# child is left behind, nothing hangs (xperf-sim exits with 99 and 98 then).
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"

declare -A plausible=(
	[perf_event_open]="EACCES EBUSY EINVAL EMFILE ENOENT ENOMEM EOPNOTSUPP ESRCH"
	[open]="ENOENT EACCES EMFILE"
	[list_dir]="ENOENT EMFILE"
	[read]="EIO EINTR"
	[write]="EPIPE"
	[ioctl]="EINVAL ENOMEM"
	[spawn]="EAGAIN ENOMEM"
	[wait]="ECHILD"
	[poll]="EINTR ENOMEM"
	[signal_fd]="EMFILE"
	[pidfd_open]="EMFILE ENOSYS"
	[close]="EIO"
	[close_behind]="EAGAIN"
	[run_on]="EINVAL"
	[rlimit]="EPERM"
	[kill]="ESRCH"
	[create]="EACCES ENOSPC EROFS"
	[pwritev]="ENOSPC EFBIG EIO EPIPE"
	[rename]="EACCES EROFS"
	[remove]="EACCES ENOENT"
	[mkdir]="EACCES ENOSPC"
	[lstat]="EACCES ENOENT"
	[clock]="EINVAL"
)

# verdict ROWS: what is wrong with the last run; nothing if it is as it should be. Without a process
# of its own: it is asked eight hundred times.
verdict()
{
	local rows=$1 shown=0 errors=0 line

	wrong=
	while IFS= read -r line; do
		if [[ $line =~ AddressSanitizer|LeakSanitizer|runtime\ error ]]; then
			wrong="a sanitizer complains"
			return
		fi
		[[ $line =~ ^([^,]*,)?([0-9.]+|<not\ (counted|supported)>), ]] && shown=$((shown + 1))
		[[ $line =~ ^(Error|event\ syntax\ error):\  ]] && errors=$((errors + 1))
	done <"$scratch/err"
	if ((status == 97 || status == 98 || status == 99 || status > 130 && status < 255)); then
		wrong="exit status $status"
	elif ((status == 0 || status == 130)); then
		((shown >= rows)) || wrong="exit status $status with $shown rows of $rows"
	elif ((errors != 1)); then
		wrong="exit status $status with $errors sentences"
	fi
}

# sweep SCENARIO ROWS ARGUMENTS...: fails each call of a run in turn
sweep()
{
	local scenario=$1 rows=$2 call number name err wrong

	shift 2
	export XPERF_SIM_LOG=$scratch/log
	sim "$scenario" "$@"
	verdict "$rows"
	[[ -z $wrong ]] || complain "xperf $*: $wrong"
	mapfile -t calls < <(sed -nE 's/^([0-9]+) ([a-z_]+)\(.*/\1 \2/p' "$scratch/log")
	unset XPERF_SIM_LOG
	for call in "${calls[@]}"; do
		read -r number name <<<"$call"
		for err in ${plausible[$name]-EIO}; do
			XPERF_SIM_FAIL=$number:$err sim "$scenario" "$@"
			verdict "$rows"
			if [[ -n $wrong ]]; then
				grep "^$number " "$scratch/log"
				complain "xperf $*: call $number ($name) fails with $err: $wrong"
			fi
			nr_runs=$((nr_runs + 1))
		done
	done
}

nr_runs=0
sweep one-task 4 stat -x, -e 'cycles,{instructions,branches},page-faults' one
sweep one-task 2 stat -x, -e raw_syscalls:sys_enter,task-clock one
sweep one-task 1 stat -x, -r 2 -e cycles one
sweep eight-cpus 3 stat -x, -C 0,7 -I 30 -e '{cycles,instructions},cpu-clock' brief
sweep eight-cpus 2 stat -x, -p 2000 --timeout 30 -e instructions,task-clock
sweep cgroups 6 stat -x, -C 0,1 --timeout 20 --for-each-cgroup "^site" -e "{cycles,instructions},cpu-clock"
sweep cgroups 2 stat -x, -a --timeout 20 -e cycles,cs -G site/workers,/
echo "$nr_runs runs"
exit $failed
