# SPDX-License-Identifier: MIT
# Reads ctest's JUnit file. Prints the tests that were skipped, whole or in part, with the last line
# they printed, which is the reason; with counts=1 only "PASSED FAILED SKIPPED".
/<testcase / {
	name = $0
	sub(/.*<testcase name="/, "", name)
	sub(/".*/, "", name)
	status = $0
	sub(/.*status="/, "", status)
	sub(/".*/, "", status)
	reason = ""
	whole = 0
	nr_parts = 0
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
	if (line != "")
		reason = line
}
/<\/testcase>/ {
	if (status == "run")
		passed++
	else if (whole)
		skipped++
	else
		failed++
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
