/* SPDX-License-Identifier: MIT */
/* A kernel event description as text, in the two forms perf's users know. */
#ifndef CLI_ATTR_TEXT_H
#define CLI_ATTR_TEXT_H

#include <stdio.h>
#include <xperf/api.h>

struct xp_attr;

/* For people, as in -vv: one line per field that is not zero. */
void attr_print(FILE *file, const struct xp_attr *attr);

/* The same in one line, without its end. With ": " @between name and value, "type: 1, size: 136,
 * ...", as `perf evlist -v` has it; with " = " as the header of a recording. */
void attr_print_line(FILE *file, const struct xp_attr *attr, const char *between);

/* Bits of a sample's type by the names of the kernel's header: "PERF_SAMPLE_CPU, PERF_SAMPLE_ADDR".
 */
void attr_print_sample_type(FILE *file, uint64_t type);

/* For tests: every field perf's attr tests know, as "name=decimal". */
void attr_write_ini(FILE *file, const struct xp_attr *attr);

#endif
