# SPDX-License-Identifier: MIT
# Language, warnings, sanitizers: the same for every target.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1")
# Compiled in half the time. A report of 160,000 samples takes as long as with -O2.
if(XPERF_FAST_BUILD)
	set(CMAKE_C_FLAGS_RELEASE "-O1 -g1")
endif()
# Tests with sanitizers take a third less time than with -O0.
set(CMAKE_C_FLAGS_DEBUG "-Og -g")

add_compile_definitions(_GNU_SOURCE)
# Nothing here reads errno after a math function; without this sqrt() would be a call into libm.
# Records are read and written where they lie, as structures on words of 64 bits.
add_compile_options(-fno-math-errno -fno-strict-aliasing -Wall -Wextra -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Wwrite-strings
	-Wno-missing-field-initializers)
add_link_options(-Wl,--as-needed)
# The loader looks for each name in the libraries in this order, and nearly all names are libc's.
link_libraries(c m)
if(XPERF_WERROR)
	add_compile_options(-Werror)
endif()
if(XPERF_SANITIZE)
	add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
endif()
if(XPERF_FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -g -O1)
	add_link_options(-fsanitize=address,undefined)
endif()

# Fat objects, so that libxperf.a can be used by a linker without the plugin.
if(XPERF_LTO AND NOT XPERF_FAST_BUILD AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU"
		AND NOT XPERF_SANITIZE AND NOT XPERF_FUZZ)
	include(CheckIPOSupported)
	check_ipo_supported(RESULT XPERF_HAS_LTO LANGUAGES C)
	if(XPERF_HAS_LTO)
		add_compile_options(-flto=auto -ffat-lto-objects)
		add_link_options(-flto=auto -O2)
	endif()
endif()

# Relocations as bitmaps, a word for 63 pointers of a table instead of three words for each. They
# need glibc 2.36 or newer, where the program runs, too: the loader of an older one says so.
if(NOT CMAKE_CROSSCOMPILING AND NOT XPERF_SANITIZE AND NOT XPERF_FUZZ)
	include(CheckCSourceRuns)
	set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs)
	check_c_source_runs("static const char *const texts[] = { \"1\", \"0\" };
		int main(int argc, char **argv)
		{
			(void)argv;
			return texts[argc][0] - '0';
		}" XPERF_HAS_PACKED_RELOCATIONS)
	unset(CMAKE_REQUIRED_LINK_OPTIONS)
	if(XPERF_HAS_PACKED_RELOCATIONS)
		add_link_options(-Wl,-z,pack-relative-relocs)
	endif()
endif()
