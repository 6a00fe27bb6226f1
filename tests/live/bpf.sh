# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests of what BPF counts: the program "work" of bpf-work.c in the working directory, and
# what is said of counts beside those of ordinary counting.
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
: "${XPERF:?}"
export LC_ALL=C

failed=0
fail()
{
	echo "$*"
	# shellcheck disable=SC2034 # for the tests
	failed=1
}

# Processes of a test, which are killed at its end.
started=()

# own_folder: the test works in a folder of its own, which is removed at the end
own_folder()
{
	own_folder=$(mktemp -d)
	trap leave_folder EXIT
	cd "$own_folder" || exit 1
}

leave_folder()
{
	((${#started[@]} == 0)) || { kill -9 "${started[@]}"; wait "${started[@]}"; } 2>/dev/null
	rm -rf "$own_folder"
}

# need_bpf: xperf may count by BPF, and "work" is there
need_bpf()
{
	local why

	why=$("$XPERF" stat --bpf-counters -e page-faults -o /dev/null -- true 2>&1) ||
		skip "BPF cannot count here: $(head -n 1 <<<"$why")"
	"${CC:-cc}" -O1 -pthread -o work "$SOURCE_DIR/tests/live/bpf-work.c" 2>errors ||
		skip "no program can be made: $(head -n 1 errors)"
}

# Each counted twice, by BPF, too.
# shellcheck disable=SC2034 # for the tests
pairs=page-faults,page-faults:b,context-switches,context-switches:b,task-clock,task-clock:b

# alike FILE: lines of -x, --pairs-- of one row: each second one counts what the first does. BPF is
# told of switches by an event that the kernel may leave out for a moment, so that some switches
# are added to the wrong task; counts that are wrong differ by more.
alike()
{
	awk -F, '
		/^#|^$/ { next }
		{ name = $3; sub(/:b$/, "", name); row = $4 ~ /^[0-9.]+$/ ? "" : $4; key = name " " row }
		$3 !~ /:b$/ { value[key] = $1 + 0; next }
		{
			pairs++
			slack = name == "page-faults" ? 100 + value[key] / 50 : 200 + value[key]
			delta = $1 - value[key]
			if (delta > slack || -delta > slack) {
				print key ": " value[key] ", by BPF " $1
				bad = 1
			}
		}
		END { if (!pairs) print "nothing was counted twice"; exit bad || !pairs }
	' "$1"
}

# at_least FILE NAME ROW MIN: the count of an event
at_least()
{
	awk -F, -v name="$2" -v row="$3" -v min="$4" '
		$3 == name && (row == "" || $4 == row) { found = $1 }
		END { if (found + 0 < min) { print name " " row ": " found " instead of " min; exit 1 } }
	' "$1"
}

# programs_of PID: the ids of BPF programs that a process holds
programs_of()
{
	sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$1/fdinfo/"* 2>/dev/null | sort -u
}

# gone IDS...: within two minutes; the kernel frees programs late
gone()
{
	for _ in {1..1200}; do
		[[ $(./work alive "$@") ]] || return 0
		sleep 0.1
	done
	return 1
}
