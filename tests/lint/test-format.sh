#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The layout of C is what clang-format makes of it.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool clang-format

version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
[[ $version == 14 ]] || skip "the layout is that of clang-format 14; here is version $version"
mapfile -t files < <(sources '*.c' '*.cc' '*.h' | grep -v -E '^tests/.*(data|corpus)/')
clang-format --dry-run -Werror "${files[@]}"
echo "${#files[@]} files"
