/* SPDX-License-Identifier: MIT */
/* What probes, and breakpoints at symbols, need of files. */
#ifndef EVSEL_PROBE_H
#define EVSEL_PROBE_H

#include <xperf/symbol.h>

/* How the content of ELF files is looked up: <xperf/symbol.h>, given from above. */
struct xp_elf_lookup {
	__typeof__(xp_symbol_find) *find_symbol;
	__typeof__(xp_sdt_walk) *walk_sdt;
};

#endif
