# SPDX-License-Identifier: MIT
# What the objects become: libxperf.so.0, libxperf.a, xperf.
get_property(lib_objects GLOBAL PROPERTY XPERF_LIB_OBJECTS)
get_property(cli_objects GLOBAL PROPERTY XPERF_CLI_OBJECTS)

add_library(xperf_shared SHARED ${lib_objects})
set_target_properties(xperf_shared PROPERTIES OUTPUT_NAME xperf VERSION 0.1.0 SOVERSION 0
	LINK_DEPENDS ${PROJECT_SOURCE_DIR}/lib/libxperf.map INTERFACE_LINK_LIBRARIES "")
target_link_options(xperf_shared PRIVATE
	-Wl,--version-script=${PROJECT_SOURCE_DIR}/lib/libxperf.map)
# A function of the library calls others of it, not those of a program that have the same names, and
# without a look into a table.
target_link_options(xperf_shared PRIVATE -Wl,-Bsymbolic-functions)
# Threads of a program may be counting when a plugin that is linked with the library is unloaded.
target_link_options(xperf_shared PRIVATE -Wl,-z,nodelete)
if(NOT XPERF_SANITIZE AND NOT XPERF_FUZZ)
	target_link_options(xperf_shared PRIVATE -Wl,--no-undefined)
endif()

# One object, in which all that is no public function is local: a program may use the names. What
# link-time optimisation adds can only be read by the compiler that wrote it. Static libraries are in
# it, so that a program does not have to name them. Several objects would have to find each other by
# names that a program could use or define, too; instead each function has a section of its own, and
# -Wl,--gc-sections leaves out what a program does not call.
set(whole ${PROJECT_BINARY_DIR}/libxperf-whole.o)
set(public ${PROJECT_BINARY_DIR}/libxperf-public.o)
add_custom_command(OUTPUT ${public}
	COMMAND ${CMAKE_LINKER} -r --exclude-libs ALL -o ${whole} ${lib_objects}
		${XPERF_STATIC_LIBRARIES}
	COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard --remove-section=.gnu.lto_*
		--remove-section=.gnu.debuglto_* ${whole} ${public}
	DEPENDS ${lib_objects} COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${public} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_library(xperf_static STATIC ${public})
set_target_properties(xperf_static PROPERTIES OUTPUT_NAME xperf LINKER_LANGUAGE C
	INTERFACE_LINK_LIBRARIES "")

# The program is linked from the objects themselves: one file, no library to find.
add_executable(xperf cli/main.c ${lib_objects} ${cli_objects})
target_include_directories(xperf PRIVATE ${PROJECT_SOURCE_DIR}/lib/include
	${PROJECT_SOURCE_DIR}/cli)
