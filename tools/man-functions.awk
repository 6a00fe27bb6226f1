# SPDX-License-Identifier: MIT
# Makes a man page for each function that has a docstring: awk -v dir=DIR -f tools/man-functions.awk
# man/*.3 lib/include/xperf/*.h. The pages of section 3 list the headers of their family.

# Text as mdoc has it, parameters and functions in their fonts, one sentence per line
function marked(text,  out, word)
{
	gsub(/\\/, "\\e", text)
	gsub(/^ +| +$/, "", text)
	gsub(/  +/, " ", text)
	while (match(text, /@[a-z_][a-z_0-9]*|xp_[a-z0-9_]+\(\)|-E[A-Z0-9]+|[.?!]\)? [A-Z"(<@]/)) {
		word = substr(text, RSTART, RLENGTH)
		out = out substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		if (word ~ /^@/) {
			out = out "\\fI" substr(word, 2) "\\fP"
		} else if (word ~ /^-/) {
			out = out "\\" word
		} else if (word ~ /^xp_/) {
			out = out "\\fB" substr(word, 1, length(word) - 2) "\\fP()"
		} else {
			out = out substr(word, 1, length(word) - 2) "\n"
			text = substr(word, length(word)) text
		}
	}
	return (out text ~ /^['.]/ ? "\\&" : "") out text "\n"
}

# Sets summary, sentence (the same for a page that has nothing else to say) and the blocks of a
# docstring: kind[] is text, tail (directly after a list), param or error; label[], block[].
function parse_doc(name, doc,  lines, nr, i, line, first, now)
{
	nr = split(doc, lines, "\n")
	nr_blocks = 1
	kind[1] = now = "text"
	block[1] = ""
	for (i = 1; i <= nr; i++) {
		line = lines[i]
		if (line == "") {
			kind[++nr_blocks] = now = "text"
			block[nr_blocks] = ""
		} else if (line ~ /^@[a-z_0-9]+(, @[a-z_0-9]+)*:/ || line ~ /^ +-E[A-Z0-9]/) {
			kind[++nr_blocks] = now = line ~ /^@/ ? "param" : "error"
			if (now == "param")
				match(line, /^[^:]*:/)
			else
				match(line, /-E[A-Z0-9]+(, -E[A-Z0-9]+)*/)
			label[nr_blocks] = substr(line, RSTART, RLENGTH)
			block[nr_blocks] = substr(line, RSTART + RLENGTH)
		} else if (now != "text" && line !~ /^ /) {
			kind[++nr_blocks] = now == "error" ? "tail" : "text"
			now = "text"
			block[nr_blocks] = line
		} else {
			block[nr_blocks] = block[nr_blocks] " " line
		}
	}
	first = substr(block[1], index(block[1], name " - ") + length(name) + 3)
	block[1] = ""
	if (match(first, /[.:] [A-Z@]|\. *$/)) {
		block[1] = substr(first, RSTART + 2)
		first = substr(first, 1, RSTART - 1)
	}
	sentence = first
	sub(/[ .]+$/, "", sentence)
	if (sentence !~ /^xp_/)
		sentence = toupper(substr(sentence, 1, 1)) substr(sentence, 2)
	sentence = sentence "."
	gsub(/@/, "", first)
	gsub(/\\/, "\\e", first)
	sub(/[ .]+$/, "", first)
	summary = first
}

# Sets description, parameters, results, errors, tail: what the page shows. Errors behind a paragraph
# that does not say what this function returns are those of others, and belong to the description.
function sort_blocks(  i, text, at, is_own, in_list)
{
	description = parameters = results = errors = tail = ""
	is_own = 1
	for (i = 1; i <= nr_blocks; i++) {
		text = block[i]
		if (in_list && kind[i] != "error") {
			description = description ".El\n"
			in_list = 0
		}
		if (kind[i] == "param") {
			gsub(/[@:]/, "", label[i])
			gsub(/,/, " ,", label[i])
			parameters = parameters ".It Fa " label[i] "\n" marked(text)
		} else if (kind[i] == "error") {
			gsub(/-/, "\\-", label[i])
			if (!is_own) {
				description = description (in_list ? "" : ".Bl -tag -width Ds\n") \
					".It " label[i] "\n" (text ~ /^ *$/ ? "" : marked(text))
				in_list = 1
				continue
			}
			errors = errors ".It " label[i] "\n" (text ~ /^ *$/ ? "" : marked(text))
		} else if (kind[i] == "tail" && is_own) {
			tail = tail ".Pp\n" marked(text)
		} else if (text !~ /^ *$/) {
			at = match(" " text, /(^|[.:;]) +Returns/) ? RSTART : 0
			is_own = at || text !~ /xp_[a-z_0-9]+\(\)[^.]* returns?,/
			if (at != 1)
				description = description (description == "" ? "" : ".Pp\n") \
					marked(at ? substr(text, 1, at - 1) : text)
			if (at) {
				sub(/^[.:;]? */, "", text)
				results = results marked(at == 1 ? text : substr(text, at))
			}
		}
	}
	if (in_list)
		description = description ".El\n"
	if (parameters description == "")
		description = marked(sentence)
}

function arguments(list,  i, c, depth, start)
{
	start = 1
	for (i = 1; i <= length(list) + 1; i++) {
		c = substr(list, i, 1)
		depth += (c == "(") - (c == ")")
		if (c == "" || (c == "," && depth == 0)) {
			print ".Fa \"" substr(list, start, i - start) "\"" >page
			start = i + 2
		}
	}
}

# The pages that a docstring names, and that of the family
function references(name, doc, own,  found, names, word, nr, i)
{
	found[own]
	while (match(doc, /xp_[a-z0-9_]+\(\)/)) {
		word = substr(doc, RSTART, RLENGTH - 2)
		if (word != name && word in docs)
			found[word]
		doc = substr(doc, RSTART + RLENGTH)
	}
	for (word in found) {
		for (i = ++nr; i > 1 && names[i - 1] > word; i--)
			names[i] = names[i - 1]
		names[i] = word
	}
	for (i = 1; i <= nr; i++)
		print ".Xr " names[i] " 3 ," >page
	print ".Xr libxperf 7" >page
}

function write_page(name,  type, list, declaration)
{
	declaration = declared[name]
	type = substr(declaration, 1, index(declaration, name "(") - 1)
	sub(/^(XP_API|static inline) /, "", type)
	sub(/ $/, "", type)
	list = substr(declaration, index(declaration, name "(") + length(name) + 1)
	sub(/ XP_PRINTF\(.*/, "", list)
	sub(/\)[; ]*$/, "", list)
	parse_doc(name, docs[name])
	sort_blocks()
	page = dir "/" name ".3"
	print ".\\\" SPDX-License-Identifier: MIT\n.ds doc-volume-operating-system Linux" >page
	print ".Dd " date "\n.Dt " toupper(name) " 3\n.Os Linux" >page
	print ".Sh NAME\n.Nm " name "\n.Nd " summary >page
	print ".Sh LIBRARY\nlibxperf\n.Pq Ql pkg-config --cflags --libs xperf" >page
	print ".Sh SYNOPSIS\n.In xperf/" of_header[name] ".h\n.Ft \"" type "\"\n.Fo " name >page
	arguments(list)
	print ".Fc" >page
	print ".Sh DESCRIPTION" >page
	if (parameters != "")
		print ".Bl -tag -width Ds\n" parameters ".El" (description == "" ? "" : "\n.Pp") >page
	printf "%s", description >page
	if (results errors != "")
		printf "%s", ".Sh RETURN VALUES\n" results >page
	if (errors != "")
		printf "%s", ".Bl -tag -width Ds\n" errors ".El\n" tail >page
	print ".Sh SEE ALSO" >page
	references(name, docs[name], family[of_header[name]])
	close(page)
}

FNR == 1 {
	file = FILENAME
	gsub(/.*\/|\.[3h]$/, "", file)
}
/^\.Dd / { date = substr($0, 5) }
/^\.\\" functions of / {
	nr = split(substr($0, 17), headers, " ")
	for (i = 1; i <= nr; i++)
		family[headers[i]] = file
}
/^\/\*\*/ {
	doc = ""
	in_doc = 1
}
in_doc {
	in_doc = $0 !~ /\*\//
	sub(/^ ?\/?\*+\/? ?/, "")
	sub(/ *\*\/$/, "")
	doc = doc (doc == "" ? "" : "\n") $0
	next
}
/^(XP_API|static inline) / && doc != "" { declaration = "" ; in_declaration = 1 }
in_declaration {
	sub(/^[ \t]+/, "")
	declaration = declaration (declaration == "" ? "" : " ") $0
	if ($0 !~ /[;{]$|\)$/)
		next
	in_declaration = 0
	name = declaration
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	if (index(doc, name " - ") && !(name in docs)) {
		docs[name] = doc
		declared[name] = declaration
		of_header[name] = file
	}
	doc = ""
	next
}
!/^$/ { doc = "" }
END {
	for (name in docs)
		write_page(name)
}
