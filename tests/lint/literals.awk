# SPDX-License-Identifier: MIT
# The string literals of C files, one per line behind FILE:LINE and a tab; neighbours are one literal. With
# tokens.awk.

function end()
{
	if (is_open)
		print place "\t" text
	is_open = 0
}

FNR == 1 { end() }

function see(token)
{
	if (token !~ /^".*"$/ || length(token) < 2) {
		end()
		return
	}
	if (!is_open) {
		place = FILENAME ":" FNR
		text = ""
	}
	is_open = 1
	text = text substr(token, 2, length(token) - 2)
}

END { end() }
