/* SPDX-License-Identifier: MIT */
/*
 * The table of features. "on" means that what perf does with the feature works here, not that
 * the library of that name is used for it.
 *
 * Source of names and layout: `perf version --build-options` (6.1) and perf-check(1) (6.12).
 */
#include "feature.h"

#include <stdio.h>
#include <string.h>

const struct build_feature features[] = {
	{ "aio", "HAVE_AIO_SUPPORT", false },
	{ "bpf", "HAVE_LIBBPF_SUPPORT", XPERF_HAVE_LIBBPF },
	{ "bpf_skeletons", "HAVE_BPF_SKEL", false },
	{ "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", true },
	{ "dwarf", "HAVE_LIBDW_SUPPORT", XPERF_HAVE_LIBELF },
	{ "dwarf_getlocations", "HAVE_LIBDW_SUPPORT", false },
	{ "dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", XPERF_CAN_UNWIND },
	{ "auxtrace", "HAVE_AUXTRACE_SUPPORT", false },
	{ "json-c", "HAVE_JSON_C_SUPPORT", XPERF_HAVE_JSONC },
	{ "libbfd", "HAVE_LIBBFD_SUPPORT", false },
	{ "libbpf-strings", "HAVE_LIBBPF_STRINGS_SUPPORT", false },
	{ "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", XPERF_HAVE_CAPSTONE },
	{ "libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false },
	{ "libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", XPERF_CAN_UNWIND },
	{ "libelf", "HAVE_LIBELF_SUPPORT", XPERF_HAVE_LIBELF },
	{ "libiberty", "HAVE_CPLUS_DEMANGLE_SUPPORT", XPERF_HAVE_LIBIBERTY },
	{ "libLLVM", "HAVE_LIBLLVM_SUPPORT", false },
	{ "libnuma", "HAVE_LIBNUMA_SUPPORT", false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false },
	{ "libperl", "HAVE_LIBPERL_SUPPORT", false },
	{ "libpfm4", "HAVE_LIBPFM", XPERF_HAVE_LIBPFM4 },
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", false },
	{ "libslang", "HAVE_SLANG_SUPPORT", XPERF_HAVE_NCURSES },
	{ "libtraceevent", "HAVE_LIBTRACEEVENT", XPERF_HAVE_LIBTRACEEVENT },
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", XPERF_HAVE_LIBUNWIND },
	{ "lzma", "HAVE_LZMA_SUPPORT", XPERF_HAVE_LIBLZMA },
	{ "numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false },
	{ "zlib", "HAVE_ZLIB_SUPPORT", false },
	{ "zstd", "HAVE_ZSTD_SUPPORT", XPERF_HAVE_ZSTD },
	{ 0 },
};

bool feature_is_on(const char *name)
{
	const struct build_feature *feature = features;

	while (feature->name && strcmp(feature->name, name) != 0)
		feature++;
	return feature->on;
}

void feature_print(const struct build_feature *feature)
{
	printf("%22s: [ %-3s ]  # %s\n", feature->name, feature->on ? "on" : "OFF", feature->macro);
}
