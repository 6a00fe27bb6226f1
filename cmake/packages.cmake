# SPDX-License-Identifier: MIT
# Debian packages, one per component of install.cmake (xperf, libxperf0, libxperf-dev), and one with
# the symbols and debug information of the first two (xperf-dbg). The preset "package" builds them for
# /usr; debian-files.cmake adds the files that Debian wants in each.
set(XPERF_MAINTAINER "The xperf authors <xperf@localhost.localdomain>"
	CACHE STRING "Who maintains the Debian packages: name and address")
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME xperf)
set(CPACK_PACKAGE_VENDOR "The xperf authors")
set(CPACK_PACKAGE_CONTACT ${XPERF_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
	GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(CODE "" COMPONENT debug)
set(CPACK_COMPONENTS_ALL program library development debug)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What the library loads when it needs it: without the first two functions have no names and stacks
# no callers.
set(needs)
if(XPERF_HAVE_LIBELF)
	list(APPEND needs libelf1)
endif()
if(XPERF_HAVE_LIBDW)
	list(APPEND needs libdw1)
endif()
set(recommends)
foreach(pair IN ITEMS LIBLZMA:liblzma5 LIBTRACEEVENT:libtraceevent1
		ZSTD:libzstd1 ZLIB:zlib1g SQLITE3:libsqlite3-0 LIBPFM4:libpfm4
		CAPSTONE:libcapstone4 LIBBPF:libbpf1)
	string(REGEX MATCH "^(.*):(.*)$" pair ${pair})
	if(XPERF_HAVE_${CMAKE_MATCH_1})
		list(APPEND recommends ${CMAKE_MATCH_2})
	endif()
endforeach()
list(JOIN recommends ", " CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS)
# What the program alone loads.
if(XPERF_HAVE_JSONC)
	list(APPEND recommends libjson-c5)
endif()
if(XPERF_HAVE_NCURSES)
	list(APPEND recommends libncursesw6)
endif()
list(JOIN recommends ", " CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS)
find_program(XPERF_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(XPERF_SHLIBDEPS)
foreach(component IN ITEMS PROGRAM LIBRARY)
	set(depends ${needs})
	if(XPERF_SHLIBDEPS)
		set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS ON)
	else()
		list(APPEND depends libc6)
	endif()
	list(JOIN depends ", " CPACK_DEBIAN_${component}_PACKAGE_DEPENDS)
endforeach()

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME xperf)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "performance counters and profiles
xperf counts hardware and software events of a command, of processes or of the
whole machine, records samples, and reports where time goes. Options, output
and files are those of perf.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libxperf0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "performance counters and profiles - shared library
libxperf counts events of the program itself, of other processes or of the
whole machine, records samples and reads recordings of perf.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libxperf-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "performance counters and profiles - development files
This package has what programs that use libxperf are built with: headers, the
static library, files for pkg-config and CMake, man pages and examples.")

set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME xperf-dbg)
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_PACKAGE_ENHANCES "xperf, libxperf0")
set(CPACK_DEBIAN_DEBUG_DESCRIPTION "performance counters and profiles - debug information
This package has symbols and debug information of the program and the shared
library, by build id, for debuggers and profilers.")

# Which package a linked program needs, and since which version it has each function: what
# dpkg-gensymbols writes, made from the map of what is exported.
set(map ${PROJECT_SOURCE_DIR}/lib/libxperf.map)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${map})
file(READ ${map} lines)
string(REPLACE ";" "" lines "${lines}")
string(REPLACE "\n" ";" lines "${lines}")
set(symbols)
foreach(line IN LISTS lines)
	if(line MATCHES "^(XPERF_([0-9.]+)) {$")
		set(node ${CMAKE_MATCH_1})
		set(since ${CMAKE_MATCH_2})
		list(APPEND symbols " ${node}@${node} ${since}")
	elseif(line MATCHES "^\t\t(xp_[a-z0-9_]+)$")
		list(APPEND symbols " ${CMAKE_MATCH_1}@${node} ${since}")
	endif()
endforeach()
list(SORT symbols)
list(JOIN symbols "\n" symbols)
set(control ${PROJECT_BINARY_DIR}/debian-control)
file(CONFIGURE OUTPUT ${control}/symbols
	CONTENT "libxperf.so.0 libxperf0 #MINVER#\n@symbols@\n" @ONLY)
file(CONFIGURE OUTPUT ${control}/shlibs CONTENT "libxperf 0 libxperf0\n")
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
	${control}/symbols ${control}/shlibs ${control}/triggers)

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian-files.cmake)
set(CPACK_XPERF_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_XPERF_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_XPERF_HAVE_LIBIBERTY ${XPERF_HAVE_LIBIBERTY})
set(CPACK_XPERF_OBJCOPY ${CMAKE_OBJCOPY})
set(CPACK_XPERF_READELF ${CMAKE_READELF})
include(CPack)
