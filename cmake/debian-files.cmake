# SPDX-License-Identifier: MIT
# Run by cpack on the tree of each component before it becomes a package: license and changelog are
# added, man pages compressed, symbols and debug information moved to the package for them.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
	return()
endif()

# run(COMMAND...): an error ends cpack
function(run)
	execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The license in the form that Debian's tools can read
file(READ ${CPACK_XPERF_SOURCE_DIR}/LICENSE license)
string(REGEX MATCH "Copyright [^\n]*" copyright "${license}")
string(REGEX REPLACE "^.*Copyright [^\n]*\n\n" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n(.)" "\n \\1" license "${license}")
# What is linked in. Source: the head of libiberty/cp-demangle.c.
set(linked)
if(CPACK_XPERF_HAVE_LIBIBERTY)
	set(linked
"Comment: The program and the libraries contain, beside xperf's own code,
 cp-demangle.o of libiberty, Copyright (C) Free Software Foundation, Inc., which
 is under the GNU General Public License, version 2 or later
 (/usr/share/common-licenses/GPL-2), with this addition:
 .
 In addition to the permissions in the GNU General Public License, the
 Free Software Foundation gives you unlimited permission to link the
 compiled version of this file into combinations with other programs,
 and to distribute those combinations without any restriction coming
 from the use of this file.  (The General Public License restrictions
 do apply in other respects; for example, they cover modification of
 the file, and distribution when not linked into a combined
 executable.)
 .
 libxperf.a is not linked yet: in it, that object stays under its own license.
 Its source is Debian's source package libiberty.
")
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

foreach(pair IN ITEMS program:xperf library:libxperf0 development:libxperf-dev debug:xperf-dbg)
	string(REGEX MATCH "^(.*):(.*)$" pair ${pair})
	set(root ${CPACK_TEMPORARY_DIRECTORY}/${CMAKE_MATCH_1}/usr)
	set(docs ${root}/share/doc/${CMAKE_MATCH_2})
	file(MAKE_DIRECTORY ${docs})
	file(WRITE ${docs}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: xperf
${linked}
Files: *
Copyright: ${copyright}
License: Expat
 ${license}")
	file(WRITE ${docs}/changelog.Debian
"xperf (${CPACK_XPERF_VERSION}) unstable; urgency=medium

  * Packages of this version. The package xperf has the list of changes, in
    /usr/share/doc/xperf/changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
	set(texts ${docs}/changelog.Debian)
	if(EXISTS ${docs}/CHANGELOG.md)
		file(RENAME ${docs}/CHANGELOG.md ${docs}/changelog)
		list(APPEND texts ${docs}/changelog)
	endif()
	file(GLOB pages ${root}/share/man/man*/*)
	run(gzip -9nf ${texts} ${pages})
endforeach()

set(debug ${CPACK_TEMPORARY_DIRECTORY}/debug/usr/lib/debug/.build-id)
file(GLOB programs ${CPACK_TEMPORARY_DIRECTORY}/program/usr/bin/*)
file(GLOB_RECURSE libraries ${CPACK_TEMPORARY_DIRECTORY}/library/usr/lib/*.so.*.*)
foreach(file IN LISTS programs libraries)
	execute_process(COMMAND ${CPACK_XPERF_READELF} -n ${file} OUTPUT_VARIABLE notes
		COMMAND_ERROR_IS_FATAL ANY)
	if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
		message(FATAL_ERROR "${file} has no build id")
	endif()
	set(symbols ${debug}/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}.debug)
	file(MAKE_DIRECTORY ${debug}/${CMAKE_MATCH_1})
	run(${CPACK_XPERF_OBJCOPY} --only-keep-debug --compress-debug-sections ${file} ${symbols})
	file(CHMOD ${symbols} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
	run(${CPACK_XPERF_OBJCOPY} --strip-all --remove-section=.comment ${file})
endforeach()
file(GLOB_RECURSE archives ${CPACK_TEMPORARY_DIRECTORY}/development/usr/lib/*.a)
foreach(archive IN LISTS archives)
	run(${CPACK_XPERF_OBJCOPY} -D --strip-debug --remove-section=.comment ${archive})
endforeach()
