# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For the lint scripts: which files there are, how to skip, how to end.
cd "${SOURCE_DIR:?}" || exit 1

# sources [PATHSPEC...]: files of the project that exist, tracked or about to be
sources()
{
	if git -c safe.directory='*' rev-parse --git-dir >/dev/null 2>&1; then
		git -c safe.directory='*' ls-files -co --exclude-standard -- "$@" | while read -r file; do
			[[ ! -f $file ]] || echo "$file"
		done
	else
		skip "not a git checkout: the list of files is unknown"
	fi
}

skip()
{
	echo "$*"
	exit 77
}

# tool NAME: the test is skipped without it
tool()
{
	command -v "$1" >/dev/null || skip "$1 is not installed"
}
