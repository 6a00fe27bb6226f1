# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the guest of test-arm64-truth.sh, behind checks.sh: the programs that know their call chains,
# which were built outside, are recorded and judged here.
export LD_LIBRARY_PATH=/host/build TRUTH_BUILT=/host/truth TRUTH_SPIN=300000 TRUTH_ROWS
TRUTH_ROWS=$(cd $TRUTH_BUILT && printf '%s|' */ | tr -d /)
TRUTH_ROWS=${TRUTH_ROWS%|}
ln -sf /usr/bin/mawk /usr/bin/awk
ln -s /proc/self/fd /dev/fd
grep -m 1 -o paca /proc/cpuinfo || fail "return addresses are not signed here"
bash "$SOURCE_DIR/tests/live/test-unwind-truth.sh" || fail "test-unwind-truth.sh: exit status $?"
exit "${failed:?}"
