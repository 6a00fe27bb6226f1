# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Building quietly and running tests with a closing line; shared by run, test and .ci/run.
# $root is the top of the source tree, set by the script that reads this.

# quietly LOG COMMAND...: output goes to LOG, and from there to stderr if the command fails
quietly()
{
	local log=$1 status=0

	shift
	mkdir -p "${log%/*}"
	"$@" >"$log" 2>&1 </dev/null || status=$?
	((status == 0)) || cat "$log" >&2
	return $status
}

# configure DIR [CMAKE ARGS...]: once; afterwards the build itself notices what has changed
configure()
{
	local dir=$1

	shift
	[[ -e $dir/build.ninja ]] || (cd "${root:?}" && quietly "$dir/configure.log" cmake "$@")
}

# is_outdated PROGRAM: it is not there, or older than a source
is_outdated()
{
	[[ ! -e $1 || -n $(find "$root"/{arch,cli,lib} -newer "$1" -print -quit) ]]
}

# build DIR [TARGETS...]: one build at a time in a directory; a terminal sees what of it is done
build()
{
	local dir=$1

	shift
	(
		exec 9>"$dir/.lock"
		! command -v flock >/dev/null || flock 9
		if [[ -t 2 ]] && is_outdated "$dir/xperf"; then
			ninja -C "$dir" "$@" 9>&- >&2 </dev/null
		else
			quietly "$dir/build.log" ninja -C "$dir" "$@" 9>&-
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

# run_ctest DIR [CTEST ARGS...]: runs the tests; then lists what was skipped and what failed, and why. Sets
# $passed, $failed and $skipped. Returns 0 if none failed.
run_ctest()
{
	local dir=$1 junit=$1/tests.xml around

	shift
	rm -f "$junit"
	sanitizers_prepare "$dir"
	"${around[@]}" ctest --test-dir "$dir" -j$(($(nproc) + 2)) --output-on-failure --no-tests=error \
		--test-output-size-passed 1000000 --output-junit "$junit" "$@" </dev/null || true
	passed=0 failed=1 skipped=0
	[[ -e $junit ]] || return 1
	awk -f "$root/tools/results.awk" "$junit"
	read -r passed failed skipped < <(awk -v counts=1 -f "$root/tools/results.awk" "$junit")
	((failed == 0 && passed + skipped > 0))
}

# closing_line PASSED FAILED SKIPPED
closing_line()
{
	echo "$1 passed, $2 failed, $3 skipped"
}
