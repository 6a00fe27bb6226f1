#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stat --iostat in the simulated kernel: root ports are those of sysfs, megabytes follow from the truth.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
scenarios=$scratch/scenarios
mkdir "$scenarios"

# scenario NAME SED-SCRIPT [LINE...]: a variant of root-ports.sim
scenario()
{
	sed -E "$2" "$SOURCE_DIR/tests/sim/scenarios/root-ports.sim" >"$scenarios/$1.sim"
	printf '%s\n' "${@:3}" >>"$scenarios/$1.sim"
}

# expect N PATTERN: lines on stderr, where stat prints
expect()
{
	local n
	n=$(grep -cE -- "$2" "$scratch/err")
	[[ $n == "$1" ]] || complain "$n lines match '$2', not $1"
}

scenario ports ''
scenario one-die 's/^machine.*/machine cpus=4 sockets=2 offline=2,3/; /^program other/,$d; s/cpus=0,2/cpus=0/'
scenario unnamed '/^sysfs/d'
scenario misnamed 's|(uncore_iio_1/die1) .*|\1 none|'
scenario user '' 'user uid=1000'
scenario busy '' 'at exec+50ms signal INT all'

# --- which there are ---
sim ports stat --iostat=list traffic
[[ $status == 0 ]] || complain "list: status $status"
[[ $(<"$scratch/out") == 'S0-uncore_iio_0<0000:00>
S1-uncore_iio_0<0000:80>
S0-uncore_iio_1<0000:17>
S1-uncore_iio_1<0000:85>' ]] || complain "list"
[[ -s $scratch/err ]] && complain "list: a message"
grep -q '^event' "$scratch/truth" && complain "list: something was counted"
# Names are no secret.
sim user stat --iostat=list
[[ $status == 0 && $(wc -l <"$scratch/out") == 4 ]] || complain "list, for a user"

# --- values ---
sim ports stat --iostat traffic
[[ $status == 0 ]] || complain "status $status"
expect 1 "^ Performance counter stats for 'system wide':$"
expect 1 '^   port     Inbound Read\(MB\)    Inbound Write\(MB\)    Outbound Read\(MB\)   Outbound Write\(MB\) *$'
expect 1 '^0000:00 +0 +5 +0 +0 *$'
expect 1 '^0000:80 +0 +0 +0 +0 *$'
expect 1 '^0000:17 +100 +3 +1 +0 *$'
expect 1 '^0000:85 +0 +0 +0 +4 *$'
# Each port: four events in one group, on one CPU.
[[ $(grep -c '^event uncore_iio_' "$scratch/truth") -ge 16 ]] || complain "events"
sim ports stat --iostat=0000:17,0:0 -x, traffic
[[ $(<"$scratch/err") == 'port,Inbound Read(MB),Inbound Write(MB),Outbound Read(MB),Outbound Write(MB),
0000:17,100,3,1,0,
0000:00,0,5,0,0,' ]] || complain "CSV of two ports"
sim ports stat --iostat=0:17,0000:17 -j traffic
[[ $(<"$scratch/err") == '{"port" : "0000:17", "Inbound Read(MB)" : "100", "Inbound Write(MB)" : "3", "Outbound Read(MB)" : "1", "Outbound Write(MB)" : "0"}' ]] ||
	complain "JSON of one port that is named twice"
sim ports stat --iostat=0:85 -I 500 --interval-count 3
expect 1 '^# +time +port +Inbound Read\(MB\) '
expect 3 '^ +[0-9]\.[0-9]{9} 0000:85 +0 +0 +0 +20 *$'
sim ports stat --iostat=0:85 -I 500 --interval-count 3 -x,
expect 1 '^time,port,Inbound Read\(MB\),'
expect 3 '^ +[0-9]\.[0-9]{9},0000:85,0,0,0,20,$'
sim ports stat --iostat=0:85 -I 500 --interval-count 1 -j
expect 1 '^\{"interval" : [0-9.]+, "port" : "0000:85", "Inbound Read\(MB\)" : "0", '
sim ports stat --iostat=0:17 -r 2 traffic
expect 1 '^0000:17 +100 +3 +1 +0 *$'
sim busy stat --iostat=0:85 other
expect 1 '^0000:85 +0 +0 +0 +2 *$'
sim ports stat --iostat=0:17 --no-metric-only traffic
expect 1 '^ +26214400 +uncore_iio_1/event=0x83,umask=0x04,ch_mask=0xff,fc_mask=0x07,cpu=0/ *$'
sim ports stat --iostat=0:0 --no-metric-only traffic
expect 1 '^ +1310800 +uncore_iio_0/event=0x83,umask=0x01,ch_mask=0xf,fc_mask=0x07,cpu=0/ *$'
sim ports stat --iostat=0:80 --no-metric-only traffic
expect 4 'uncore_iio_0/event=.*,cpu=2/ *$'
sim ports stat --iostat --no-iostat -e task-clock traffic
expect 1 ' task-clock '

# --- mistakes: one sentence, nothing runs ---
# refused SCENARIO STATUS SENTENCE ARGUMENTS...
refused()
{
	sim "$1" stat "${@:4}" traffic
	[[ $status == "$2" && $(head -n 1 "$scratch/err") =~ ^"Error: "$3$ ]] || complain "$1, ${*:4}: status $status"
	grep -q '^task .* 100 ' "$scratch/truth" && complain "$1, ${*:4}: something ran"
}

ports='this machine has 0000:00, 0000:80, 0000:17, 0000:85'
for wrong in 0000:18 17 '' list,0:0 '0:17,' 0:17:0 0:100 -1:0 0x0:17 00000:17; do
	refused ports 255 "--iostat: there is no root port '[^']*': $ports" "--iostat=$wrong"
done
for other in -e,cycles -d -M,insn_per_cycle --topdown --smi-cost; do
	IFS=, read -ra words <<<"$other"
	refused ports 129 '--iostat has events of its own: .*' --iostat "${words[@]}"
done
for other in -C,0 -p,50 --per-socket -A; do
	IFS=, read -ra words <<<"$other"
	refused ports 129 '(--iostat has a row for each root port|-A and --per-socket).*' --iostat "${words[@]}"
done
refused ports 129 '--iostat has rows of root ports, .*: use -x or -j' --iostat --json=v1
refused ports 129 '-n counts nothing, .*' --iostat -n
refused unnamed 255 '--iostat: the kernel does not say which root ports the PMUs uncore_iio_N count: .*' --iostat
refused misnamed 255 '/sys/devices/uncore_iio_1/die1 has no root port like 0000:17' --iostat
refused one-die 255 'uncore_iio_0 counts on 2 dies, of which 1 have a CPU that is online: bring the others online' --iostat
refused user 255 '--iostat: uncore_iio/event=1/ cannot be counted: .*' --iostat
exit $failed
