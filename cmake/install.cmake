# SPDX-License-Identifier: MIT
# What `cmake --install` and `cpack -G DEB` put where.
install(TARGETS xperf RUNTIME)
install(TARGETS xperf_shared xperf_static LIBRARY ARCHIVE)
install(DIRECTORY lib/include/xperf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
