# SPDX-License-Identifier: MIT
# Reads ctest's JUnit file. Prints the tests that were skipped, whole or in part, with the last line
# they printed, which is the reason; then those that failed, with the last lines they printed. With
# counts=1 prints only "PASSED FAILED SKIPPED".
BEGIN { LAST = 12 }
/<testcase / {
	name = $0
	sub(/.*<testcase name="/, "", name)
	sub(/".*/, "", name)
	status = $0
	sub(/.*status="/, "", status)
	sub(/".*/, "", status)
	reason = ""
	whole = 0
	nr_parts = nr_lines = 0
	delete seen
}
/<skipped message="SKIP_RETURN_CODE/ { whole = 1 }
/^\[  SKIPPED \] / && !/test\(s\)/ && !($NF in seen) {
	seen[$NF] = 1
	parts[nr_parts++] = $NF (before ~ /^\[/ ? "" : ": " plain(before))
}
{ before = $0 }
/<system-out>/ { in_output = 1 }
in_output {
	line = $0
	sub(/.*<system-out>/, "", line)
	if (sub(/<\/system-out>.*/, "", line))
		in_output = 0
	if (line != "") {
		reason = line
		lines[nr_lines++] = line
	}
}
/<\/testcase>/ {
	if (status == "run")
		passed++
	else if (whole)
		skipped++
	else
		failures[failed++] = name last_lines()
	if (whole)
		list[nr++] = name ": " plain(reason)
	else
		for (i = 0; i < nr_parts; i++)
			list[nr++] = name ": in part: " parts[i]
}
END {
	if (counts) {
		print passed + 0, failed + 0, skipped + 0
		exit
	}
	if (nr)
		print "\nSkipped:"
	for (i = 0; i < nr; i++)
		print "  " list[i]
	if (failed)
		print "\nFailed:"
	for (i = 0; i < failed; i++)
		print "  " failures[i]
}

function last_lines(	text, i)
{
	for (i = nr_lines > LAST ? nr_lines - LAST : 0; i < nr_lines; i++)
		text = text "\n      " plain(lines[i])
	return text
}

function plain(text)
{
	gsub(/&lt;/, "<", text)
	gsub(/&gt;/, ">", text)
	gsub(/&quot;/, "\"", text)
	gsub(/&apos;/, "'", text)
	gsub(/&amp;/, "\\&", text)
	return text == "" ? "no reason given" : text
}
