# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the arm64 guest for `bench/self.sh --guest`: seven counters are there.
echo 1 >/proc/sys/kernel/perf_user_access
bench/self instructions:u 6
