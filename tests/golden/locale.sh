# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# A locale with a comma in numbers and groups of digits. To be sourced.

# comma_locale DIR: makes it there and exports LOCPATH and LC_ALL; else no_comma says why not
comma_locale()
{
	no_comma=
	command -v localedef >/dev/null || no_comma="localedef is not installed: no decimal comma"
	[[ $no_comma ]] || localedef -i de_DE -f UTF-8 "$1/de_DE.UTF-8" 2>/dev/null ||
		[[ -e $1/de_DE.UTF-8/LC_NUMERIC ]] || no_comma="the source of the locale de_DE is missing: no decimal comma"
	# A shell may look for it elsewhere, and says so.
	[[ $no_comma ]] || { export LOCPATH=$1 LC_ALL=de_DE.UTF-8; } 2>/dev/null
}
