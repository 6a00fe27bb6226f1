#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A public structure begins with its size, or tests/lint/structs.txt says why it need not. Those that
# programs have variables of keep the bytes of that table, which nothing refreshes: another number
# there breaks programs that are built already.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

mapfile -t headers < <(sources 'lib/include/xperf/*.h')
awk '
	function complain(text) { print text; failed = 1 }
	FILENAME == "tests/lint/structs.txt" { if (!/^#/) { kind[$2] = $1; bytes[$2] = $3 }; next }
	FILENAME == "lib/libxperf.abi" { if ($1 == "struct") is[$2] = $4; next }
	/^struct xp_[a-z0-9_]+ \{/ { name = $2; first = 1; next }
	/^}/ { name = "" }
	!name || !first { next }
	/^\t(\/\*| \*)/ { next }
	{ first = 0; nr++ }
	/^\tsize_t size;/ {
		if (name in kind)
			complain("struct " name " begins with its size: remove it from tests/lint/structs.txt")
		next
	}
	!(name in kind) {
		complain(FILENAME ": struct " name " does not begin with its size, and tests/lint/structs.txt does not say why")
		next
	}
	{ found[name] = 1 }
	kind[name] == "complete" && bytes[name] != is[name] {
		complain("struct " name " has " is[name] " bytes, programs were promised " bytes[name])
	}
	END {
		for (name in kind)
			if (!(name in found))
				complain("tests/lint/structs.txt: there is no struct " name)
		print nr " structures"
		exit failed
	}' tests/lint/structs.txt lib/libxperf.abi "${headers[@]}"
