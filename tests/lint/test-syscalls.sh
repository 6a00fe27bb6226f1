#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The numbers of system calls are those of the kernel's headers on this machine. Headers that are
# newer or older have other calls, but no other numbers.
set -euo pipefail
table=$SOURCE_DIR/cli/syscalls/syscall-numbers.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# of_table COLUMN: "name number" of a machine, 1: x86-64, 2: i386, 3: arm64
of_table()
{
	sed -n 's/^\t{ "\([a-z0-9_]*\)", { \(.*\) } },$/\1 \2/p' "$table" | tr -d , |
		awk -v column="$1" '$(column + 1) != "NONE" { print $1, $(column + 1) }' | LC_ALL=C sort
}

# of_headers HEADER [LINE...]: the same, of a header and what is defined before it
of_headers()
{
	local header=$1
	shift
	printf '%s\n' "$@" "#include <$header>" | "${CC:-cc}" -E -dM - 2>/dev/null | awk '
		$2 ~ /^__NR3264_/ { shared[$2] = $3 }
		$2 ~ /^__NR_/ { number[substr($2, 6)] = $3 }
		END {
			for (name in number) {
				n = number[name] in shared ? shared[number[name]] : number[name]
				if (n ~ /^[0-9]+$/ && name != "syscalls" && name != "arch_specific_syscall")
					print name, n
			}
		}' | LC_ALL=C sort
}

compared=0 failed=0
# compare COLUMN HEADER [LINE...]
compare()
{
	of_table "$1" >"$work/table"
	shift
	of_headers "$@" >"$work/headers" || true
	[[ -s $work/headers ]] || { echo "no $1 here"; return 0; }
	LC_ALL=C join "$work/table" "$work/headers" | awk '$2 != $3' >"$work/wrong"
	[[ ! -s $work/wrong ]] ||
		{ echo "$1 has other numbers (name, ours, its):"; cat "$work/wrong"; failed=1; }
	compared=$((compared + $(LC_ALL=C join "$work/table" "$work/headers" | wc -l)))
}

compare 1 asm/unistd_64.h
compare 2 asm/unistd_32.h
compare 3 asm-generic/unistd.h '#include <asm/bitsperlong.h>' '#define __ARCH_WANT_RENAMEAT' \
	'#define __ARCH_WANT_NEW_STAT' '#define __ARCH_WANT_SET_GET_RLIMIT' \
	'#define __ARCH_WANT_SYS_CLONE3' '#define __ARCH_WANT_MEMFD_SECRET'
((compared)) || { echo "skipped: there are no headers of the kernel"; exit 77; }

# One name, one row; one number, one name.
LC_ALL=C sort -c <(sed -n 's/^\t{ "\([a-z0-9_]*\)".*/\1/p' "$table") || failed=1
for column in 1 2 3; do
	twice=$(of_table "$column" | cut -d' ' -f2 | sort | uniq -d)
	[[ -z $twice ]] || { echo "column $column has numbers twice: $twice"; failed=1; }
done
echo "$compared numbers compared"
exit "$failed"
