#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shell scripts are clean under shellcheck.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool shellcheck

# SC1091, SC1090: the sourced file is not named literally. SC2015: "a && b || c" is meant.
mapfile -t files < <(sources '*.sh' run test .ci/run | grep -v -E '^tests/.*(data|corpus)/')
shellcheck --external-sources --severity=warning --exclude=SC1090,SC1091,SC2015 "${files[@]}"
echo "${#files[@]} scripts"
