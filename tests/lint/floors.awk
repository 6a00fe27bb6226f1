# SPDX-License-Identifier: MIT
# The rule of the floors, after floor-rows.awk. Reads cmake/floors.cmake, then sources; prints
# "FILE:LINE: which rule".
# An include in quotes must name a file of the own folder or of one that the xp_floor() line of the
# folder SEES; a folder sees folders of lower floors only; the program sees no folder of the library.
# Headers of lib/inline, which are functions in line, are for all; they include each other only.

function folder_of(path)
{
	sub(/\/[^\/]*$/, "", path)
	return path
}

function exists(path,  line, there)
{
	there = (getline line < path) >= 0
	close(path)
	return there
}

# The folder an include leads to, "" if no folder of the project has such a file. Two folders may have
# a header of one name: the one that is seen is meant, as it is on the include path.
function target(folder, name,  path, i)
{
	path = folder "/" name
	while (sub(/[^\/]+\/\.\.\//, "", path))
		;
	if (exists(path))
		return folder_of(path)
	if (exists("lib/inline/" name))
		return "lib/inline"
	for (i = 1; i <= nr_folders; i++)
		if (names(folder, folders[i]) && exists(folders[i] "/" name))
			return folder_of(folders[i] "/" name)
	for (i = 1; i <= nr_folders; i++)
		if (exists(folders[i] "/" name))
			return folder_of(folders[i] "/" name)
	return ""
}

function may_see(folder, other)
{
	if (folder == other || other == "lib/inline")
		return 1
	return names(folder, other)
}

FNR == 1 && FILENAME != "cmake/floors.cmake" {
	folder = folder_of(FILENAME)
	if (!has_row(folder) && folder !~ /^lib\/(include\/xperf|inline)$/ && !(folder in told)) {
		fail(folder ": not in cmake/floors.cmake, so it is not built")
		told[folder] = 1
	}
}

FILENAME != "cmake/floors.cmake" && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
	name = $0
	quoted = name ~ /include[ \t]*"/
	sub(/^[^"<]*["<]/, "", name)
	sub(/[">].*/, "", name)
	if (!quoted && name ~ /^xperf\//) {
		if (!exists("lib/include/" name))
			fail(FILENAME ":" FNR ": there is no public header <" name ">")
		next
	}
	if (!quoted && exists("/usr/include/" name))
		next
	to = target(folder, name)
	if (to == "") {
		if (quoted)
			fail(FILENAME ":" FNR ": \"" name "\" is in no folder of cmake/floors.cmake")
	} else if (folder == "lib/include/xperf") {
		fail(FILENAME ":" FNR ": a public header includes \"" name "\" of " to)
	} else if (folder != to && name ~ /-impl[.]h$/) {
		fail(FILENAME ":" FNR ": includes \"" name "\", which is for " to " alone")
	} else if (!may_see(folder, to)) {
		fail(FILENAME ":" FNR ": includes \"" name "\" of " to ", which " folder " does not see")
	}
}

END { exit broken }
