#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What may not be counted is reported with what forbids it and with what would allow it; limits that
# may be raised are.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"

# user WORDS: the scenario of an ordinary machine, seen by this user
user()
{
	scenarios=$scratch
	cat >"$scratch/now.sim" <<-END
		machine cpus=8
		user $1
		program one
			run 10ms cycles=1_000_000 page-faults=2
		program other
			run forever
		task 2000 other uid=0
	END
}

# refused USER SENTENCE HINT ARGUMENTS...
refused()
{
	local sentence=$2 hint=$3

	user "$1"
	shift 3
	sim now stat "$@"
	[[ $status == 255 ]] || complain "stat $*: exit status $status"
	grep -qF -- "$sentence" "$scratch/err" || complain "stat $*: not told: $sentence"
	grep -q -- "^Hint: .*$hint\$" "$scratch/err" || complain "stat $*: no such hint: $hint"
}

all='does not allow ordinary users to count all tasks of a CPU'
perfmon='give xperf the capabilities (sudo setcap [a-z_,]*=ep $(command -v xperf)), or: '
refused "uid=1000 paranoid=1" "paranoid=1 $all" "$perfmon.*paranoid=0" -a -e cs one
refused "uid=1000 paranoid=2" "paranoid=2 $all" "$perfmon.*paranoid=0" -C 3 one
refused "uid=1000 paranoid=2" "does not allow ordinary users to count in the kernel" "$perfmon.*paranoid=1" -e cycles:k one
for level in -1 0 1 2; do
	refused "uid=1000 paranoid=$level" "thread 2000: the process is another user's" \
		"as root, or give xperf the capabilities (.*=ep \$(command -v xperf))" -e page-faults -p 2000
done

# A filter refuses what every user may do: nothing else is blamed, whoever asks for what.
filter='a seccomp filter (usual in containers) blocks perf_event_open'
for user in uid=0 "uid=1000 paranoid=-1" "uid=1000 paranoid=1" "uid=1000 paranoid=2"; do
	for event in page-faults cycles task-clock:u; do
		refused "$user seccomp=1" "cannot be counted: $filter" ".*seccomp=unconfined.*" -e $event one
	done
	refused "$user seccomp=1" "$filter" ".*seccomp=unconfined.*" -e page-faults -p 2000
done
! grep -q "another user" "$scratch/err" || complain "another user is blamed for a filter"
# Where a level of the distribution forbids it to ordinary users anyway, that is said.
refused "uid=1000 paranoid=3 seccomp=1" "perf_event_paranoid=3 does not allow" ".*" -e page-faults one
sim now record -o "$scratch/data" -e cpu-clock one
grep -qF "$filter" "$scratch/err" && complain "the filter is blamed for paranoid=3"

# Nobody may sample what happens while a sample is taken; counting it is fine.
user "uid=0"
sim now record -o "$scratch/data" -e irq_vectors:irq_work_exit one
[[ $status == 255 ]] || complain "record of irq_work_exit: exit status $status"
grep -q '^Error: irq_vectors:irq_work_exit can be counted, but not sampled' "$scratch/err" || complain "not reported: cannot be sampled"
grep -q '^Hint: .*`xperf stat -e irq_vectors:irq_work_exit`' "$scratch/err" || complain "no hint at stat"
sim now stat -e irq_vectors:irq_work_exit one
[[ $status == 0 ]] || complain "stat of irq_work_exit: exit status $status"

# As many descriptors as it takes: the soft limit up to the hard one, and that as far as allowed.
user "uid=1000 paranoid=0 nofile=16 nofile_max=256"
sim now stat -a -e cycles,instructions,branches,branch-misses,page-faults one
[[ $status == 0 ]] || complain "the soft limit of descriptors is not raised"
user "nofile=16 nofile_max=24"
sim now stat -a -e cycles,instructions,branches,branch-misses,page-faults one
[[ $status == 0 ]] || complain "root's hard limit of descriptors is not raised"
refused "uid=1000 paranoid=0 nofile=16 nofile_max=24" "Too many open files" ".*ulimit -n.*" \
	-a -e cycles,instructions,branches,branch-misses,page-faults one
exit $failed
