# SPDX-License-Identifier: MIT
# The string literals of C files, one per line behind FILE:LINE and a tab; neighbours are one literal.

function end()
{
	if (is_open)
		print place "\t" text
	is_open = 0
}

FNR == 1 { end(); in_comment = 0 }
!in_comment && /^[ \t]*#[ \t]*include/ { next }

{
	rest = $0
	while (rest != "") {
		if (in_comment) {
			if (!(at = index(rest, "*/")))
				break
			rest = substr(rest, at + 2)
			in_comment = 0
		}
		if (!match(rest, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|[^ \t]/))
			break
		token = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (token == "/*") {
			in_comment = 1
		} else if (token ~ /^".*"$/ && length(token) > 1) {
			if (!is_open) {
				place = FILENAME ":" FNR
				text = ""
			}
			is_open = 1
			text = text substr(token, 2, length(token) - 2)
		} else {
			end()
		}
	}
}

END { end() }
