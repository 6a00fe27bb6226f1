# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the arm64 guest for `bench/self.sh --guest`: six counters of instructions are
# there, one of which is the meter. PAPI counts nothing where Debian's kernel forbids it to users,
# for root neither.
echo 1 >/proc/sys/kernel/perf_user_access
echo 1 >/proc/sys/kernel/perf_event_paranoid
bench/self instructions:u 5
