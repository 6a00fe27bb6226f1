#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shell scripts are clean under shellcheck; where a pipe fails with any of its commands, none of them ends
# before the others have written all.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool shellcheck

# SC1091, SC1090: the sourced file is not named literally. SC2015: "a && b || c" is meant.
mapfile -t files < <(sources '*.sh' run test .ci/run | grep -v -E '^tests/.*(data|corpus)/')
shellcheck --external-sources --severity=warning --exclude=SC1090,SC1091,SC2015 "${files[@]}"
# What writes into a grep -q that has found its text dies of SIGPIPE, or not: that depends on who is faster.
awk 'FNR == 1 { pipefail = 0 }
	/^set .*pipefail/ { pipefail = 1 }
	pipefail && /[^|]\| *grep +-[a-zA-Z]*q/ { print FILENAME ":" FNR ": a pipe into grep -q; grep >/dev/null reads all of it"; bad = 1 }
	END { exit bad }' "${files[@]}"
echo "${#files[@]} scripts"
