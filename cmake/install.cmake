# SPDX-License-Identifier: MIT
# What `cmake --install` puts where. Components: program, library (what a linked program runs with),
# development (what it is made with).
include(CMakePackageConfigHelpers)

# Outside programs see xperf::xperf (shared) and xperf::xperf_static.
set_target_properties(xperf_shared PROPERTIES EXPORT_NAME xperf)
foreach(target xperf_shared xperf_static)
	target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# What the shared library is linked with (plain names: m, rt), but for libc, a user of the static one has to link.
get_target_property(private_libs xperf_shared LINK_LIBRARIES)
if(NOT private_libs)
	set(private_libs)
endif()
list(REMOVE_ITEM private_libs c ${XPERF_STATIC_LIBRARIES})
target_link_libraries(xperf_static INTERFACE ${private_libs})
list(TRANSFORM private_libs REPLACE "^([^-/]+)$" "-l\\1" OUTPUT_VARIABLE XPERF_PC_PRIVATE_LIBS)
list(JOIN XPERF_PC_PRIVATE_LIBS " " XPERF_PC_PRIVATE_LIBS)

# Before the build, headers alone would be installed.
install(CODE "if(NOT EXISTS \"${PROJECT_BINARY_DIR}/xperf\")
	message(FATAL_ERROR \"Nothing was installed: build it first, cmake --build ${PROJECT_BINARY_DIR}\")
endif()" ALL_COMPONENTS)
install(TARGETS xperf RUNTIME COMPONENT program)
install(TARGETS xperf_shared xperf_static EXPORT xperfTargets
	LIBRARY COMPONENT library NAMELINK_COMPONENT development
	ARCHIVE COMPONENT development)
install(DIRECTORY lib/include/xperf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
	FILES_MATCHING PATTERN "*.h")

# pkg-config: relative to where the file lies, so that the installed tree can be moved
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
	set(XPERF_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
	file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
	string(REGEX REPLACE "/$" "" up ${up})
	set(XPERF_PC_PREFIX "\${pcfiledir}/${up}")
endif()
configure_file(cmake/xperf.pc.in xperf.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/xperf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
	COMPONENT development)

# CMake package
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/xperf)
install(EXPORT xperfTargets NAMESPACE xperf:: DESTINATION ${package_dir}
	COMPONENT development)
configure_package_config_file(cmake/xperfConfig.cmake.in xperfConfig.cmake
	INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(xperfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/xperfConfig.cmake ${PROJECT_BINARY_DIR}/xperfConfigVersion.cmake
	DESTINATION ${package_dir} COMPONENT development)

# Man pages and completions
file(GLOB man1 CONFIGURE_DEPENDS man/*.1)
file(GLOB man3 CONFIGURE_DEPENDS man/*.3)
file(GLOB man5 CONFIGURE_DEPENDS man/*.5)
file(GLOB man7 CONFIGURE_DEPENDS man/*.7)
install(FILES ${man1} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${man3} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development)
install(FILES ${man5} DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT program)
install(FILES ${man7} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT development)
# One page per function, made from the docstrings in headers
find_program(XPERF_AWK awk)
mark_as_advanced(XPERF_AWK)
if(XPERF_AWK)
	set(pages ${PROJECT_BINARY_DIR}/man3)
	set(script ${PROJECT_SOURCE_DIR}/tools/man-functions.awk)
	file(GLOB headers CONFIGURE_DEPENDS lib/include/xperf/*.h)
	add_custom_command(OUTPUT ${pages}/xp_version.3
		COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
		COMMAND ${XPERF_AWK} -v dir=${pages} -f ${script} ${man3} ${headers}
		DEPENDS ${script} ${man3} ${headers} COMMENT "Man pages of functions" VERBATIM)
	add_custom_target(man-functions ALL DEPENDS ${pages}/xp_version.3)
	install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development
		FILES_MATCHING PATTERN "*.3")
endif()
set(completions ${PROJECT_BINARY_DIR}/completions)
install(FILES ${completions}/xperf.bash RENAME xperf OPTIONAL
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${completions}/_xperf OPTIONAL
	DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${completions}/xperf.fish OPTIONAL
	DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
# Files of metrics; a program that is not installed finds them beside itself.
install(DIRECTORY data/metrics DESTINATION ${CMAKE_INSTALL_DATADIR}/xperf COMPONENT program
	FILES_MATCHING PATTERN "*.txt")
install(FILES data/stat-v1.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/xperf COMPONENT program)
# What scripts for perf's Python interface are run with.
install(FILES data/python/perf_trace_context.py DESTINATION ${CMAKE_INSTALL_DATADIR}/xperf/python
	COMPONENT program)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/xperf)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/data/python ${PROJECT_BINARY_DIR}/share/xperf/python SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/data/metrics ${PROJECT_BINARY_DIR}/share/xperf/metrics SYMBOLIC)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libxperf-dev/examples
	COMPONENT development FILES_MATCHING PATTERN "*.c" PATTERN "*.cc")
