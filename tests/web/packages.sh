# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Packages of the npm registry that a lock file names, installed once, into the user's cache. To be sourced.

# npm_packages DIR NAME: those of DIR/package-lock.json; prints where they are. Returns 1, with the reason
# printed instead, where that cannot be done.
npm_packages()
{
	local sum cache log lock

	command -v npm >/dev/null || { echo "npm is not installed"; return 1; }
	sum=$(sha256sum <"$1/package-lock.json")
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/xperf/$2-${sum:0:12}
	if [[ ! -e $cache/complete ]]; then
		mkdir -p "$cache"
		# One at a time; who has waited finds them.
		exec {lock}>"$cache/lock"
		! command -v flock >/dev/null || flock "$lock"
	fi
	if [[ ! -e $cache/complete ]]; then
		cp "$1"/package*.json "$cache"
		log=$(cd "$cache" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund 2>&1) ||
			{ echo "the packages of $2 cannot be fetched: ${log##*$'\n'}"; return 1; }
		touch "$cache/complete"
	fi
	echo "$cache/node_modules"
}
