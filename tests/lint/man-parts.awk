# SPDX-License-Identifier: MIT
# Prints a man page with those parts filled in that are made of sources: lists of functions, from the
# docstrings of headers, and examples.

# A line as it stands, in mdoc.
function literal(line)
{
	gsub(/\\/, "\\e", line)
	return line ~ /^[.']/ ? "\\&" line : line
}

# "xp_noun_verb - what it does", out of a docstring joined to one line
function summary(doc, name,  text)
{
	text = substr(doc, index(doc, name " - ") + length(name) + 3)
	sub(/ \*\/.*/, "", text)
	sub(/(  |\. |: [A-Z]|\.$).*/, "", text)
	gsub(/@/, "", text)
	sub(/[; ]+$/, "", text)
	gsub(/\\/, "\\e", text)
	return text
}

function functions_of(header,  path, line, doc, in_doc, name)
{
	path = "lib/include/xperf/" header ".h"
	while ((getline line < path) > 0) {
		if (line ~ /^\/\*\*/) {
			doc = ""
			in_doc = 1
		}
		if (in_doc) {
			in_doc = line !~ /\*\//
			sub(/^ ?\/?\*+\/? ?/, "", line)
			# A parameter ends the sentence before it.
			doc = doc (line == "" || line ~ /^@[a-z_]+[:,]/ ? "  " : "") line " "
			continue
		}
		if (line !~ /^(XP_API|static inline) / || !index(doc, " - "))
			continue
		name = line
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		if (!index(doc, name " - "))
			continue
		print ".It Fn " name
		print summary(doc, name)
		doc = ""
	}
	close(path)
}

function functions(headers,  names, nr, i)
{
	nr = split(headers, names, " ")
	print ".Bl -tag -width Ds -compact"
	for (i = 1; i <= nr; i++)
		functions_of(names[i])
	print ".El"
}

function example(path,  line, first)
{
	print ".Bd -literal"
	first = 1
	while ((getline line < path) > 0) {
		if (!first)
			print literal(line)
		first = 0
	}
	close(path)
	print ".Ed"
}

/^\.\\" end of (functions|example)$/ { inside = 0 }
!inside { print }
/^\.\\" functions of / { inside = 1; functions(substr($0, 17)) }
/^\.\\" examples\// { inside = 1; example(substr($0, 5)) }
