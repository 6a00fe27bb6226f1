# SPDX-License-Identifier: MIT
# The rows of cmake/floors.cmake, for the lints of floors. They come first among the files read:
#   floor_of[FOLDER], folders[1..nr_folders], sees[FOLDER, FOLDER]

function fail(text)
{
	print text
	broken = 1
}

# A folder named in floors.cmake for a real one: arch/${XPERF_ARCH} stands for each below arch/.
function row_of(folder)
{
	return folder ~ /^arch\// && folder != "arch/regs" ? "arch/${XPERF_ARCH}" : folder
}

function has_row(folder)
{
	return row_of(folder) in floor_of
}

# Its row names the other one.
function names(folder, other)
{
	return (row_of(folder), row_of(other)) in sees
}

FILENAME == "cmake/floors.cmake" && /^# floor [0-9]+/ { floor = $3 + 0 }

FILENAME == "cmake/floors.cmake" && /^xp_floor\(/ {
	line = $0
	while (line !~ /\)/ && (getline more) > 0)
		line = line more
	gsub(/^xp_floor\(|\).*/, "", line)
	n = split(line, word, " ")
	folder = word[1]
	floor_of[folder] = floor
	folders[++nr_folders] = folder
	for (i = 2; i <= n && word[i] != "EXCEPT"; i++) {
		if (word[i] == "SEES")
			continue
		sees[folder, word[i]] = 1
		if (!(word[i] in floor_of))
			fail(FILENAME ":" FNR ": " folder " sees " word[i] ", which is not on a floor below")
		else if (floor_of[word[i]] >= floor && folder !~ /^cli(\/|$)/)
			fail(FILENAME ":" FNR ": " folder " and " word[i] " are on the same floor")
	}
}
