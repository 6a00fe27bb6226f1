# SPDX-License-Identifier: MIT
# The floors of the house. A folder sees lib/include, lib/inline, itself, and the folders named here,
# which all lie on floors below its own; nothing else is on its include path, and it links to nothing
# else.
#
# xp_floor(FOLDER [SEES folder...] [EXCEPT file...]): the OBJECT library of one folder
function(xp_floor folder)
	cmake_parse_arguments(F "" "" "SEES;EXCEPT" ${ARGN})
	string(REPLACE "/" "-" name ${folder})
	file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
	foreach(file IN LISTS F_EXCEPT XPERF_LEFT_OUT)
		list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${folder}/${file})
	endforeach()
	foreach(library IN LISTS XPERF_ABSENT)
		list(FILTER sources EXCLUDE REGEX "/${library}-[^/]*[.]c$")
	endforeach()
	if(NOT sources)
		return()
	endif()
	add_library(${name} OBJECT ${sources})
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib/include)
	# Every folder sees what is in line: there is nothing to link to.
	target_compile_options(${name} PRIVATE "SHELL:-iquote ${PROJECT_SOURCE_DIR}/lib/inline")
	# -iquote: a header here never stands in for a system header of the same name.
	foreach(seen IN ITEMS ${folder} LISTS F_SEES)
		target_compile_options(${name} PRIVATE "SHELL:-iquote ${PROJECT_SOURCE_DIR}/${seen}")
	endforeach()
	if(folder MATCHES "^(lib|arch)/")
		# A program that is linked with libxperf.a can leave out what it does not call.
		target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
		set_property(GLOBAL APPEND PROPERTY XPERF_LIB_FOLDERS ${folder})
		set_property(GLOBAL APPEND PROPERTY XPERF_LIB_OBJECTS $<TARGET_OBJECTS:${name}>)
	else()
		set_property(GLOBAL APPEND PROPERTY XPERF_CLI_OBJECTS $<TARGET_OBJECTS:${name}>)
	endif()
endfunction()

# An optional library NAME is name.c, with its parts name-PART.c, and no-name.c in their place.
foreach(name IN LISTS XPERF_OPTIONAL_ROWS)
	string(TOLOWER ${name} file)
	if(XPERF_HAVE_${name})
		string(PREPEND file "no-")
	else()
		list(APPEND XPERF_ABSENT ${file})
	endif()
	list(APPEND XPERF_LEFT_OUT ${file}.c)
endforeach()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
	set(XPERF_ARCH x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
	set(XPERF_ARCH arm64)
else()
	set(XPERF_ARCH generic)
endif()

file(GLOB XPERF_BPF_PROGRAMS RELATIVE ${PROJECT_SOURCE_DIR}/lib/bpf CONFIGURE_DEPENDS
	${PROJECT_SOURCE_DIR}/lib/bpf/*.bpf.c)

# floor 1
xp_floor(lib/base)
xp_floor(arch/regs)
# floor 2
xp_floor(arch/${XPERF_ARCH} SEES arch/regs)
xp_floor(lib/symbol/demangle SEES lib/base)
xp_floor(lib/symbol/elf SEES lib/base)
xp_floor(lib/metric SEES lib/base)
xp_floor(lib/code SEES lib/base)
xp_floor(lib/export/output SEES lib/base)
# floor 3
xp_floor(lib/sys SEES lib/base arch/${XPERF_ARCH})
xp_floor(lib/symbol/dwarf SEES lib/base lib/symbol/elf)
# floor 4
xp_floor(lib/evsel SEES lib/base lib/sys)
xp_floor(lib/mmap SEES lib/base lib/sys arch/${XPERF_ARCH})
xp_floor(lib/symbol SEES lib/base lib/sys lib/symbol/demangle lib/symbol/elf lib/symbol/dwarf)
xp_floor(lib/trace SEES lib/base lib/sys)
xp_floor(lib/session/record SEES lib/base)
xp_floor(lib/session/data/file SEES lib/base lib/sys lib/symbol/elf)
# floor 5
xp_floor(lib/evsel/parse SEES lib/base lib/sys lib/evsel lib/trace)
xp_floor(lib/session/synth SEES lib/base lib/sys lib/symbol/elf)
xp_floor(lib/unwind SEES lib/base lib/code lib/symbol lib/symbol/elf arch/regs)
# floor 6
xp_floor(lib/evlist SEES lib/base lib/sys lib/evsel lib/mmap lib/symbol/elf lib/evsel/parse
	lib/session/record)
xp_floor(lib/session/data/reader SEES lib/base lib/sys lib/trace lib/session/record
	lib/session/data/file)
xp_floor(lib/session/data/writer SEES lib/base lib/sys lib/trace lib/session/record
	lib/session/data/file)
xp_floor(lib/session/data/build-ids SEES lib/base lib/sys lib/symbol/elf lib/session/record)
# floor 7
xp_floor(lib/stat SEES lib/base lib/sys lib/evsel lib/evlist)
xp_floor(lib/session/recorder SEES lib/base lib/sys lib/evsel lib/mmap lib/unwind lib/evlist
	lib/session/record lib/session/data/writer lib/session/data/build-ids)
xp_floor(lib/session/timeline SEES lib/base lib/sys lib/symbol lib/trace lib/session/record
	lib/session/data/reader lib/unwind arch/regs)
# floor 8
# Programs for the kernel, *.bpf.c, are not built here: their bytes are in *.bpf.hex.
xp_floor(lib/bpf SEES lib/base lib/sys lib/code lib/symbol/elf lib/symbol/demangle lib/evsel
	lib/symbol lib/trace lib/evsel/parse lib/unwind lib/evlist lib/session/record
	lib/session/synth lib/session/recorder
	EXCEPT ${XPERF_BPF_PROGRAMS})
xp_floor(lib/hist SEES lib/base lib/symbol lib/session/record lib/session/data/reader
	lib/session/timeline)
# floor 9
xp_floor(lib/export/tree SEES lib/base lib/session/record lib/session/data/reader
	lib/session/timeline lib/hist lib/export/output)
# floor 10
xp_floor(lib/export/import SEES lib/base lib/hist lib/export/output lib/export/tree)
xp_floor(lib/export/profiles SEES lib/base lib/hist lib/export/output lib/export/tree)
xp_floor(lib/export/flamegraph SEES lib/base lib/hist lib/export/output lib/export/tree)
xp_floor(lib/export/html SEES lib/base lib/hist lib/export/output lib/export/tree)
xp_floor(lib/export/samples SEES lib/base lib/hist lib/export/output lib/export/tree)
# The page of HTML reports, as an array.
set(page ${PROJECT_SOURCE_DIR}/data/html/report.html)
set(page_code ${PROJECT_BINARY_DIR}/html-page.c)
add_custom_command(OUTPUT ${page_code}
	COMMAND ${CMAKE_COMMAND} -D IN=${page} -D OUT=${page_code}
		-P ${PROJECT_SOURCE_DIR}/cmake/page.cmake
	DEPENDS ${page} ${PROJECT_SOURCE_DIR}/cmake/page.cmake VERBATIM)
target_sources(lib-export-html PRIVATE ${page_code})
# floor 11
xp_floor(lib/export SEES lib/base lib/session/record lib/session/data/reader lib/session/timeline
	lib/hist lib/export/output lib/export/tree lib/export/profiles lib/export/flamegraph
	lib/export/html lib/export/samples)
# floor 12: the program sees public headers only; its folders share cli/ itself, and what writes
xp_floor(cli/output)
xp_floor(cli/statistics)
xp_floor(cli/settings SEES cli/output)
xp_floor(cli SEES cli/output cli/settings EXCEPT main.c)
xp_floor(cli/config SEES cli cli/output cli/settings)
xp_floor(cli/syscalls)
xp_floor(cli/recording/filter SEES cli cli/output)
xp_floor(cli/recording SEES cli cli/output cli/recording/filter)
xp_floor(cli/recording/header SEES cli cli/output cli/recording/filter cli/recording)
xp_floor(cli/metric SEES cli cli/output)
xp_floor(cli/list SEES cli cli/output cli/metric)
xp_floor(cli/stat/options SEES cli cli/output cli/metric)
xp_floor(cli/stat/run SEES cli cli/output cli/stat/options)
xp_floor(cli/stat/plan SEES cli cli/output cli/metric cli/stat/options cli/stat/run)
xp_floor(cli/stat/table SEES cli cli/output cli/metric cli/stat/options cli/stat/plan)
xp_floor(cli/stat/show SEES cli cli/output cli/stat/options cli/stat/table)
xp_floor(cli/stat/document SEES cli cli/output cli/recording cli/recording/filter
	cli/recording/header cli/stat/options cli/stat/run cli/stat/table cli/stat/show)
xp_floor(cli/stat/recorded SEES cli cli/output cli/recording cli/recording/filter
	cli/recording/header cli/stat/options)
xp_floor(cli/stat/functions SEES cli cli/output cli/stat/options cli/stat/run cli/stat/table
	cli/stat/show)
xp_floor(cli/stat SEES cli cli/output cli/metric cli/recording cli/recording/filter
	cli/recording/header cli/stat/options cli/stat/run cli/stat/plan cli/stat/table
	cli/stat/show cli/stat/document cli/stat/recorded cli/stat/functions)
# These read recordings; record looks at the chains of its own, and draws it.
xp_floor(cli/export SEES cli cli/output cli/recording cli/recording/filter cli/recording/header)
xp_floor(cli/view SEES cli cli/output cli/recording cli/recording/filter cli/export)
xp_floor(cli/diff SEES cli cli/output cli/recording cli/recording/filter cli/export)
xp_floor(cli/record SEES cli cli/output cli/recording cli/recording/filter cli/export cli/view
	cli/syscalls)
xp_floor(cli/buildid SEES cli cli/output cli/recording cli/recording/filter)
xp_floor(cli/browser SEES cli/output)
xp_floor(cli/annotate SEES cli cli/output cli/recording cli/recording/filter cli/browser)
xp_floor(cli/data SEES cli cli/output cli/recording cli/recording/filter cli/recording/header)
xp_floor(cli/evlist SEES cli cli/output cli/recording cli/recording/filter)
xp_floor(cli/inject SEES cli cli/output cli/recording cli/recording/filter)
xp_floor(cli/report/syscalls SEES cli cli/output cli/recording cli/recording/filter cli/syscalls)
xp_floor(cli/report/sched SEES cli cli/output cli/recording cli/recording/filter)
xp_floor(cli/report SEES cli cli/output cli/recording cli/recording/filter cli/recording/header
	cli/export cli/browser cli/annotate cli/report/syscalls cli/report/sched)
xp_floor(cli/top SEES cli cli/output cli/recording cli/recording/filter cli/browser cli/report)
xp_floor(cli/script SEES cli cli/output cli/recording cli/recording/filter cli/recording/header)
xp_floor(cli/compare SEES cli cli/output cli/metric cli/statistics cli/stat/options cli/stat/run
	cli/stat/plan cli/stat/table)
xp_floor(cli/workloads SEES cli)
# Workloads run as they are written, so that their shape and counts are known.
target_compile_options(cli-workloads PRIVATE -O0 -g -fno-lto -fno-omit-frame-pointer
	-fno-optimize-sibling-calls -fno-sanitize=all)

foreach(name IN LISTS XPERF_OPTIONAL_ROWS)
	target_compile_definitions(cli PRIVATE XPERF_HAVE_${name}=${XPERF_HAVE_${name}})
	foreach(folder IN ITEMS lib-symbol-demangle lib-symbol-elf lib-symbol-dwarf lib-trace
			lib-evsel-parse lib-session-data-file lib-unwind lib-export-output lib-export-samples
			lib-code lib-bpf cli-compare cli-browser)
		target_include_directories(${folder} PRIVATE ${XPERF_PKG_${name}_INCLUDE_DIRS})
	endforeach()
endforeach()
# lib/unwind knows the registers of x86 and arm64.
set(can_unwind ${XPERF_HAVE_LIBDW})
if(XPERF_ARCH STREQUAL generic)
	set(can_unwind 0)
endif()
target_compile_definitions(cli PRIVATE XPERF_CAN_UNWIND=${can_unwind})
target_compile_definitions(lib-base PRIVATE XPERF_VERSION_STRING="${PROJECT_VERSION}")
