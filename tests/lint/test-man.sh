#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The man pages are clean mdoc, refer only to pages of ours that exist, and every command has one.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool mandoc

failed=0
for page in man/*.[1-9]; do
	mandoc -T lint -W warning "$page" || failed=1
	while read -r name section; do
		[[ $name != *xperf* || -e man/$name.$section ]] ||
			{ echo "$page: there is no man/$name.$section"; failed=1; }
	done < <(sed -n 's/^\.Xr \([^ ]*\) \([0-9]\).*/\1 \2/p' "$page")
done
for command in $("$XPERF" --list-cmds); do
	[[ $command == help || -e man/xperf-$command.1 ]] ||
		{ echo "$command: has no man page"; failed=1; }
	[[ $command == help ]] || grep -q "^\.It Cm $command\$" man/xperf.1 ||
		{ echo "$command: not in man/xperf.1"; failed=1; }
done
exit $failed
