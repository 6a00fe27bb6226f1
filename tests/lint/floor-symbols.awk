# SPDX-License-Identifier: MIT
# The rule of the floors for what is linked, after floor-rows.awk. Reads cmake/floors.cmake, then the
# map of public functions, then what `nm -A -P -g` prints of the objects, as FOLDER/FILE.c: NAME TYPE;
# prints "FILE: which rule".
# A name that one folder defines and another one needs: the row of the latter SEES the former. The
# program needs public functions only of the library, and its commands lie above what they share.
# Names of the library begin with xp_.

function folder_of(path)
{
	sub(/\/[^\/]*$/, "", path)
	return path
}

function is_program(folder)
{
	return folder ~ /^cli(\/|$)/
}

# cli/commands.c and the like know the entry of each folder's command.
function is_entry(name)
{
	return name ~ /_command$/ || name == "workloads"
}

function may_link(folder, other, name)
{
	if (folder == other || names(folder, other))
		return 1
	if (!is_program(folder))
		return 0
	return is_program(other) ? is_entry(name) : name in is_public
}

FILENAME ~ /[.]map$/ {
	if (sub(/^\t\txp_/, "xp_") && sub(/;$/, ""))
		is_public[$0] = 1
	next
}

FILENAME != "cmake/floors.cmake" && NF >= 3 {
	file = $1
	sub(/:$/, "", file)
	# Undefined, perhaps for ever; "__": the compiler's.
	if ($3 ~ /^[Uwv]$/) {
		needed[++nr_needed] = file " " $2
		next
	}
	if ($2 ~ /^__/)
		next
	folder = folder_of(file)
	home[$2] = folder
	if (!is_program(folder) && $2 !~ /^xp_/)
		fail(file ": " $2 " is seen by all who link with the library, and does not begin with xp_")
}

END {
	for (i = 1; i <= nr_needed; i++) {
		split(needed[i], need, " ")
		folder = folder_of(need[1])
		if (!(need[2] in home) || may_link(folder, home[need[2]], need[2]))
			continue
		only = is_program(folder) && !is_program(home[need[2]])
		fail(need[1] ": needs " need[2] " of " home[need[2]] ", which " \
			(only ? "is not public" : folder " does not see"))
	}
	exit broken
}
