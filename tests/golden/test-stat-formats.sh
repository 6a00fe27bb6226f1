#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# CSV, the lines of -j and the document of --json=v1 of every kind of rows, in a locale with a decimal comma and
# groups of digits: strict readers accept them, and all three have the same counts.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
# shellcheck source=tests/golden/locale.sh
. "$SOURCE_DIR/tests/golden/locale.sh"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
schema=$SOURCE_DIR/data/stat-v1.schema.json
comma_locale "$scratch"

# Millions, so that there are groups; more events than counters; two metrics of one event.
rates='cycles=2_000_000 instructions=4_000_000 stalled-cycles-frontend=300_000 branches=800_000 branch-misses=9_000 page-faults=2'
cat >"$scratch/formats.sim" <<END
machine cpus=4 sockets=2 nodes=2
time call=1ns
pmu general=2 fixed=cycles has=stalled-cycles-frontend
cgroup idle
program service
	run forever cpu=0 $rates
program brief
	run 61ms cpu=3 $rates
	exit 0
task 2000 service threads=2 cgroup=site
program a,b
	run forever cpu=1 page-faults=1
task 3000 a,b
END
scenarios=$scratch

if [[ -z $no_comma ]]; then
	sim formats stat -e cycles brief
	grep -q '^ *122\.000\.000 ' "$scratch/err" && grep -q '^ *0,0[0-9]* seconds' "$scratch/err" ||
		complain "the text has no commas and groups"
fi

nr=0
# formats SEPARATOR OPTIONS...: writes all of them; the document has nothing of other versions of perf
formats()
{
	local separator=$1 form file=$((nr++)) options

	shift
	for form in "-x$separator" -j --json=v1; do
		options=("$@")
		[[ $form != --json=v1 || $1 != --compat=7 ]] || options=("${@:2}")
		sim formats stat "$form" --log-fd 9 "${options[@]}" 9>"$scratch/$file${form:0:3}"
		[[ $status == 0 ]] || complain "stat $form $*: status $status"
		[[ ! -s $scratch/err ]] || complain "stat $form $*: more is printed"
	done
	printf '%s\t%s\t%s\t%s\t%s\n' "$*" "$separator" "$scratch/$file"{-x"${separator:0:1}",-j,--j} >>"$scratch/sets"
}

events=task-clock,cycles,instructions,stalled-cycles-frontend,branches,branch-misses,page-faults,duration_time
for target in "" -a "-a -A" "-a --per-core" "-a --per-die" "-a --per-socket" "-a --per-node" "-a --per-cluster" \
	"-p 2000 --per-thread" "-a --per-thread" "-a --for-each-cgroup site,idle" \
	"-a --for-each-cgroup site --per-socket"; do
	for how in "" "-r 3" "-I 20" "-I 20 --summary" "-r 2 -I 25"; do
		[[ $how != -r*  || $target != *-p* ]] || continue
		for what in "-e $events" "-e $events --metric-only" "-M insn_per_cycle -e page-faults" \
			"-M insn_per_cycle --metric-only"; do
			[[ $target != *cgroup* || $what != *-M* ]] || continue
			# shellcheck disable=SC2086
			formats , $target $how $what brief
		done
	done
done
for target in "" "-a -A" "-a --per-core" "-p 2000 --per-thread" "-a --for-each-cgroup site,idle"; do
	for how in "" "-I 20 --summary"; do
		# Events by name have no metrics in perf 7.
		for what in "-e $events" "-M insn_per_cycle -e page-faults" "-M insn_per_cycle --metric-only"; do
			[[ $target != *cgroup* || $what != *-M* ]] || continue
			# shellcheck disable=SC2086
			formats , --compat=7 $target $how $what brief
		done
	done
done
# Separators: a tab, several characters, one that is in numbers of the locale, and one of regular expressions.
for separator in '\t' :: ';' '|'; do
	for target in "" "-a --per-core" "-a -A -I 20"; do
		# shellcheck disable=SC2086
		formats "$separator" $target -e $events brief
	done
done
formats , -a -A -e cycles/percore/,page-faults brief
formats , -n brief
# The separator in names of events, units of metrics, and threads
formats , -e 'task-clock,software/config=0x2,config1=0x0/' brief
formats ' ' -e task-clock,page-faults -a -A brief
formats , -e task-clock -p 3000 --per-thread brief

PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/golden/stat_formats.py" "$schema" <"$scratch/sets" \
	>"$scratch/faults" || { head -c 4000 "$scratch/faults"; failed=1; }
tail -n 1 "$scratch/faults"
[[ -z $no_comma ]] || echo "$no_comma"
exit $failed
