# SPDX-License-Identifier: MIT
# The tokens of C files, without comments and #include lines: calls see(token) for each, in order. To
# be given behind the script that has see(), with another -f.

FNR == 1 { in_comment = 0 }
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
		if (!match(rest, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\/|[A-Za-z_][A-Za-z_0-9]*|[^ \t]/))
			break
		token = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (token == "//")
			break
		if (token == "/*")
			in_comment = 1
		else
			see(token)
	}
}
