# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What scripts that run in a guest begin with.
set -u
[[ -e /dev/fd ]] || ln -s /proc/self/fd /dev/fd
cd "$BUILD_DIR" || exit 1
export failed=0

fail()
{
	echo "FAILED: $*"
	failed=1
}

# run COMMAND...: one program of tests, TEST_SECONDS (200) at most; what it prints is shown if it fails
run()
{
	local status=0 start=$SECONDS

	timeout "${TEST_SECONDS:-200}" "$@" >/tmp/log 2>&1 || status=$?
	case $status in
	0) echo "$*: passed, $((SECONDS - start)) s" ;;
	77) echo "$*: skipped: $(tail -n 1 /tmp/log)" ;;
	*)
		fail "$*: exit status $status"
		grep -v '^\[  *\(RUN\|OK\)' /tmp/log
		;;
	esac
}

# equal WHAT GOT EXPECTED
equal()
{
	echo "$1: $2"
	[[ $2 == "$3" ]] || fail "$1: expected $3"
}

# about NAME COUNT TRUTH: within a thousandth
about()
{
	local off=$((($2 - $3) * 1000000 / $3))

	echo "$1: $2 of $3, off by $off ppm"
	((off > -1000 && off < 1000)) || fail "$1: $2 is not $3"
}

uname -srm
