# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the arm64 guest for `bench/self.sh --guest`: six counters of instructions are
# there, one of which is the meter.
echo 1 >/proc/sys/kernel/perf_user_access
bench/self instructions:u 5
