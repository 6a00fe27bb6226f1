# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Building quietly and running tests with a closing line; shared by run, test and .ci/run.
# $root is the top of the source tree, set by the script that reads this.

# Sums of run_ctest.
passed=0 failed=0 skipped=0

# quietly LOG COMMAND...: output goes to LOG; if the command fails, the end of it goes to stderr
quietly()
{
	local log=$1 status=0

	shift
	mkdir -p "${log%/*}"
	"$@" >"$log" 2>&1 </dev/null || status=$?
	((status == 0)) || { tail -n 40 "$log"; echo "failed: $log"; } >&2
	return $status
}

# configure DIR [CMAKE ARGS...]: once; afterwards the build itself notices what has changed
configure()
{
	local dir=$1 launcher=()

	shift
	# Build directories that differ in little share what was compiled.
	! command -v ccache >/dev/null || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
	[[ -e $dir/build.ninja ]] || (cd "${root:?}" && quietly "$dir/configure.log" cmake "$@" "${launcher[@]}")
}

# is_outdated PROGRAM: it is not there, or older than a source
is_outdated()
{
	[[ ! -e $1 || -n $(find "$root"/{arch,cli,lib} -newer "$1" -print -quit) ]]
}

# build DIR [TARGETS...]: one build at a time in a directory. A terminal sees what of it is done; elsewhere there
# is a line at its begin and one at its end, where there is something to build.
build()
{
	local dir=$1 start=$SECONDS howlong="up to some minutes"

	shift
	(
		exec 9>"$dir/.lock"
		! command -v flock >/dev/null || flock 9
		if ! is_outdated "$dir/xperf"; then
			quietly "$dir/build.log" ninja -C "$dir" "$@" 9>&-
		elif [[ -t 2 ]]; then
			ninja -C "$dir" "$@" 9>&- >&2 </dev/null
		else
			[[ ! -e $dir/xperf ]] || howlong="what has changed"
			echo "building in ${dir#"$root/"}: $howlong; log: $dir/build.log" >&2
			quietly "$dir/build.log" ninja -C "$dir" "$@" 9>&-
			echo "built in $((SECONDS - start)) s" >&2
		fi
	)
}

# What the sanitizers need to work where we are. Sets $around, words to put before ctest.
sanitizers_prepare()
{
	local dir=$1 probe

	around=()
	probe=$("$dir/xperf" version 2>&1 </dev/null) || true
	if [[ $probe == *"LeakSanitizer has encountered a fatal error"* ]]; then
		echo "ptrace(2) is forbidden here: tests run without leak detection" >&2
		export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	fi
	# Shadow memory of older compilers collides with mappings placed by more than 28 random bits.
	if [[ $(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28) -gt 28 ]] &&
		setarch -R true 2>/dev/null; then
		around=(setarch -R)
	fi
}

# each_minute DIR: how many tests have run; ctest writes a line when one begins, and one with its number of all
# when it has ended
each_minute()
{
	local ended

	while sleep 60 >/dev/null 2>&1; do
		ended=$(grep -E '^ *[0-9]+/[0-9]+ Test ' "$1/ctest.log" | tail -n 1)
		[[ -z $ended ]] || echo "$(sed -E 's,^ *([0-9]+)/([0-9]+) .*,\1 of \2,' <<<"$ended") tests have run" >&2
	done
}

# run_ctest DIR [CTEST ARGS...]: runs the tests; then lists what was skipped and what failed, and why. Adds to
# $passed, $failed and $skipped. Returns 0 if none failed. A terminal sees each test; elsewhere it is a line a minute.
run_ctest()
{
	local dir=$1 junit=$1/tests.xml around command watch p f s

	shift
	rm -f "$junit"
	sanitizers_prepare "$dir"
	command=("${around[@]}" ctest --test-dir "$dir" -j$(($(nproc) + 2)) --output-on-failure --no-tests=error
		--test-output-size-passed 1000000 --output-junit "$junit" "$@")
	if [[ -t 1 ]]; then
		"${command[@]}" </dev/null || true
	else
		: >"$dir/ctest.log"
		each_minute "$dir" &
		watch=$!
		"${command[@]}" </dev/null >"$dir/ctest.log" 2>&1 || true
		kill "$watch" 2>/dev/null || true
		wait "$watch" 2>/dev/null || true
	fi
	if [[ ! -e $junit ]]; then
		[[ -t 1 ]] || tail -n 40 "$dir/ctest.log"
		failed=$((failed + 1))
		return 1
	fi
	awk -f "$root/tools/results.awk" "$junit"
	read -r p f s < <(awk -v counts=1 -f "$root/tools/results.awk" "$junit")
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	((f == 0 && p + s > 0))
}

# must_have_run DIR: no test of tests/live/must-run.txt was skipped, where the machine has what they need
must_have_run()
{
	local dir=$1 BUILD_DIR=$1 what why missed

	# shellcheck source=tests/machine.sh
	. "$root/tests/machine.sh"
	for what in root events system-wide tracefs bpf perf; do
		machine_has "$what" || { echo "live tests may be skipped here: $why"; return 0; }
	done
	missed=$(awk -f "$root/tools/results.awk" "$dir/tests.xml" | sed '/^Failed:/,$d' | grep -v ': in part: ' |
		sed -n 's,^  live/\([^:]*\):.*,\1,p' | grep -xF -f <(grep -v '^#' "$root/tests/live/must-run.txt")) || return 0
	sed 's,^,has to run on this machine\, and was skipped: live/,' <<<"$missed"
	return 1
}

# closing_line PASSED FAILED SKIPPED
closing_line()
{
	echo "$1 passed, $2 failed, $3 skipped"
}
