/* SPDX-License-Identifier: MIT */
/* Features of a recording's header that describe the machine: processors, caches, memory, PMUs.
 * Source of the layout of each: perf-data-file-format.txt of perf; of the text: perf 6.1, and 7.2
 * for what 6.1 does not have. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "header.h"

/* "# NAMETEXT" and the end of the line. */
static void put_list(FILE *file, const char *name, struct feature *feature)
{
	const char *text = feature_text(feature);

	if (feature->is_short)
		return;
	fprintf(file, "# %s", name);
	escape_print(file, text);
	fputc('\n', file);
}

static void put_lists(FILE *file, const char *name, struct feature *feature)
{
	uint32_t nr = feature_u32(feature);

	for (uint32_t i = 0; i < nr && !feature->is_short; i++)
		put_list(file, name, feature);
}

static uint32_t nr_cpus(const struct xp_data *data)
{
	struct feature cpus = feature_of(data, XP_FEATURE_NRCPUS);

	return feature_u32(&cpus);
}

/* Passes over a list of texts. */
static void skip_lists(struct feature *feature)
{
	uint32_t nr = feature_u32(feature);

	for (uint32_t i = 0; i < nr && !feature->is_short; i++)
		feature_text(feature);
}

int header_socket(const struct xp_data *data, int cpu)
{
	struct feature cpus = feature_of(data, XP_FEATURE_CPU_TOPOLOGY);

	if (cpu < 0 || (uint32_t)cpu >= nr_cpus(data))
		return -1;
	skip_lists(&cpus);
	skip_lists(&cpus);
	feature_bytes(&cpus, 8 * (uint64_t)cpu + sizeof(uint32_t));
	uint32_t socket = feature_u32(&cpus);
	return cpus.is_short ? -1 : (int)socket;
}

/* Of each CPU core and socket; its die stands behind a list of its own, where there is one. */
void header_cpu_topology(FILE *file, struct feature feature)
{
	uint32_t nr = nr_cpus(feature.data);

	put_lists(file, "sibling sockets : ", &feature);
	struct feature threads = feature, cpus;
	skip_lists(&feature);
	cpus = feature;
	feature_bytes(&feature, 8 * (uint64_t)nr);
	bool has_cpus = nr && !feature.is_short, has_dies = has_cpus && feature.at < feature.end;
	if (has_dies)
		put_lists(file, "sibling dies    : ", &feature);
	put_lists(file, "sibling threads : ", &threads);
	if (!has_cpus) {
		fputs("# Core ID and Socket ID information is not available\n", file);
		return;
	}
	for (uint32_t i = 0; i < nr && !cpus.is_short; i++) {
		uint32_t core = feature_u32(&cpus), socket = feature_u32(&cpus);

		fprintf(file, "# CPU %u: Core ID %d, ", i, (int)core);
		if (has_dies)
			fprintf(file, "Die ID %d, ", (int)feature_u32(&feature));
		fprintf(file, "Socket ID %d\n", (int)socket);
	}
}

void header_numa_topology(FILE *file, struct feature feature)
{
	uint32_t nr = feature_u32(&feature);

	for (uint32_t i = 0; i < nr && !feature.is_short; i++) {
		uint32_t node = feature_u32(&feature);
		uint64_t total = feature_u64(&feature), available = feature_u64(&feature);
		char name[32];

		if (feature.is_short)
			return;
		fprintf(file, "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n",
			node, total, available);
		snprintf(name, sizeof(name), "node%u cpu list : ", node);
		put_list(file, name, &feature);
	}
}

void header_caches(FILE *file, struct feature feature)
{
	feature_u32(&feature); /* version */
	uint32_t nr = feature_u32(&feature);

	fputs("# CPU cache info:\n", file);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t level = feature_u32(&feature);

		feature_bytes(&feature, 3 * sizeof(uint32_t)); /* line, sets, ways */
		const char *type = feature_text(&feature), *size = feature_text(&feature);
		const char *cpus = feature_text(&feature);
		if (feature.is_short)
			return;
		fprintf(file, "#  L%u ", level);
		escape_padded(file, type, -15);
		fputc(' ', file);
		escape_padded(file, size, 8);
		fputs(" [", file);
		escape_print(file, cpus);
		fputs("]\n", file);
	}
}

/* Ranges of the bits that are set. */
static void put_bits(FILE *file, const uint64_t *words, uint64_t nr)
{
	const char *comma = "";

	for (uint64_t bit = 0; bit < nr; bit++) {
		uint64_t first = bit;

		while (bit < nr && words[bit / 64] >> bit % 64 & 1)
			bit++;
		if (bit == first)
			continue;
		fprintf(file, "%s%" PRIu64, comma, first);
		if (bit - first > 1)
			fprintf(file, "-%" PRIu64, bit - 1);
		comma = ",";
	}
}

static void put_bytes(FILE *file, uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	int unit = 0;

	for (; bytes >= 1024 && units[unit + 1]; unit++)
		bytes /= 1024;
	fprintf(file, "%" PRIu64 "%c", bytes, units[unit]);
}

static void put_memory_node(FILE *file, struct feature *feature, uint64_t block)
{
	uint64_t node = feature_u64(feature);

	feature_u64(feature); /* its size, in blocks */
	uint64_t nr = feature_u64(feature), set = 0;
	const void *raw = feature_bytes(feature, nr / 64 * 8 + (nr % 64 ? 8 : 0));
	if (!raw)
		return;
	struct feature words = { .data = feature->data, .at = raw, .end = feature->at };
	uint64_t bits[256] = { 0 };
	const uint64_t nr_words = sizeof(bits) / sizeof(bits[0]);
	for (uint64_t i = 0; words.at < words.end && i < nr_words; i++) {
		bits[i] = feature_u64(&words);
		set += (uint64_t)__builtin_popcountll(bits[i]);
	}
	fprintf(file, "# %4" PRIu64 " [", node);
	put_bytes(file, set * block);
	fputs("]: ", file);
	put_bits(file, bits, nr < nr_words * 64 ? nr : nr_words * 64);
	fputc('\n', file);
}

void header_memory(FILE *file, struct feature feature)
{
	feature_u64(&feature); /* version */
	uint64_t block = feature_u64(&feature), nr = feature_u64(&feature);

	if (feature.is_short)
		return;
	fprintf(file, "# memory nodes (nr %" PRIu64 ", block size %#" PRIx64 "):\n", nr, block);
	for (uint64_t i = 0; i < nr && !feature.is_short; i++)
		put_memory_node(file, &feature, block);
}

void header_hybrid(FILE *file, struct feature feature)
{
	uint32_t nr = feature_u32(&feature);

	fputs("# hybrid cpu system:\n", file);
	for (uint32_t i = 0; i < nr; i++) {
		const char *pmu = feature_text(&feature), *cpus = feature_text(&feature);

		if (feature.is_short)
			return;
		fputs("# ", file);
		escape_print(file, pmu);
		fputs(" cpu list : ", file);
		escape_print(file, cpus);
		fputc('\n', file);
	}
}

void header_pmus(FILE *file, struct feature feature)
{
	uint32_t nr = feature_u32(&feature);

	fputs(nr ? "# pmu mappings: " : "# pmu mappings: not available", file);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t type = feature_u32(&feature);
		const char *name = feature_text(&feature);

		if (feature.is_short)
			break;
		fputs(i ? ", " : "", file);
		escape_print(file, name);
		fprintf(file, " = %u", type);
	}
	fputc('\n', file);
}

static void put_caps(FILE *file, struct feature *feature, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const char *name = feature_text(feature), *value = feature_text(feature);

		if (feature->is_short)
			return;
		fputs(i ? ", " : "", file);
		escape_print(file, name);
		fputc('=', file);
		escape_print(file, value);
	}
}

/* Among pairs of names and values. */
static bool find_cap(struct feature *feature, const char *name, uint64_t *ret_value)
{
	uint32_t nr = feature_u32(feature);
	bool is_found = false;

	for (uint32_t i = 0; i < nr && !feature->is_short; i++) {
		bool is_it = !strcmp(feature_text(feature), name);
		const char *value = feature_text(feature);

		if (is_it && !is_found && !feature->is_short)
			*ret_value = strtoull(value, NULL, 10);
		is_found |= is_it;
	}
	return is_found && !feature->is_short;
}

uint64_t header_cap(const struct xp_data *data, const char *name)
{
	struct feature feature = { .data = data };
	uint64_t value = 0;
	size_t len;

	feature.at = xp_data_feature(data, XP_FEATURE_CPU_PMU_CAPS, &len);
	feature.end = feature.at ? feature.at + len : NULL;
	if (feature.at && find_cap(&feature, name, &value))
		return value;
	feature = (struct feature){ .data = data };
	feature.at = xp_data_feature(data, XP_FEATURE_PMU_CAPS, &len);
	if (!feature.at)
		return 0;
	feature.end = feature.at + len;
	for (uint32_t nr = feature_u32(&feature); nr && !feature.is_short; nr--) {
		if (find_cap(&feature, name, &value))
			return value;
		feature_text(&feature);
	}
	return 0;
}

void header_cpu_caps(FILE *file, struct feature feature)
{
	uint32_t nr = feature_u32(&feature);

	fputs(nr ? "# cpu pmu capabilities: " : "# cpu pmu capabilities: not available", file);
	put_caps(file, &feature, nr);
	fputc('\n', file);
}

/* The name of the PMU stands behind what it can. */
void header_pmu_caps(FILE *file, struct feature feature)
{
	uint32_t nr = feature_u32(&feature);

	for (uint32_t i = 0; i < nr && !feature.is_short; i++) {
		uint32_t nr_caps = feature_u32(&feature);
		struct feature caps = feature;

		for (uint64_t n = 0; n < 2 * (uint64_t)nr_caps && !feature.is_short; n++)
			feature_text(&feature);
		const char *pmu = feature_text(&feature);
		if (feature.is_short)
			return;
		fputs("# ", file);
		escape_print(file, pmu);
		fputs(" pmu capabilities: ", file);
		put_caps(file, &caps, nr_caps);
		fputc('\n', file);
	}
}

static void put_domains(FILE *file, struct feature *feature, bool have_names)
{
	uint32_t cpu = feature_u32(feature), nr = feature_u32(feature);

	if (feature->is_short)
		return;
	fprintf(file, "# cpu\t\t: %u\n# nr_domains\t: %u\n", cpu, nr);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t domain = feature_u32(feature);

		if (feature->is_short)
			return;
		fprintf(file, "# Domain\t\t: %u\n", domain);
		if (have_names)
			put_list(file, "Domain name      : ", feature);
		put_list(file, "Domain cpu map   : ", feature);
		put_list(file, "Domain cpu list  : ", feature);
	}
}

/* Of the scheduler, of each CPU that was online. */
void header_cpu_domains(FILE *file, struct feature feature)
{
	enum { NAMES_SINCE = 17 };
	uint32_t version = feature_u32(&feature), max = feature_u32(&feature);

	fprintf(file, "# schedstat version\t: %u\n# Maximum sched domains\t: %u\n", version, max);
	while (feature.at < feature.end && !feature.is_short)
		put_domains(file, &feature, version >= NAMES_SINCE);
}

void header_e_machine(FILE *file, struct feature feature)
{
	uint32_t machine = feature_u32(&feature), flags = feature_u32(&feature);

	fprintf(file, "# e_machine : %u\n#   e_flags : %u\n", machine, flags);
}

void header_cache_line(FILE *file, struct feature feature)
{
	fprintf(file, "# cacheline size: %u\n", feature_u32(&feature));
}
