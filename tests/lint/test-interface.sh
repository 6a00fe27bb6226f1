#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lib/libxperf.abi is the binary interface of the headers: a change of it is seen in review. The
# comparison with an older one notices what breaks programs, and nothing else.
#
# REFRESH=1 writes what there is now.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool python3
[[ $(getconf LONG_BIT) == 64 ]] || skip "the interface is described for machines of 64 bits"

stored=lib/libxperf.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/interface.py >"$work/now"
[[ -z ${REFRESH:-} ]] || cp "$work/now" $stored
diff -u $stored "$work/now" || { echo "the interface changed; REFRESH=1 $0 stores it"; exit 1; }

failed=0
cat >"$work/old" <<'END'
function int xp_a(int x)
function int xp_b(void)
unstable function int xp_c(void)
struct xp_opts size 24 align 8
	0 8 size_t size
	8 8 uint64_t x
	16 8 uint64_t y
struct xp_fixed size 16 align 8
	0 4 uint32_t x
	4 4 uint32_t reserved
	8.0:1 8 uint64_t bit : 1
	8.1:63 8 uint64_t reserved_1 : 63
struct xp_outer size 32 align 8
	0 8 uint64_t x
	8 24 struct xp_opts opts
struct xp_symbol size 16 align 8
	0 8 const char *name
	8 8 uint64_t address
struct xp_line size 16 align 8
	0 8 const char *name
	8 8 uint64_t line
enum xp_e
	XP_E_A 0
	XP_E_B 1
	XP_E_NR_KINDS 2
END

# compares RESULT SCRIPT: whether the text above, changed by sed, still serves programs
compares()
{
	local result=fine

	sed -e "$2" "$work/old" >"$work/new"
	! cmp -s "$work/old" "$work/new" || { echo "changes nothing: $2"; failed=1; }
	tools/interface.py compare "$work/old" "$work/new" >"$work/faults" || result=breaks
	[[ $result == "$1" ]] || { echo "should be \"$1\": $2"; cat "$work/faults"; failed=1; }
}

compares fine '1a function int xp_new(void)'
compares fine 's/^unstable function int xp_c/unstable function long xp_c/'
compares fine '/xp_c/d'
compares fine 's/unstable //'
compares fine 's/xp_opts size 24/xp_opts size 32/; /uint64_t y/a \	24 8 uint64_t z'
compares fine 's/xp_outer size 32/xp_outer size 40/; s/8 24 struct xp_opts/8 32 struct xp_opts/'
compares fine 's/uint32_t reserved/uint32_t z/'
compares fine 's/8.1:63 8 uint64_t reserved_1 : 63/8.1:1 8 uint64_t z : 1/'
compares fine '/XP_E_B/a \	XP_E_C 2'
compares fine 's/XP_E_NR_KINDS 2/XP_E_NR_KINDS 3/; /XP_E_B/a \	XP_E_C 2'
compares fine 's/xp_symbol size 16/xp_symbol size 24/; /uint64_t address/a \	16 8 uint64_t z'
compares breaks '/xp_a/d'
compares breaks 's/xp_a(int x)/xp_a(long x)/'
compares breaks 's/function int xp_b/function long xp_b/'
compares breaks '/uint64_t y/d'
compares breaks 's/8 8 uint64_t x/8 8 int64_t x/'
compares breaks 's/xp_opts size 24/xp_opts size 32/; s/16 8 uint64_t y/24 8 uint64_t y/'
compares breaks 's/xp_opts size 24/xp_opts size 16/'
compares breaks 's/xp_fixed size 16/xp_fixed size 24/'
compares breaks 's/xp_fixed size 16 align 8/xp_fixed size 16 align 16/'
compares breaks 's/8.0:1 8 uint64_t bit/8.1:1 8 uint64_t bit/'
compares breaks '/uint32_t x/a \	2 2 uint16_t z'
compares breaks 's/XP_E_B 1/XP_E_B 2/'
compares breaks 's/XP_E_NR_KINDS 2/XP_E_NR_KINDS 1/'
compares breaks 's/xp_symbol size 16/xp_symbol size 24/; s/8 8 uint64_t address/16 8 uint64_t address/'
compares breaks 's/xp_line size 16/xp_line size 24/; /uint64_t line/a \	16 8 uint64_t z'
compares breaks '/XP_E_A/d'
compares breaks '/struct xp_fixed/,/reserved_1/d'
echo "$(grep -c '^\(unstable \)\?function ' $stored) functions, $(grep -c '^struct' $stored) structs"
exit $failed
