# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What scripts of measurements share. To be sourced.

# needs COMMAND REASON: ends the script where it is not installed
needs() {
	command -v "$1" >/dev/null || { echo "${0##*/}: '$1' is not installed: $2" >&2; exit 1; }
}

needs_root() {
	[ "$(id -u)" = 0 ] || { echo "${0##*/}: needs root" >&2; exit 1; }
}

# column N: of what bench/turns prints, in one line
column() { cut -f"$1" | paste -sd' '; }

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else print "-" }'; }
