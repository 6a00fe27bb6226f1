#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stat --smi-cost in the simulated kernel: the values follow from the truth, and freeze_on_smi is as it was
# afterwards, whatever happened.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
scenarios=$scratch/scenarios
setting=/sys/devices/cpu/freeze_on_smi
mkdir "$scenarios"

# scenario NAME SED-SCRIPT [LINE...]: a variant of smi.sim
scenario()
{
	sed -E "$2" "$SOURCE_DIR/tests/sim/scenarios/smi.sim" >"$scenarios/$1.sim"
	printf '%s\n' "${@:3}" >>"$scenarios/$1.sim"
}

# expect N PATTERN: lines on stderr, where stat prints
expect()
{
	local n
	n=$(grep -cE -- "$2" "$scratch/err")
	[[ $n == "$1" ]] || complain "$n lines match '$2', not $1"
}

# wrote TEXT: what was written to the setting, in order
wrote()
{
	local texts
	texts=$(grep "^wrote " "$scratch/truth" | sed "s|^wrote $setting ||" | xargs)
	[[ $texts == "$1" ]] || complain "wrote '$texts' to $setting, not '$1'"
}

scenario smi ''
scenario frozen "s|(freeze_on_smi) 0|\1 1|"
scenario missing '/^sysfs/d'
scenario strange "s|(freeze_on_smi) 0|\1 on|"
scenario perfmon '' 'user uid=1000 perfmon=1'
scenario user '' 'user uid=1000'
scenario interrupted '' 'at exec+50ms signal INT all'
scenario terminated '' 'at exec+50ms signal TERM'
scenario no-smi '/^device/s/ smi=.*//; s| msr/smi/=1||'

# --- values: 2,000,000 cycles of aperf in a millisecond, of which 40,000 in interrupts ---
sim smi stat --smi-cost smi
[[ $status == 0 ]] || complain "status $status"
expect 1 '^ +SMI cycles% +SMI# *$'
expect 1 '^ +2\.0 +100\.0 *$'
wrote '1 0'
# It is 1 before the first counter is read: the setting comes before the command.
[[ $(grep -n "^wrote" "$scratch/truth" | head -n 1 | cut -d: -f1) -lt \
	$(grep -n "^event msr/aperf/ [1-9]" "$scratch/truth" | tail -n 1 | cut -d: -f1) ]] || complain "counted before"
sim smi stat --smi-cost quiet
expect 1 '^ +0\.0 +0\.0 *$'
sim smi stat --smi-cost --no-metric-only smi
expect 1 '^ +200000000 +msr/aperf/ +# +2\.0 SMI cycles% *$'
expect 1 '^ +196000000 +cycles *$'
expect 1 '^ +100 +msr/smi/ +# +100\.0 SMI# *$'
wrote '1 0'
sim smi stat --smi-cost -x, smi
[[ $(<"$scratch/err") == $'SMI cycles%,SMI#,\n2.0,100.0,' ]] || complain "CSV"
sim smi stat --smi-cost -j smi
expect 1 '^\{"SMI cycles%" : "2\.0", "SMI#" : "100\.0"\}$'
sim smi stat --smi-cost -x, -I 30 smi
expect 1 '^time,SMI cycles%,SMI#,$'
expect 3 '^ +0\.[0-9]{9},2\.0,30\.0,$'
sim smi stat --compat=7 --smi-cost smi
expect 1 '^ +%  smi_cycles +SMI#  smi_num *$'
sim smi stat --smi-cost -r 3 smi
expect 1 '^ +2\.0 +100\.0 *$'
wrote '1 0'
# The metrics without the option leave the setting alone.
sim smi stat -M smi_cycles,smi_num smi
expect 1 ' msr/aperf/ +# +2\.0 %  smi_cycles'
wrote ''
sim smi stat --smi-cost --no-smi-cost -e cycles smi
[[ $status == 0 ]] || complain "--no-smi-cost: status $status"
wrote ''

# --- the setting ---
sim frozen stat --smi-cost smi
expect 1 '^ +2\.0 +100\.0 *$'
wrote ''
sim smi stat --smi-cost nonsense
[[ $status == 127 ]] || complain "no such command: status $status"
wrote '1 0'
sim interrupted stat --smi-cost forever
expect 1 '^ +2\.0 +5[0-9]\.0 *$'
wrote '1 0'
sim terminated stat --smi-cost forever
wrote '1 0'
sim smi stat --smi-cost -o "$scratch/none/file" smi
[[ $status == 255 ]] || complain "no output: status $status"
wrote ''
# Each kernel call from there on fails once; but for the two that set it back, it is 0 afterwards.
XPERF_SIM_LOG=$scratch/log sim smi stat --smi-cost smi
first=$(grep -m 1 " pwritev(" "$scratch/log" | cut -d' ' -f1)
calls=$(awk '/^calls/ { print $2 }' "$scratch/stats")
unset_once=0
for ((n = first + 1; n <= calls; n++)); do
	XPERF_SIM_FAIL=$n:EIO sim smi stat --smi-cost smi
	case $(grep "^wrote " "$scratch/truth" | sed "s|.* ||" | xargs) in
	'' | '1 0') ;;
	1)
		[[ $status == 255 ]] || complain "call $n: the setting stays, status $status"
		expect 1 "^Error: --smi-cost: $setting cannot be set back to 0: Input/output error$"
		unset_once=$((unset_once + 1))
		;;
	*) complain "call $n: wrote something else" ;;
	esac
done
((unset_once == 2)) || complain "after $unset_once of $calls calls that fail, the setting stays"

# Also after another error: both are reported.
scenario nothing-works '' "fail wait 1 EIO" "fail create 2 EIO"
sim nothing-works stat --smi-cost smi
[[ $status == 255 ]] || complain "two failures: status $status"
expect 1 "^Error: --smi-cost: $setting cannot be set back to 0: Input/output error$"
expect 2 '^Error: '

# --- refused: what, why, what helps; nothing runs ---
# refused SCENARIO PATTERN
refused()
{
	sim "$1" stat --smi-cost smi
	[[ $status == 255 ]] || complain "$1: status $status"
	expect 1 "^Error: --smi-cost: $2\$"
	wrote ''
	grep -q '^task cycles' "$scratch/truth" && complain "$1: the command ran"
}

refused missing "There is no $setting: the kernel has it on Intel's processors whose CPUs are all of one kind"
expect 1 'the event msr/smi/ counts the interrupts without it'
refused strange "$setting has no value that is understood"
refused perfmon "$setting cannot be set to 1: Permission denied"
expect 1 'root alone may write it: use sudo'
refused user 'msr/aperf/ cannot be counted: .*'
refused no-smi "msr/smi/ cannot be counted: .*"
exit $failed
