#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lines and inlined functions of random code addresses are those that addr2line and llvm-symbolizer
# find, whatever way the debug information is written; and what dwz, split DWARF and packages do to it
# changes nothing. What those two get wrong is listed in tests/data/lines-differences.tsv.
# XPERF_TEST_ALL=1 compares 20,000 addresses each.
set -euo pipefail

skip() { echo "skipped: $1"; exit 77; }
for tool in python3 gcc g++ readelf nm; do
	command -v "$tool" >/dev/null || skip "no $tool"
done
"$XPERF" check -q feature dwarf || skip "built without libelf"
number=1000
[ -z "${XPERF_TEST_ALL:-}" ] || number=20000
sources=$SOURCE_DIR/tests/live/lines
lines_of=$BUILD_DIR/tests/lines-of
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
failed=0 compared=0

# build DIR CC CXX FLAGS...: one program in C, one in C++; fails where the compiler lacks something
build()
{
	local dir=$1 cc=$2 cxx=$3
	shift 3
	mkdir -p "$dir"
	(cd "$dir" && "$cc" "$@" -c -o one.o "$sources/program.c" &&
		"$cc" "$@" -DSECOND -c -o two.o "$sources/program.c" && "$cc" "$@" -o c one.o two.o &&
		"$cxx" "$@" -o cc "$sources/program.cc") >errors 2>&1
}

# compare VARIANT TRUTH...: each program with each of them
compare()
{
	local variant=$1 truth file
	shift
	for truth; do
		if [[ $truth != */* ]]; then
			command -v "$truth" >/dev/null || { echo "$variant: no $truth"; continue; }
			! grep -q "^$variant	$truth	" "$SOURCE_DIR/tests/data/lines-differences.tsv" || continue
		fi
		for file in c cc; do
			[ -f "$variant/$file" ] || continue
			status=0
			python3 "$sources/compare.py" "$lines_of" "$variant/$file" $number \
				"${truth/%\//\/$file}" >said 2>&1 || status=$?
			case $status in
			0) compared=$((compared + 1)) ;;
			77) echo "$variant/$file: $(tail -1 said)" ;;
			*) echo "$variant/$file:" && cat said && failed=1 ;;
			esac
		done
	done
}

while read -r variant cc cxx flags; do
	command -v "$cc" >/dev/null && command -v "$cxx" >/dev/null || { echo "$variant: no $cxx"; continue; }
	# shellcheck disable=SC2086
	build "$variant" "$cc" "$cxx" $flags || { echo "$variant: $(head -1 errors)"; continue; }
	compare "$variant" addr2line llvm-symbolizer
done <<'END'
dwarf3 gcc g++ -O2 -g -gdwarf-3
dwarf4 gcc g++ -O2 -g -gdwarf-4
dwarf5 gcc g++ -O2 -g -gdwarf-5
types4 gcc g++ -O2 -g -gdwarf-4 -fdebug-types-section
types5 gcc g++ -O2 -g -gdwarf-5 -fdebug-types-section
split4 gcc g++ -O2 -g -gdwarf-4 -gsplit-dwarf
split5 gcc g++ -O2 -g -gdwarf-5 -gsplit-dwarf
lto gcc g++ -O2 -g -flto
sections gcc g++ -O3 -g -ffunction-sections
o0 gcc g++ -O0 -g
packed gcc g++ -O2 -g -gz
clang4 clang clang++ -O2 -gdwarf-4
clang5 clang clang++ -O2 -g
clangsplit clang clang++ -O2 -g -gsplit-dwarf
END
# The same program, with its debug information elsewhere.
mkdir -p dwz common dwp4
if command -v dwz >/dev/null; then
	for file in c cc; do
		cp "dwarf4/$file" dwz && (dwz "dwz/$file" 2>errors || rm "dwz/$file")
		cp "dwarf4/$file" common
	done
	compare dwz dwarf4/
	# Another program with the same types, so that there is something in common.
	cp common/c common/same
	(cd common && dwz -m shared -M ./shared c same 2>errors) || rm -f common/c
	rm -f common/cc
	[ ! -s common/shared ] || compare common dwarf4/
fi
if command -v dwp >/dev/null; then
	for file in c cc; do
		cp "split4/$file" dwp4 &&
			(cd split4 && timeout 20 dwp -e "$file" -o "../dwp4/$file.dwp" 2>errors) || rm -f "dwp4/$file"
	done
	rm -f split4/*.dwo
	compare dwp4 dwarf4/
fi
[ $compared -gt 0 ] || skip "nothing to compare with"
echo "$compared programs compared"
exit $failed
