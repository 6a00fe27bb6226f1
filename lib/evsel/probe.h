/* SPDX-License-Identifier: MIT */
/* What probes, and breakpoints at symbols, need of files. */
#ifndef EVSEL_PROBE_H
#define EVSEL_PROBE_H

#include <xperf/symbol.h>

struct xp_evsel;

/* How the content of ELF files is looked up: <xperf/symbol.h>, given from above. */
struct xp_elf_lookup {
	__typeof__(xp_symbol_find) *find_symbol;
	__typeof__(xp_sdt_walk) *walk_sdt;
};

/*
 * True if the kernel can count the event in threads and processes that are started later, which a
 * change to the attribute may bring about (probe-inherit.c).
 */
bool xp_probe_can_inherit(struct xp_evsel *evsel);

#endif
