# SPDX-License-Identifier: MIT
# What the objects become: libxperf.so.0, libxperf.a, xperf.
get_property(lib_objects GLOBAL PROPERTY XPERF_LIB_OBJECTS)
get_property(cli_objects GLOBAL PROPERTY XPERF_CLI_OBJECTS)

add_library(xperf_shared SHARED ${lib_objects})
set_target_properties(xperf_shared PROPERTIES OUTPUT_NAME xperf VERSION 0.1.0 SOVERSION 0
	LINK_DEPENDS ${PROJECT_SOURCE_DIR}/lib/libxperf.map)
target_link_options(xperf_shared PRIVATE
	-Wl,--version-script=${PROJECT_SOURCE_DIR}/lib/libxperf.map)
# Threads of a program may be counting when a plugin that is linked with the library is unloaded.
target_link_options(xperf_shared PRIVATE -Wl,-z,nodelete)
if(NOT XPERF_SANITIZE AND NOT XPERF_FUZZ)
	target_link_options(xperf_shared PRIVATE -Wl,--no-undefined)
endif()

add_library(xperf_static STATIC ${lib_objects})
set_target_properties(xperf_static PROPERTIES OUTPUT_NAME xperf)

# The program is linked from the objects themselves: one file, no library to find.
add_executable(xperf cli/main.c ${lib_objects} ${cli_objects})
target_include_directories(xperf PRIVATE ${PROJECT_SOURCE_DIR}/lib/include
	${PROJECT_SOURCE_DIR}/cli)
