# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the guests of test-x86-bpf.sh, behind checks.sh. What a kernel lacks is the reason for which a
# test is skipped.
export CC=${CC:-cc} PERF_CONFIG=/dev/null XPERF_CACHE_DIR='' TEST_SECONDS=1500

"$XPERF" doctor 2>/dev/null | grep -E '^[a-z]+ +(bpf|libbpf|lockdown) '
for test in stat-bpf stat-bpf-cgroups stat-bpf-prog stat-functions stat-functions-kernel record-bpf record-bpf-rules record-off-cpu-bpf record-wakers-bpf; do
	run bash "$SOURCE_DIR/tests/live/test-$test.sh"
done
exit "${failed:?}"
