# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Builds programs that know their call chains, records them, and judges what a script command prints.
# Sourced; works in the current directory.
truth=${SOURCE_DIR:?}/tests/truth

# The commands that record and print. Another one, such as perf, shows what it makes of the same.
: "${TRUTH_RECORD:=${XPERF:?}}" "${TRUTH_SCRIPT:=$XPERF}"

# Points for page faults: there is one sample of each. "hot" is for samples of the clock, "steps" has
# many, and "exec" ends the program.
common_groups="frames recursion dynamic cold tail jumps callbacks threads vdso vfork signals coroutines assembly jit hot"
# NAME | compiler | its flags | the linker's flags | what: more groups (cxx, library, steps, exec), samples
# of the clock, too (clock), without symbols (strip), with .debug_frame only (debug), from memory
# (memfd), removed before it is judged (gone), with nothing but kinds.c (kinds).
# shellcheck disable=SC2034 # for those who source this
truth_rows='
gcc-O2       | gcc   | -O2 -fomit-frame-pointer             |                         | cxx library steps exec clock
gcc-O0       | gcc   | -O0                                  |                         | cxx library steps
gcc-O3       | gcc   | -O3                                  |                         | cxx library
gcc-Os       | gcc   | -Os -fomit-frame-pointer             |                         | cxx library steps
gcc-lto      | gcc   | -O2 -flto                            | -O2 -flto               | cxx
gcc-cet      | gcc   | -O2 -fcf-protection=full             | -Wl,-z,lazy             | cxx library clock
gcc-bti-pac  | gcc   | -O2 -mbranch-protection=standard     |                         | cxx library clock
gcc-redzone  | gcc   | -O2 -mno-red-zone                    |                         |
gcc-fp       | gcc   | -O2 -fno-omit-frame-pointer          |                         | cxx library steps
clang-O2     | clang | -O2 -fomit-frame-pointer             |                         | cxx library steps exec clock
clang-O0     | clang | -O0                                  |                         | cxx library
clang-O3     | clang | -O3                                  |                         | cxx library
clang-lld    | clang | -O2                                  | -fuse-ld=lld            | library steps
no-pie       | gcc   | -O2 -fno-pie                         | -no-pie                 | cxx library
static       | gcc   | -O2                                  | -static                 | cxx steps
static-pie   | gcc   | -O2 -fPIE                            | -static-pie             | cxx
stripped     | gcc   | -O2                                  |                         | cxx library strip steps exec
no-hdr       | gcc   | -O2                                  | -Wl,--no-eh-frame-hdr   | steps
debug-frame  | gcc   | -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -DCFI_SECTIONS=.debug_frame | | steps
debug-only   | gcc   | -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -DCFI_SECTIONS=.debug_frame | -Wl,-z,norelro | debug
memfd        | gcc   | -O2                                  |                         | memfd
gone         | gcc   | -O2                                  |                         | gone
'

# What the row has that is built, recorded and judged.
what=

has()
{
	[[ " $what " == *" $1 "* ]]
}

# each_truth_row COMMAND...: for each row that TRUTH_ROWS (a regular expression) selects, the command with
# its NAME COMPILER FLAGS LINK_FLAGS, and $what
each_truth_row()
{
	local name compiler flags link

	while IFS='|' read -r name compiler flags link what; do
		read -r name <<<"$name"
		read -r compiler <<<"$compiler"
		[[ ! $name || ! $name =~ ^(${TRUTH_ROWS:-.*})$ ]] ||
			"$@" "$name" "$compiler" "$flags" "$link" </dev/null
	done <<<"$truth_rows"
}

# build_judge: the program "judge"
build_judge()
{
	if [[ ${TRUTH_BUILT-} ]]; then
		cp "$TRUTH_BUILT/judge" .
	else
		"${CC:-cc}" -O1 -D_GNU_SOURCE -o judge "$truth/judge.c"
	fi
}

# symbols_of PATH FILE: lines for judge.c
symbols_of()
{
	# Where programs begin is assembly, whose size may not be said.
	nm -S --defined-only "$2" | awk -v path="$1" '
		NF == 3 && $3 == "_start" { print path, $1, 20, $3 }
		NF == 4 && $3 ~ /[tTwWuU]/ { print path, $1, $2, $4 }'
}

# truth_compile COMPILER FLAGS LINK_FLAGS: with $what
truth_compile()
{
	local compiler=$1 flags=$2 link=$3 linker=$1 sources more=exceptions.cc

	sources=("$truth"/{main,truth,frames,foreign,signals,hot,assembly,jit,jit-dump}.c)
	if has kinds; then
		sources=("$truth"/{main,truth,kinds}.c)
		flags+=" -DTRUTH_KINDS"
		more=kinds-cxx.cc
	fi
	case $("$compiler" -dumpmachine) in
	x86_64*) has kinds || sources+=("$truth/cfi.S") ;;
	aarch64*) has kinds || sources+=("$truth/cfi-arm64.S") ;;
	esac
	[[ $link == *-pie* || $link == *-static* ]] || flags+=" -fPIC"
	# shellcheck disable=SC2086 # flags are words
	if has library; then
		"$compiler" $flags -fPIC -shared "$truth/library.c" -o libtruth.so &&
			cp libtruth.so libloaded.so || return
		flags+=" -DTRUTH_LIBRARY"
		link+=" -rdynamic -L. -Wl,-rpath,\$ORIGIN -ltruth"
	fi
	# shellcheck disable=SC2086
	if has cxx; then
		flags+=" -DTRUTH_CXX"
		linker=${compiler/gcc/g}++
		"$linker" $flags -c "$truth/$more" || return
	fi
	# shellcheck disable=SC2086
	"$compiler" $flags -c "${sources[@]}" && "$linker" $flags ./*.o -o truth $link -pthread || return
	# There is nothing but what the compiler makes for debuggers.
	! has debug || objcopy --remove-section=.eh_frame --remove-section=.eh_frame_hdr truth
}

# truth_build NAME COMPILER FLAGS LINK_FLAGS: the program "truth", its libraries, and "symbols"; what the
# compiler printed is in "log". With TRUTH_BUILT, they are those of its folder NAME
truth_build()
{
	local name=$1

	shift
	rm -f truth lib*.so ./*.o symbols
	if [[ ${TRUTH_BUILT-} ]]; then
		cp "$TRUTH_BUILT/$name"/* . 2>log
		return
	fi
	truth_compile "$@" >log 2>&1 || return
	rm -f ./*.o
	symbols_of main truth >symbols
	if has library; then
		symbols_of libtruth.so libtruth.so >>symbols
		symbols_of libloaded.so libloaded.so >>symbols
	fi
	if has strip; then
		strip -s truth && { ! has library || strip -s lib*.so; }
	fi
}

# truth_runs: the arguments of each run. A run must not be so long that the disk cannot follow: then
# stacks are cut
truth_runs()
{
	local memfd=

	! has memfd || memfd="memfd "
	echo "$memfd$common_groups"
	! has library || echo "${memfd}library dlopen"
	! has cxx || echo "${memfd}exceptions objects"
	# Other machines have no flag for it that a program may set.
	! has steps || [[ $(uname -m) != x86_64 ]] || echo "${memfd}steps"
	! has exec || echo "${memfd}exec"
}

# truth_record SUFFIX OPTIONS... -- ARGUMENTS...: the recording "data.SUFFIX" and directory "points.SUFFIX"
truth_record()
{
	local suffix=$1 options=()

	shift
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	rm -rf "points.$suffix" "data.$suffix"
	mkdir "points.$suffix"
	TRUTH_DIR=points.$suffix TRUTH_LOADED=$PWD/libloaded.so "$TRUTH_RECORD" record -o "data.$suffix" \
		"${options[@]}" ./truth "$@" >log 2>&1
}

# truth_judge SUFFIX OPTIONS...: judge.c on what the script command prints; its exit status
truth_judge()
{
	local suffix=$1 inline=()

	shift
	[[ $("$TRUTH_SCRIPT" version 2>/dev/null) != "perf version"* ]] || inline=(--no-inline)
	"$TRUTH_SCRIPT" script "${inline[@]}" --max-stack 2000 -i "data.$suffix" -F tid,addr,ip,dso \
		>script 2>log
	./judge "$@" symbols "points.$suffix" <script
}

# need_unwinding: the script command prints more than one frame where one function called another
need_unwinding()
{
	what=
	truth_build probe "${CC:-cc}" -O2 "" || skip "$(tail -n 1 log)"
	truth_record probe -e page-faults:u -c 1 -d --call-graph dwarf -- frames || skip "$(tail -n 1 log)"
	"$TRUTH_SCRIPT" script -i data.probe -F ip >script 2>log
	awk '/^\t/ { if (++frames > 1) found = 1; next } { frames = 0 } END { exit !found }' script ||
		skip "no stack was unwound: $(head -n 1 log)"
}
