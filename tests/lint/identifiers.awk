# SPDX-License-Identifier: MIT
# Identifiers of C files, without those of comments and literals, that have a private word: FILE:LINE, a
# tab, the identifier, what to write instead. The first file is the table of words. With tokens.awk.

NR == FNR {
	if ($0 !~ /^#/) {
		split($0, row, "\t")
		instead[row[1]] = row[2]
	}
	next
}

function see(token)
{
	if (token ~ /^[A-Za-z_]/)
		check(token)
}

# A word of the table is whole between underscores; one that ends in '_' begins a name, without the
# library's prefix, one that begins with '_' ends it.
function check(token, name, words, nr, i)
{
	if (token in clean)
		return
	name = tolower(token)
	sub(/^xp_/, "", name)
	nr = split(name, words, "_")
	for (i = 1; i <= nr; i++)
		if (words[i] in instead)
			return fault(token, instead[words[i]])
	if (nr > 1 && (words[1] "_") in instead)
		return fault(token, instead[words[1] "_"])
	if (nr > 1 && ("_" words[nr]) in instead)
		return fault(token, instead["_" words[nr]])
	if (nr == 1 && (name "_") in instead)
		return fault(token, instead[name "_"])
	clean[token]
}

function fault(token, what)
{
	print FILENAME ":" FNR "\t" token "\tinstead: " what
}
