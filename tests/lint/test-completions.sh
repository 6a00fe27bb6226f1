#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The completion scripts are in the language of their shells and know every command and option; the
# one for bash completes.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

dir=$BUILD_DIR/completions
[[ -e $dir/xperf.bash ]] || skip "this build makes no completions"
failed=0

# parses FILE SHELL ARGS...: if there is such a shell
parses()
{
	local file=$1

	shift
	if command -v "$1" >/dev/null; then
		"$@" "$file" || { echo "$file: $1 does not take it"; failed=1; }
	else
		echo "$1 is not installed: ${file##*/} not tried"
	fi
}

# bash_completes WORD...: prints what bash offers for the last word
bash_completes()
{
	bash -c '. "$1"; shift
		read -ra how < <(complete -p xperf)
		for ((i = 0; i < ${#how[@]}; i++)); do
			[[ ${how[i]} != -F ]] || function=${how[i + 1]}
		done
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$* COMP_POINT=${#COMP_LINE}
		COMPREPLY=()
		$function xperf "${!#}" "${@: -2:1}"
		printf "%s\n" "${COMPREPLY[@]%% }"' bash "$dir/xperf.bash" "$@"
}

parses "$dir/xperf.bash" bash -n
parses "$dir/_xperf" zsh -n
parses "$dir/xperf.fish" fish --no-execute

for command in $("$XPERF" --list-cmds); do
	bash_completes xperf "${command:0:2}" | grep -x -- "$command" >/dev/null ||
		{ echo "bash does not complete the command $command"; failed=1; }
	while IFS=$'\t' read -r _ long _; do
		long=${long#--}
		[[ $long != - ]] || continue
		for file in xperf.bash _xperf xperf.fish; do
			grep -q -- "$long" "$dir/$file" || { echo "$file: no --$long of $command"; failed=1; }
		done
		bash_completes xperf "$command" "--${long:0:3}" | grep -x -e "--$long=\?" >/dev/null ||
			{ echo "bash does not complete xperf $command --$long"; failed=1; }
	done < <("$XPERF" --list-options "$command")
done
exit $failed
