# SPDX-License-Identifier: MIT
# Optional libraries: found here, one row each; a library that is missing or switched off is
# replaced by its stub. `xperf version --build-options` tells which were found.
#
# Only libiberty, which is static, is linked. Of the others headers give the types, and the code
# loads the library when a command needs it, so that a command that does not need it does not pay
# for it.
find_package(PkgConfig)

# xp_optional(NAME PKG): option XPERF_WITH_NAME, result XPERF_HAVE_NAME
function(xp_optional name pkg)
	option(XPERF_WITH_${name} "Use ${pkg}" ON)
	set(have 0)
	if(XPERF_WITH_${name} AND PKG_CONFIG_FOUND)
		pkg_check_modules(XPERF_PKG_${name} QUIET ${pkg})
		if(XPERF_PKG_${name}_FOUND)
			set(have 1)
		endif()
	endif()
	set(XPERF_HAVE_${name} ${have} PARENT_SCOPE)
	set(XPERF_OPTIONAL_ROWS ${XPERF_OPTIONAL_ROWS} ${name} PARENT_SCOPE)
endfunction()

# xp_optional_header(NAME HEADER): likewise, for a library that has no pkg-config file
include(CheckIncludeFile)
function(xp_optional_header name header)
	option(XPERF_WITH_${name} "Use ${header}" ON)
	set(have 0)
	if(XPERF_WITH_${name})
		check_include_file(${header} XPERF_HEADER_${name})
		if(XPERF_HEADER_${name})
			set(have 1)
		endif()
	endif()
	set(XPERF_HAVE_${name} ${have} PARENT_SCOPE)
	set(XPERF_OPTIONAL_ROWS ${XPERF_OPTIONAL_ROWS} ${name} PARENT_SCOPE)
endfunction()

# xp_optional_static(NAME LIBRARY HEADER CALL): likewise, for a static library, which can be used if
# its code may be linked into a shared one
include(CheckCSourceCompiles)
function(xp_optional_static name library header call)
	option(XPERF_WITH_${name} "Use ${header}" ON)
	set(have 0)
	if(XPERF_WITH_${name})
		find_library(XPERF_LIBRARY_${name} lib${library}.a)
		mark_as_advanced(XPERF_LIBRARY_${name})
	endif()
	if(XPERF_WITH_${name} AND XPERF_LIBRARY_${name})
		set(CMAKE_REQUIRED_FLAGS -fPIC)
		set(CMAKE_REQUIRED_LINK_OPTIONS -shared)
		set(CMAKE_REQUIRED_LIBRARIES ${XPERF_LIBRARY_${name}})
		check_c_source_compiles("#include <stddef.h>
			#include <${header}>
			int use(void); int use(void) { return ${call}; }" XPERF_STATIC_${name})
		if(XPERF_STATIC_${name})
			set(have 1)
			link_libraries(${XPERF_LIBRARY_${name}})
			set(XPERF_STATIC_LIBRARIES ${XPERF_STATIC_LIBRARIES} ${XPERF_LIBRARY_${name}}
				PARENT_SCOPE)
		endif()
	endif()
	set(XPERF_HAVE_${name} ${have} PARENT_SCOPE)
	set(XPERF_OPTIONAL_ROWS ${XPERF_OPTIONAL_ROWS} ${name} PARENT_SCOPE)
endfunction()

xp_optional(LIBELF libelf)
xp_optional(LIBDW libdw)
xp_optional(LIBLZMA liblzma)
xp_optional(LIBUNWIND libunwind)
xp_optional(LIBTRACEEVENT libtraceevent)
xp_optional(SQLITE3 sqlite3)
xp_optional(ZLIB zlib)
xp_optional(ZSTD libzstd)
xp_optional(JSONC json-c)
xp_optional(CAPSTONE capstone)
xp_optional(NCURSES ncursesw)
xp_optional(LIBBPF libbpf)
xp_optional_header(LIBPFM4 perfmon/pfmlib_perf_event.h)
xp_optional_static(LIBIBERTY iberty libiberty/demangle.h
	"cplus_demangle_v3_callback(\"_Z1fv\", 0, NULL, NULL)")
