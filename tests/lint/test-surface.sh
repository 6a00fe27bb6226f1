#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each public function is used by the program, an example or an inline function, or its docstring marks it
# unstable, or it is in the table of those that programs outside need. None is two of these: what the
# program needs is stable.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

# Functions that only programs outside need
outside='version of the library that runs: xp_version_num
ids of samples: xp_sample_id_of
samplers that leave themselves out: xp_evlist_exclude_self
events without strings and lists: xp_evsel_close xp_evsel_open xp_evsel_read
regions that a library keeps for itself: xp_regions_event_name xp_regions_event_reason xp_regions_free
	xp_regions_from_env xp_regions_new xp_regions_walk xp_regions_write
rings of events without lists: xp_ring_map xp_ring_reset xp_ring_skip xp_ring_unmap
formulas without metrics: xp_formula_free xp_formula_parse
self-monitoring by event: xp_self_event_init
symbols without recordings: xp_sdt_walk xp_symbol_find xp_symbols_add_jitdump xp_symbols_add_process
	xp_symbols_open_file
call chains: xp_chain_ends_add xp_unwind_open_file xp_unwind_open_mapped
fields of tracepoints: xp_tracepoint_field_find'

mapfile -t headers < <(sources 'lib/include/xperf/*.h')
mapfile -t users < <(sources 'cli/*.c' 'cli/*.h' 'examples/*.c' 'examples/*.cc')
# What is left of the headers without comments and declarations: inline functions and macros
used=$(cat <(cat "${users[@]}") <(sed -e 's,/\*.*\*/,,' -e '/^\/\*/,/\*\//d' -e '/^XP_API/d' "${headers[@]}") |
	grep -oE '\bxp_[a-z0-9_]+' | sort -u)
unstable=$(sed -n 's/^unstable function .*[ *]\(xp_[a-z0-9_]*\)(.*/\1/p' lib/libxperf.abi)
listed=$(grep -oE '\bxp_[a-z0-9_]+' <<<"$outside" | sort)
failed=0

for name in $(sed -n 's/^\t\t\(xp_[a-z0-9_]*\);/\1/p' lib/libxperf.map); do
	is_used=0 is_listed=0 is_unstable=0
	! grep -qx "$name" <<<"$used" || is_used=1
	! grep -qx "$name" <<<"$listed" || is_listed=1
	! grep -qx "$name" <<<"$unstable" || is_unstable=1
	case $is_used$is_listed$is_unstable in
	000) echo "$name(): nobody uses it: make it private, mark it \"Unstable:\", or add it to the table of $0" ;;
	11* | *11) echo "$name(): used, or marked unstable, and in the table of $0" ;;
	1*1) echo "$name(): marked unstable, but the program or an example needs it" ;;
	*) continue ;;
	esac
	failed=1
done
for name in $listed; do
	grep -q "^		$name;" lib/libxperf.map || { echo "$name(): in the table, not public"; failed=1; }
done
echo "$(wc -l <<<"$listed") functions for programs outside only, $(wc -l <<<"$unstable") unstable"
exit $failed
