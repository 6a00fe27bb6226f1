#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The page of reports that is checked in is what its sources make: types are right, and the bundle has
# the same bytes. Needs npm and its registry.
set -euo pipefail

web=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../web

skip()
{
	echo "$*"
	exit 77
}

command -v npm >/dev/null || skip "npm is not installed"
cd "$web"
npm ci --no-audit --no-fund || skip "the packages of web/package-lock.json cannot be fetched"
npm run check
npm run build -- --check
