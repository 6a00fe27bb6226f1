#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recordings, programs and their debug information, and copies of kallsyms that are cut, replaced or
# grown while they are read: no command crashes or hangs. Each run changes one of them before another
# read; RUNS=20000 makes as many, SEED=2 others.
set -euo pipefail

runs=${RUNS:-130}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work LC_ALL=C
cc=${CC:-cc}
grow=$BUILD_DIR/bench/grow

"$cc" -O1 -shared -fPIC -o change.so "$SOURCE_DIR/tests/live/changing.c" -ldl 2>errors ||
	{ echo "no compiler for what is preloaded: $(head -1 errors)"; exit 77; }
# A sanitizer has to be there before what is preloaded.
preload=$work/change.so
export ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS:-}

mkdir original
cd original
"$grow" symbols 3000 symbols
"$grow" segments 40 lines
"$grow" maps 3000 maps
"$grow" modules 300 modules
"$cc" -g -O2 -o lines.elf "$SOURCE_DIR/tests/data/elf/inlined.c"
for ((i = 0; i < 5000; i++)); do
	printf 'ffffffff81%06x T function_%d\n' $((i * 16)) "$i"
done >kallsyms
for ((i = 0; i < 300; i++)); do
	printf 'ffffffffc0%06x t in_module_%d\t[name_%d]\n' $((i * 4096)) "$i" "$i"
done >>kallsyms
head -c 300000 /dev/urandom >noise
cd ..
mkdir now

commands=(
	'symbols report'
	'symbols script'
	'symbols report -s comm,dso,sym --header'
	'symbols evlist -v'
	'lines report -s srcline'
	'lines script -F ip,sym,srcline'
	'lines report -s sym'
	'maps report -s dso'
	'maps script --show-mmap-events'
	'maps buildid-list'
	'modules report --kallsyms kallsyms'
	'modules script --kallsyms kallsyms'
	'modules report --header-only'
)

failed=0
RANDOM=${SEED:-1}
for ((run = 0; run < runs && failed < 5; run++)); do
	read -ra words <<<"${commands[run % ${#commands[@]}]}"
	recording=${words[0]}
	targets=("$recording")
	[ ! -e "original/$recording.elf" ] || targets+=("$recording.elf" "$recording.elf")
	[ "$recording" != modules ] || targets+=(kallsyms)
	target=${targets[RANDOM % ${#targets[@]}]}
	rm -rf now
	cp -r original now
	size=$(stat -c %s "now/$target")
	export CHANGE_FILE=$work/now/$target CHANGE_AT=$((RANDOM % 12 + 1)) CHANGE_LEN='' CHANGE_BY=''
	case $((RANDOM % 5)) in
	0) CHANGE_LEN=0 ;;
	1) CHANGE_LEN=$(((RANDOM * 32768 + RANDOM) % (size + 1))) ;;
	2) CHANGE_LEN=$((size * 3 + RANDOM)) ;;
	3) CHANGE_BY=$work/original/noise ;;
	4) CHANGE_BY=$work/original/${targets[RANDOM % ${#targets[@]}]} ;;
	esac
	if [ -n "$CHANGE_BY" ]; then unset CHANGE_LEN; else unset CHANGE_BY; fi
	status=0
	(cd now && LD_PRELOAD=$preload timeout 300 "$XPERF" "${words[@]:1}" -i "$recording" >../out 2>../err) || status=$?
	case $status in 124 | 13[2-9] | 99)
		failed=$((failed + 1))
		echo "status $status: ${words[*]:1} -i $recording; $target, read $CHANGE_AT, ${CHANGE_LEN+cut to $CHANGE_LEN}${CHANGE_BY+replaced by $CHANGE_BY}"
		tail -3 err
		;;
	esac
	if grep -q 'AddressSanitizer\|runtime error' err; then
		failed=$((failed + 1))
		echo "${words[*]:1} -i $recording; $target, read $CHANGE_AT, ${CHANGE_LEN+cut to $CHANGE_LEN}${CHANGE_BY+replaced by $CHANGE_BY}"
		grep -m 8 'ERROR\|runtime error\|^    #' err
	fi
done
((!failed))
