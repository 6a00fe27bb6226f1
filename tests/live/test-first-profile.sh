#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The first profile that a user makes: programs that note their own stacks (tests/truth/kinds.*), built in
# many ways and started in many, are recorded by record -g, by rules in the kernel and by copies of the
# stack. The table has the shares of chains that are right (the noted stack, to the start of the thread),
# short (the first part of it) and wrong. What is short is not called complete.
# XPERF_TRUTH_PEERS=1 has a column of perf's -g; TRUTH_ROWS names rows (a regular expression).
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
. "$SOURCE_DIR/tests/truth/truth.sh"
# Where rustup keeps compilers.
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
export HOME=$dir XDG_CACHE_HOME=$dir TRUTH_MS=${TRUTH_MS:-200}
need_record
: "${CC:=cc}"
command -v nm >/dev/null || skip "no nm"
build_judge 2>log || skip "$(head -n 1 log)"
"$XPERF" check -q feature dwarf-unwind || skip "copies of stacks cannot be unwound here: no libdw"
what=kinds
truth_build probe "$CC" -O2 "" || skip "nothing can be compiled: $(tail -n 1 log)"

# Each way has its options and the least share of right chains, in percent.
ways="default rules dwarf"
if ! "$XPERF" record -e cpu-clock:u --call-graph rules -o probe true >out 2>err </dev/null ||
	grep -q '^Note: stacks are copied' err; then
	echo "not tried: --call-graph rules: $(grep -m 1 '^Note: stacks are copied' err || head -n 1 err)"
	ways="default dwarf"
fi
peers=
if [[ ${XPERF_TRUTH_PEERS-} ]]; then
	command -v perf >/dev/null && peers=perf || echo "not tried: no perf"
fi

# options_of WAY
options_of()
{
	case $1 in
	default) echo -g ;;
	*) echo "--call-graph $1" ;;
	esac
}

# by_names NOTES CRATE <OUTPUT: as judge.c, of programs whose notes are names, one stack a line. Functions
# that notes know are those of the crate, or of Go's package main
by_names()
{
	awk -v crate="$2" '
		function judged(  first, i, j, n, result, best) {
			starts = last ~ /^(_start|_*clone3?|runtime\.(goexit|mstart|mcall|rt0_go|systemstack|morestack|sigreturn|_?rt0).*)$/ ||
				file ~ /\/ld-[^\/]*$/
			best = nr || !starts ? "short" : "none"
			if (nr)
				best = "wrong"
			for (i = 1; i <= nr_notes && nr; i++) {
				n = split(notes[i], note, " ")
				for (first = 1; first <= n; first++) {
					for (j = 0; j < nr && first + j <= n && chain[j + 1] == note[first + j]; j++)
						;
					if (j < nr)
						continue
					result = first + j > n ? (starts ? "right" : "short") : starts ? "wrong" : "short"
					if (result == "right" || best == "wrong")
						best = result
				}
			}
			sum[best]++
			if (best == "wrong" || best == "short")
				print best ":\n" text
		}
		FNR == NR {
			nr_notes++
			for (i = 1; i <= NF; i++)
				if (crate != "main" || $i ~ /^main\./) {
					known[$i]
					notes[nr_notes] = notes[nr_notes] " " $i
				}
			next
		}
		/^\t/ {
			address = $1
			file = $NF
			gsub(/^\(|\)$/, "", file)
			symbol = $0
			sub(/^[ \t]*[0-9a-f]+ /, "", symbol)
			sub(/ \([^ ]*\)$/, "", symbol)
			last = symbol
			text = text "    " symbol " " file "\n"
			is_ours = crate == "main" ? symbol ~ /^main\./ : index(symbol, crate "::")
			if (crate != "main")
				sub(/.*::/, "", symbol)
			if (is_ours && symbol in known)
				chain[++nr] = symbol
			frames++
			next
		}
		/^$/ {
			if (frames)
				judged()
			frames = nr = 0
			text = ""
		}
		END {
			if (frames)
				judged()
			print "all samples", sum["right"] + 0, sum["short"] + 0, sum["wrong"] + 0, sum["none"] + 0
		}' "$1" -
}

# printed FILE FIELDS: the samples of the program, as judges read them
printed()
{
	local script=("$XPERF" script)

	[[ $1 != data.perf ]] || script=(perf script)
	"${script[@]}" -i "$1" --no-inline --max-stack 2000 --comms "$comm" -F "tid,$2" 2>log |
		sed -E 's/^ *([0-9]+) *$/\1 0/'
}

# judge_run WAY: of the program that ran; its last line has the numbers
judge_run()
{
	if [[ $crate ]]; then
		printed "data.$1" ip,sym,dso | by_names notes "$crate"
	else
		printed "data.$1" ip,dso | ./judge -c -a -v symbols points
	fi >verdict 2>>log
}

# add_cell WAY LEAST WRONG: one result, which has to be as good as that, with at most so many wrong ones;
# empty: it is only shown
add_cell()
{
	local least=$2 right short wrong none total said

	judge_run "$1"
	read -r _ _ right short wrong none < <(tail -n 1 verdict)
	total=$((right + short + wrong))
	if ((!total)); then
		cells+=" | nothing"
		[[ ! $least ]] || { cp verdict out; complain "$name, $1: no chain can be judged"; }
		return
	fi
	cells+=$(awk -v r="$right" -v s="$short" -v w="$wrong" -v t="$total" \
		'BEGIN { printf " | %6.2f %6.2f %5.2f", 100 * r / t, 100 * s / t, 100 * w / t }')
	[[ $least ]] || return 0
	tail -n 60 verdict >out
	((wrong * 100 <= total * ${3:-0})) || complain "$name, $1: $wrong of $total chains have frames that were not there"
	((right * 100 >= total * least)) || complain "$name, $1: $right of $total chains are right, not $least %"
	# Chains of other programs, and of what is before main(), count there, too.
	said=$(sed -nE 's/^Call chains: ([0-9]+) of (the first )?[0-9]+ user call chains? (is|are) complete.*/\1/p' err)
	# Names do not tell two calls of one function apart.
	[[ ! $crate ]] || none=$((none + 2 + total / 200))
	[[ ! ${3-} ]] || none=$((none + wrong))
	[[ ! $said || $others ]] || ((said <= right + none)) ||
		complain "$name, $1: $said chains are called complete, and $right are"
}

# run WAY COMMAND...: record it
run()
{
	local way=$1

	shift
	rm -rf points notes
	mkdir points
	case $way in
	perf) TRUTH_DIR=points NOTES=notes perf record -q -o data.perf -e cpu-clock:u -F 4000 -g "$@" >out 2>err </dev/null ;;
	*)
		# shellcheck disable=SC2046 # words
		TRUTH_DIR=points NOTES=notes record -F 4000 -o "data.$way" $(options_of "$way") $all "$@"
		;;
	esac
}

# row NAME LEAST WAYS COMMAND...: a line of the table. LEAST is a number, then WAY=NUMBER for some ways, and
# wrong=NUMBER: the greatest share of wrong ones, if not none
row()
{
	local name=$1 leasts=$2 wanted=$3 way least wrongs cells='' others=''

	shift 3
	[[ ! $all && $1 == ./"$comm" ]] || others=yes
	wrongs=$(tr ' ' '\n' <<<"$leasts" | sed -n 's/^wrong=//p')
	for way in default rules dwarf $peers; do
		if [[ " $wanted $peers " != *" $way "* || " $ways $peers " != *" $way "* ]]; then
			cells+=" | -                   "
			continue
		fi
		least=$(tr ' ' '\n' <<<"$leasts" | sed -n "s/^$way=//p" | tail -n 1)
		least=${least:-${leasts%% *}}
		[[ $way != perf ]] || least=
		run "$way" "$@"
		add_cell "$way" "$least" "$wrongs"
	done
	printf '%-34s%s\n' "$name" "$cells"
}

# selected NAME
selected()
{
	[[ $1 =~ ^(${TRUTH_ROWS:-.*})$ ]]
}

comm=truth
crate=
all=
printf '%-34s' "right, short, wrong, in percent"
printf ' | %-20s' default rules dwarf $peers
echo

# A kind of stack each, of one program.
what="kinds cxx"
if truth_build kinds gcc "-O2 -fomit-frame-pointer" "" || { what=kinds && truth_build kinds "$CC" -O2 ""; }; then
	kinds="plain deep thread fiber signal elsewhere"
	! has cxx || kinds+=" templates exceptions"
	for kind in $kinds; do
		least=99 longer=1
		case $kind in
		# A copy of the handler's stack has nothing of the other one, and chains end there; by default
		# they are made in the kernel as soon as enough of them did, when its rules are there.
		elsewhere) least="0 rules=50 default=50" longer=6 ;;
		# While libgcc goes to a handler, it writes over the frames that it leaves, and is still in them.
		exceptions) least="97 wrong=3" ;;
		esac
		! selected "$kind" || TRUTH_MS=$((TRUTH_MS * longer)) row "$kind" "$least" "default rules dwarf" ./truth "$kind"
	done
	# Each way to start a program.
	printf 'all:\n\t./truth plain\n' >Makefile
	! selected env || row "through env" 99 default env A=1 ./truth plain
	! selected sh || row "through sh -c" 99 "default rules" sh -c "./truth plain; true"
	! selected timeout || row "through timeout" 99 default timeout 60 ./truth plain
	! selected make || ! command -v make >/dev/null || row "through make" 99 default make -s
	all=-a
	if ! selected all; then
		:
	elif record -a -o probe -- true && [[ $status == 0 ]]; then
		# Other tests may run programs of that name at the same time.
		comm=first$$
		cp truth "$comm"
		row "-a" 99 "default rules" "./$comm" plain
		comm=truth
	else
		echo "not tried: -a: $(head -n 1 err)"
	fi
	all=
	# attached WAY: to a program that waits until it is recorded
	attached()
	{
		local program

		rm -rf points go
		mkdir points
		mkfifo go
		TRUTH_DIR=points ./truth wait plain <go &
		program=$!
		exec 7>go
		# shellcheck disable=SC2046 # words
		start -F 4000 -o "data.$1" $(options_of "$1") -p "$program"
		goes_on
		echo >&7
		exec 7>&-
		wait "$program"
		finish
	}
	if selected pid; then
		cells='' others='' name="-p"
		for way in default rules dwarf; do
			if [[ " $ways " == *" $way "* ]]; then
				attached "$way"
				add_cell "$way" 99
			fi
		done
		printf '%-34s%s\n' "$name" "$cells"
	fi
fi

# NAME | compiler | its flags | the linker's flags | what | least share of right chains
builds='
gcc-O0       | gcc      | -O0                              |                       | kinds | 99
gcc-fp       | gcc      | -O2 -fno-omit-frame-pointer      |                       | kinds | 99
gcc-Os       | gcc      | -Os                              |                       | kinds | 99
clang-O0     | clang    | -O0                              |                       | kinds | 99
clang-O2     | clang    | -O2                              |                       | kinds cxx | 98 wrong=2
clang-fp     | clang    | -O2 -fno-omit-frame-pointer      |                       | kinds | 99
clang-Os     | clang    | -Os                              |                       | kinds | 99
static       | gcc      | -O2                              | -static               | kinds | 99
static-pie   | gcc      | -O2 -fPIE                        | -static-pie           | kinds | 99
stripped     | gcc      | -O2                              |                       | kinds strip | 99
musl         | musl-gcc | -O2                              | -static               | kinds | 99
debug-only   | gcc      | -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables | -Wl,-z,norelro | kinds debug | 99
no-hdr       | gcc      | -O2                              | -Wl,--no-eh-frame-hdr | kinds | 99
no-cfi       | gcc      | -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables |     | kinds | 99
'
while IFS='|' read -r name compiler flags link what least; do
	read -r name <<<"$name"
	read -r compiler <<<"$compiler"
	read -r least <<<"$least"
	[[ $name ]] && selected "$name" || continue
	if ! command -v "$compiler" >/dev/null; then
		echo "not tried: $name: no $compiler"
		continue
	fi
	if ! truth_build "$name" "$compiler" "$flags" "$link"; then
		echo "not tried: $name: it cannot be built: $(grep -m 1 -iE 'error|cannot' log)"
		continue
	fi
	groups="plain deep thread signal"
	! has cxx || groups+=" templates exceptions"
	# shellcheck disable=SC2086 # words
	TRUTH_MS=$((TRUTH_MS / 4)) row "$name" "$least" "default rules" ./truth $groups
done <<<"$builds"

# Programs whose notes are names.
comm=kinds
if ! selected rust; then
	:
elif ! command -v rustc >/dev/null; then
	echo "not tried: rust: no rustc"
elif ! rustc -O -o kinds "$truth/kinds.rs" 2>log; then
	echo "not tried: rust: $(head -n 1 log)"
else
	crate=kinds
	row rust 99 "default rules dwarf" ./kinds
fi
crate=main
for name in go go-stripped; do
	flags=()
	[[ $name == go ]] || flags=("-ldflags=-s -w")
	selected "$name" || continue
	if ! command -v go >/dev/null; then
		echo "not tried: $name: no go"
	elif ! GO111MODULE=off GOCACHE=$dir/go-cache go build "${flags[@]}" -o kinds "$truth/kinds.go" 2>log; then
		echo "not tried: $name: $(head -n 1 log)"
	else
		# What interrupts a function in C or of the kernel's page is on another stack than its callers.
		row "$name" 97 "default rules" ./kinds
	fi
done
exit "$failed"
