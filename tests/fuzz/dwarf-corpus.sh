#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# dwarf-corpus.sh DIRECTORY: small programs with their debug information written in many ways, as
# inputs of fuzz-dwarf. Needs gcc, g++, clang, objcopy, dwz and llvm-dwp.
set -euo pipefail

corpus=$(readlink -f "${1:?}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >program.c <<'END'
static inline __attribute__((always_inline)) int inner(volatile int *p, int x) { return *p + x; }
static inline __attribute__((always_inline)) int middle(volatile int *p, int x)
{
	return x > 3 ? inner(p, x) : inner(p, -x) * 2;
}
__attribute__((noinline, cold)) static int unlikely(volatile int *p) { return middle(p, 9); }
__attribute__((section(".text.other"))) int other(volatile int *p) { return middle(p, 7); }
int first(volatile int *p, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += middle(p, i);
	return sum ? sum : unlikely(p) + other(p);
}
END
cat >program.cc <<'END'
namespace space {
template <class T> struct box {
	T value;
	inline __attribute__((always_inline)) T get(T x) const { return value + x; }
	T twice(T x) const;
};
template <class T> T box<T>::twice(T x) const { return get(x) + get(-x); }
enum class kind { one, two };
}
int first(space::box<int> *b, space::kind k) { return k == space::kind::one ? b->twice(1) : b->get(2); }
int other(space::box<long> *b) { return (int)b->twice(3); }
END
cat >second.c <<'END'
static inline __attribute__((always_inline)) int inner(volatile int *p, int x) { return *p - x; }
int second(volatile int *p) { return inner(p, 4) * inner(p, 5); }
END
sections=(info abbrev line str line_str str_offsets addr ranges rnglists cu_index)

# part FILE KIND <BYTES
part()
{
	local len

	cat >bytes
	len=$(stat -c %s bytes)
	((len <= 65535))
	# shellcheck disable=SC2059 # bytes
	printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' "$1" "$2" $((len & 255)) $((len >> 8)))"
	cat bytes
}

# parts_of FILE OBJECT: of each section it has
parts_of()
{
	local i suffix section

	for i in "${!sections[@]}"; do
		for suffix in "" .dwo; do
			section=.debug_${sections[i]}$suffix
			rm -f out
			objcopy -O binary --only-section="$section" --set-section-flags "$section=alloc" \
				"$2" out 2>/dev/null
			[[ ! -s out ]] || part "$1" "$i" <out
		done
	done
}

# addresses_of PROGRAM: each seventh byte of functions
addresses_of()
{
	nm -S --defined-only "$1" | awk 'NF == 4 && $3 ~ /[tTwW]/' |
		while read -r start size _; do
			for ((at = 16#$start; at < 16#$start + 16#$size; at += 7)); do
				printf '%016x' "$at" | tac -rs .. | xxd -r -p
			done
		done | part 0 16
}

# input NAME PROGRAM: what has been built, with the files beside it
input()
{
	{
		parts_of 0 "$2"
		[[ ! -e $2.dwp ]] || parts_of 1 "$2.dwp"
		[[ ! -e only.dwo ]] || parts_of 2 only.dwo
		if [[ -e shared.alt ]]; then
			parts_of 3 shared.alt
			objcopy -O binary --only-section=.gnu_debugaltlink \
				--set-section-flags .gnu_debugaltlink=alloc "$2" out
			part 0 10 <out
		fi
		addresses_of "$2"
	} >"$corpus/$1"
	rm -f ./*.dwo ./*.dwp shared.alt
}

# shellcheck disable=SC2054 # commas of the linker
link=(-nostdlib -static -Wl,-e,0 -Wl,--build-id=none)
for version in 2 3 4 5; do
	gcc -O2 -gdwarf-$version "${link[@]}" -o c program.c second.c
	input "gcc-c-$version" c
done
for version in 4 5; do
	g++ -O2 -gdwarf-$version "${link[@]}" -o cc program.cc
	input "gcc-cc-$version" cc
	g++ -O2 -gdwarf-$version -fdebug-types-section "${link[@]}" -o cc program.cc
	input "types-$version" cc
	gcc -O2 -gdwarf-$version -gsplit-dwarf -c -o only.o program.c
	gcc "${link[@]}" -o c only.o
	input "split-$version" c
	# Of gcc's version 5, neither dwp (2.40) nor llvm-dwp (14) makes a package.
	clang -O2 -gdwarf-$version -gsplit-dwarf -c -o one.o program.c
	clang -O2 -gdwarf-$version -gsplit-dwarf -c -o two.o second.c
	gcc "${link[@]}" -o c one.o two.o
	timeout 10 llvm-dwp -e c -o c.dwp
	rm -f ./*.dwo
	input "package-$version" c
	clang -O2 -gdwarf-$version "${link[@]}" -o c program.c second.c
	input "clang-c-$version" c
	gcc -O2 -gdwarf-$version "${link[@]}" -o c program.c second.c
	cp c same
	if dwz -m shared.alt -M shared.alt c same 2>/dev/null; then
		input "dwz-$version" c
	fi
done
clang -O2 -gdwarf-5 -gdwarf64 "${link[@]}" -o c program.c
input clang-wide c
gcc -O2 -gdwarf-5 "${link[@]}" -o c program.c second.c
input paged c
printf '\x00\x12\x00\x00' >>"$corpus/paged"
cp "$corpus/gcc-c-5" "$corpus/swapped"
printf '\x00\x11\x00\x00' >>"$corpus/swapped"
