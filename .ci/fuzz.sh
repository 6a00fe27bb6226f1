#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# .ci/fuzz.sh TARGET...: each libFuzzer target on its corpus, for three seconds, as many at once as
# there are CPUs. A corpus is tests/fuzz/corpus/NAME for the target fuzz-NAME; what is found new is not kept. All targets run,
# the last lines name those that found something, and the exit status is then 1: libFuzzer's own,
# 77, says elsewhere that something was skipped.
#
# libFuzzer looks for leaks after each input that did not free what it allocated. LeakSanitizer's
# check at exit finds no more, but it also looks at libFuzzer's own threads, and can crash there.
set -euo pipefail

root=$(readlink -f "${BASH_SOURCE[0]%/*}/..")
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}leak_check_at_exit=0
failures=() pids=() cpus=$(nproc)

# fuzz TARGET NAME
fuzz()
{
	local corpora=("$new/$2")

	[[ ! -d $root/tests/fuzz/corpus/$2 ]] || corpora+=("$root/tests/fuzz/corpus/$2")
	mkdir -p "$new/$2"
	cd "$new"
	"$1" -seed=1 -max_total_time=3 -timeout=120 -error_exitcode=1 -rss_limit_mb=1024 \
		-verbosity=0 -print_final_stats=1 "${corpora[@]}"
}

targets=("$@")
for ((i = 0; i < $#; i++)); do
	name=${targets[i]##*/fuzz-}
	# At most as many as there are CPUs: the one that was started that long ago has to end first.
	((i < cpus)) || wait "${pids[i - cpus]}"
	{ (fuzz "${targets[i]}" "$name") >"$new/$name.log" 2>&1 || touch "$new/$name.failed"; } &
	pids[i]=$!
done
wait
for target in "${targets[@]}"; do
	name=${target##*/fuzz-}
	[[ ! -e $new/$name.failed ]] || failures+=("$name")
	echo "== $name"
	# Words that libFuzzer recommends for a dictionary would hide what it found.
	grep -av '# Uses: ' "$new/$name.log" || true
done
((${#failures[@]} == 0)) || { echo "found something: ${failures[*]}"; exit 1; }
