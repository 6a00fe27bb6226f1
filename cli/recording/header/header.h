/* SPDX-License-Identifier: MIT */
/* What a recording says about itself: machine, command line, events. */
#ifndef RECORDING_HEADER_H
#define RECORDING_HEADER_H

#include <stdio.h>
#include <xperf/data.h>

/*
 * Prints it as perf 6.1 does, and 7.2 what is newer, each line with "# ". Of a stream, what has
 * been read up to now.
 * @path: of the recording, "-": standard input; its time is shown
 * @full: with the lists that are long: processors, caches, memory
 */
void header_print(FILE *file, const struct xp_data *data, const char *path, bool full);

/* The socket of a CPU, as the header has it; -1: not known. */
int header_socket(const struct xp_data *data, int cpu);
/* A number among what the PMU that counts cycles can do; 0: not known. */
uint64_t header_cap(const struct xp_data *data, const char *name);
/* Whether the kernel made its call chains by rules: `record --bpf`, not told to follow frame
 * pointers. */
bool header_is_by_rules(const struct xp_data *data);
/* A text of the file, a line for each thing that is missing and that no record tells of; "": none.
 */
const char *header_missing(const struct xp_data *data);
/* Copies the next line of it, cut to @size. Returns false: there is none. */
bool header_next_missing(const char **at, char *line, size_t size);

/* From here on for files that read features themselves. */

/* A feature's bytes, consumed from the front, never more than there are. */
struct feature {
	const struct xp_data *data;
	const uint8_t *at, *end;
	bool is_short; /* something did not fit: from then on there is nothing */
};

/* Of a recording; short if it has none. */
struct feature feature_of(const struct xp_data *data, enum xp_feature which);
uint32_t feature_u32(struct feature *feature);
uint64_t feature_u64(struct feature *feature);
/* A string of the feature; "" if it does not fit. */
const char *feature_text(struct feature *feature);
/* Bytes; NULL if they do not fit. */
const void *feature_bytes(struct feature *feature, uint64_t len);

/* Print one feature each, to the end of its line. header-machine.c */
void header_cpu_topology(FILE *file, struct feature feature);
void header_numa_topology(FILE *file, struct feature feature);
void header_caches(FILE *file, struct feature feature);
void header_memory(FILE *file, struct feature feature);
void header_hybrid(FILE *file, struct feature feature);
void header_pmus(FILE *file, struct feature feature);
void header_cpu_caps(FILE *file, struct feature feature);
void header_pmu_caps(FILE *file, struct feature feature);
void header_cpu_domains(FILE *file, struct feature feature);
void header_e_machine(FILE *file, struct feature feature);
void header_cache_line(FILE *file, struct feature feature);
/* header-bpf.c */
void header_bpf(FILE *file, struct feature feature);
void header_btf(FILE *file, struct feature feature);

#endif
