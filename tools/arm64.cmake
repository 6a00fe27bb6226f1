# SPDX-License-Identifier: MIT
# Builds for arm64 on another machine: cmake --toolchain tools/arm64.cmake. XPERF_ARM64_ROOT in the
# environment is a tree of Debian's arm64 packages to build against (tests/guest makes one); without
# it only libc is there, and no optional library.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config is told of the tree, or of nothing: what is installed here is for this machine.
set(ENV{PKG_CONFIG_LIBDIR} $ENV{XPERF_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
if(DEFINED ENV{XPERF_ARM64_ROOT})
	set(ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{XPERF_ARM64_ROOT})
	set(CMAKE_SYSROOT $ENV{XPERF_ARM64_ROOT})
	foreach(dir IN ITEMS usr/lib/aarch64-linux-gnu lib/aarch64-linux-gnu)
		string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-rpath-link,$ENV{XPERF_ARM64_ROOT}/${dir}")
	endforeach()
endif()
