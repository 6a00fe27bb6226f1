#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# .ci/fuzz.sh TARGET...: each libFuzzer target on its corpus, for three seconds. A corpus is
# tests/fuzz/corpus/NAME for the target fuzz-NAME; what is found new is not kept. A finding is exit
# status 1: libFuzzer's own, 77, says elsewhere that something was skipped.
set -euo pipefail

root=$(readlink -f "${BASH_SOURCE[0]%/*}/..")
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
for target in "$@"; do
	name=${target##*/fuzz-}
	corpora=("$new/$name")
	[[ ! -d $root/tests/fuzz/corpus/$name ]] || corpora+=("$root/tests/fuzz/corpus/$name")
	echo "== $name"
	mkdir -p "$new/$name"
	(cd "$new" && "$target" -seed=1 -max_total_time=3 -timeout=10 -error_exitcode=1 \
		-rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 "${corpora[@]}")
done
