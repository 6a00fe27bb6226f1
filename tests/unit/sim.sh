# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For scripts that run xperf-sim: a scratch directory, running, complaining. They end with "exit
# $failed".
# shellcheck disable=SC2034
: "${XPERFSIM:?}"
scenarios=${SOURCE_DIR:?}/tests/sim/scenarios
# Each run makes a small tree of files and removes it: in memory where that can be had.
[[ -w /dev/shm ]] && export TMPDIR=/dev/shm
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C TMPDIR=$scratch
failed=0

# sim SCENARIO ARGUMENTS...: runs it; leaves out, err, truth, stats and the exit status behind
sim()
{
	local scenario=$1

	shift
	XPERF_SIM=$scenarios/$scenario.sim XPERF_SIM_TRUTH=$scratch/truth \
		XPERF_SIM_STATS=$scratch/stats "$XPERFSIM" "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
}

# complain TEXT...: one fault; what was printed is shown
complain()
{
	echo "$*"
	sed 's/^/    /' "$scratch/out" "$scratch/err"
	failed=1
}
