# SPDX-License-Identifier: MIT
# What `cmake --install` and `cpack -G DEB` put where.
include(CMakePackageConfigHelpers)

# Outside programs see xperf::xperf (shared) and xperf::xperf_static.
set_target_properties(xperf_shared PROPERTIES EXPORT_NAME xperf)
foreach(target xperf_shared xperf_static)
	target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# What the shared library is linked with (plain names: m, rt), a user of the static one has to link.
get_target_property(private_libs xperf_shared LINK_LIBRARIES)
if(NOT private_libs)
	set(private_libs)
endif()
list(REMOVE_ITEM private_libs ${XPERF_STATIC_LIBRARIES})
target_link_libraries(xperf_static INTERFACE ${private_libs})
list(TRANSFORM private_libs REPLACE "^([^-/]+)$" "-l\\1" OUTPUT_VARIABLE XPERF_PC_PRIVATE_LIBS)
list(JOIN XPERF_PC_PRIVATE_LIBS " " XPERF_PC_PRIVATE_LIBS)

install(TARGETS xperf RUNTIME)
install(TARGETS xperf_shared xperf_static EXPORT xperfTargets LIBRARY ARCHIVE)
install(DIRECTORY lib/include/xperf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
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
install(FILES ${PROJECT_BINARY_DIR}/xperf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# CMake package
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/xperf)
install(EXPORT xperfTargets NAMESPACE xperf:: DESTINATION ${package_dir})
configure_package_config_file(cmake/xperfConfig.cmake.in xperfConfig.cmake
	INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(xperfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/xperfConfig.cmake ${PROJECT_BINARY_DIR}/xperfConfigVersion.cmake
	DESTINATION ${package_dir})

# Man pages and completions
file(GLOB man1 CONFIGURE_DEPENDS man/*.1)
file(GLOB man3 CONFIGURE_DEPENDS man/*.3)
file(GLOB man5 CONFIGURE_DEPENDS man/*.5)
file(GLOB man7 CONFIGURE_DEPENDS man/*.7)
install(FILES ${man1} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${man3} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(FILES ${man5} DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${man7} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
set(completions ${PROJECT_BINARY_DIR}/completions)
install(FILES ${completions}/xperf.bash RENAME xperf OPTIONAL
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completions}/_xperf OPTIONAL
	DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions}/xperf.fish OPTIONAL
	DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Debian package. Not stripped: `xperf test -w` is there to be profiled, by name.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME xperf)
set(CPACK_PACKAGE_VENDOR "The xperf authors")
set(CPACK_PACKAGE_CONTACT "The xperf authors <xperf@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION
"xperf counts hardware and software events of a command, of processes or of the
whole machine, with the options and output formats of perf stat. This package
has the program, the library libxperf (shared and static), its headers, and the
man pages.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
find_program(XPERF_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(XPERF_SHLIBDEPS)
if(XPERF_SHLIBDEPS)
	set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
	set(CPACK_DEBIAN_PACKAGE_DEPENDS libc6)
endif()
set(recommends)
if(XPERF_HAVE_LIBELF)
	list(APPEND recommends libelf1)
endif()
if(XPERF_HAVE_LIBDW)
	list(APPEND recommends libdw1)
endif()
if(XPERF_HAVE_LIBPFM4)
	list(APPEND recommends libpfm4)
endif()
list(JOIN recommends ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
include(CPack)
