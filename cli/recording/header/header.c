/* SPDX-License-Identifier: MIT */
/*
 * The header of a recording as text: one table of features, each with what prints it.
 * Source of the layout of each: perf-data-file-format.txt of perf; of the text: perf 6.1.
 */
#include "header.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attr-text.h"
#include "escape.h"
#include "rounds.h"

struct feature feature_of(const struct xp_data *data, enum xp_feature which)
{
	struct feature feature = { .data = data };
	size_t len = 0;

	feature.at = xp_data_feature(data, which, &len);
	feature.end = feature.at ? feature.at + len : NULL;
	feature.is_short = !feature.at;
	return feature;
}

const void *feature_bytes(struct feature *feature, uint64_t len)
{
	const uint8_t *at = feature->at;

	if (feature->is_short || len > (uint64_t)(feature->end - at)) {
		feature->is_short = true;
		return NULL;
	}
	feature->at += len;
	return at;
}

uint32_t feature_u32(struct feature *feature)
{
	const void *at = feature_bytes(feature, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return xp_data_is_swapped(feature->data) ? __builtin_bswap32(value) : value;
}

uint64_t feature_u64(struct feature *feature)
{
	const void *at = feature_bytes(feature, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return xp_data_is_swapped(feature->data) ? __builtin_bswap64(value) : value;
}

const char *feature_text(struct feature *feature)
{
	uint32_t len = feature_u32(feature);
	const char *text = feature_bytes(feature, len);

	if (text && memchr(text, '\0', len))
		return text;
	feature->is_short = true;
	return "";
}

/* --- what is one line --- */

struct printer;
typedef void (*print_fn)(FILE *file, struct feature feature);

static void put_text(FILE *file, struct feature feature)
{
	escape_print(file, feature_text(&feature));
	fputc('\n', file);
}

static void print_hostname(FILE *file, struct feature feature)
{
	fputs("# hostname : ", file);
	put_text(file, feature);
}

static void print_osrelease(FILE *file, struct feature feature)
{
	fputs("# os release : ", file);
	put_text(file, feature);
}

static void print_version(FILE *file, struct feature feature)
{
	fputs("# perf version : ", file);
	put_text(file, feature);
}

static void print_arch(FILE *file, struct feature feature)
{
	fputs("# arch : ", file);
	put_text(file, feature);
}

static void print_cpudesc(FILE *file, struct feature feature)
{
	fputs("# cpudesc : ", file);
	put_text(file, feature);
}

static void print_cpuid(FILE *file, struct feature feature)
{
	fputs("# cpuid : ", file);
	put_text(file, feature);
}

static void print_nrcpus(FILE *file, struct feature feature)
{
	uint32_t available = feature_u32(&feature), online = feature_u32(&feature);

	fprintf(file, "# nrcpus online : %u\n# nrcpus avail : %u\n", online, available);
}

static void print_total_mem(FILE *file, struct feature feature)
{
	fprintf(file, "# total memory : %" PRIu64 " kB\n", feature_u64(&feature));
}

bool header_is_by_rules(const struct xp_data *data)
{
	struct feature feature = feature_of(data, XP_FEATURE_CMDLINE);
	struct feature arch = feature_of(data, XP_FEATURE_ARCH);
	uint32_t nr = feature_u32(&feature);
	bool is_summed = false;
	const char *before = "";

	for (uint32_t i = 0; i < nr && strcmp(before, "--") != 0; i++) {
		const char *arg = feature_text(&feature);

		if (feature.is_short || !strcmp(arg, "--call-graph=fp") ||
		    (!strcmp(arg, "fp") && !strcmp(before, "--call-graph")))
			return false;
		is_summed |= !strcmp(arg, "--bpf") || !strncmp(arg, "--bpf=", strlen("--bpf="));
		before = arg;
	}
	return is_summed && !strcmp(feature_text(&arch), "x86_64");
}

const char *header_missing(const struct xp_data *data)
{
	struct feature feature = feature_of(data, XP_FEATURE_XPERF_MISSING);

	return feature_text(&feature);
}

bool header_next_missing(const char **at, char *line, size_t size)
{
	size_t len = strcspn(*at, "\n");

	snprintf(line, size, "%.*s", (int)len, *at);
	*at += len + ((*at)[len] == '\n');
	return *line;
}

/* As a shell would want it back. */
static void print_cmdline(FILE *file, struct feature feature)
{
	uint32_t nr = feature_u32(&feature);

	fputs("# cmdline : ", file);
	for (uint32_t i = 0; i < nr; i++) {
		const char *arg = feature_text(&feature);

		if (feature.is_short)
			break;
		for (const char *quote; (quote = strchr(arg, '\'')); arg = quote + 1) {
			char part[256];

			for (; quote - arg >= (ptrdiff_t)sizeof(part); arg += sizeof(part) - 1) {
				snprintf(part, sizeof(part), "%s", arg);
				escape_print(file, part);
			}
			snprintf(part, sizeof(part), "%.*s", (int)(quote - arg), arg);
			escape_print(file, part);
			fputs("\\'", file);
		}
		escape_print(file, arg);
		fputc(' ', file);
	}
	fputc('\n', file);
}

/* Described is what the file header lists, which the events are read from; names and ids, too. */
static void print_events(FILE *file, struct feature feature)
{
	uint32_t described = feature_u32(&feature);
	int nr = xp_data_nr_events(feature.data);

	if (!described || feature.is_short) {
		fputs("# event desc: not available or unable to read\n", file);
		return;
	}
	for (int i = 0; i < nr; i++) {
		const struct xp_data_event *event = xp_data_event_at(feature.data, i);

		fputs("# event : name = ", file);
		escape_print(file, event->name);
		fputs(", ", file);
		for (size_t k = 0; k < event->nr_ids; k++)
			fprintf(file, "%s%" PRIu64, k ? ", " : ", id = { ", event->ids[k]);
		fputs(event->nr_ids ? " }, " : ", ", file);
		attr_print_line(file, &event->attr, " = ");
		fputc('\n', file);
	}
}

static void print_groups(FILE *file, struct feature feature)
{
	int nr = xp_data_nr_events(feature.data);

	for (int i = 0; i < nr; i++) {
		const struct xp_data_event *event = xp_data_event_at(feature.data, i), *member;
		int k = i + 1;

		member = xp_data_event_at(feature.data, k);
		if (event->leader != i || !member || member->leader != i)
			continue;
		fputs("# group: ", file);
		escape_print(file, event->group_name ? event->group_name : "");
		fputc('{', file);
		escape_print(file, event->name);
		for (; member && member->leader == i;
		     member = xp_data_event_at(feature.data, ++k)) {
			fputc(',', file);
			escape_print(file, member->name);
		}
		fputs("}\n", file);
	}
}

static void print_branch(FILE *file, struct feature feature)
{
	(void)feature;
	fputs("# contains samples with branch stack\n", file);
}

static void print_aux(FILE *file, struct feature feature)
{
	(void)feature;
	fputs("# contains AUX area data (e.g. instruction trace)\n", file);
}

static void print_stat(FILE *file, struct feature feature)
{
	(void)feature;
	fputs("# contains stat data\n", file);
}

static void print_dir(FILE *file, struct feature feature)
{
	fprintf(file, "# directory data version : %" PRIu64 "\n", feature_u64(&feature));
}

static void put_seconds(FILE *file, const char *what, uint64_t ns)
{
	fprintf(file, "# time of %s sample : %" PRIu64 ".%06" PRIu64 "\n", what, ns / 1000000000,
		ns / 1000 % 1000000);
}

static void print_times(FILE *file, struct feature feature)
{
	uint64_t first = feature_u64(&feature), last = feature_u64(&feature);

	if (rounds_recorder_was_killed(feature.data)) {
		fputs("# end : none, as the recorder was killed\n", file);
		return;
	}
	put_seconds(file, "first", first);
	put_seconds(file, "last", last);
	fprintf(file, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static void print_compressed(FILE *file, struct feature feature)
{
	uint32_t fields[4];

	for (int i = 0; i < 4; i++) /* version, type, level, ratio */
		fields[i] = feature_u32(&feature);
	fprintf(file, "# compressed : %s, level = %u, ratio = %u\n",
		fields[1] == 1 ? "Zstd" : "Unknown", fields[2], fields[3]);
}

static void print_clockid(FILE *file, struct feature feature)
{
	fprintf(file, "# clockid frequency: %" PRIu64 " MHz\n", feature_u64(&feature) * 1000);
}

static void put_wall(FILE *file, uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[64] = "?";

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%F %T", &tm);
	fprintf(file, "%s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD)", text,
		ns / 1000 % 1000000, ns / 1000000000, ns / 1000 % 1000000);
}

static void print_clock_data(FILE *file, struct feature feature)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",
		[CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_PROCESS_CPUTIME_ID] = "process_cputime_id",
		[CLOCK_THREAD_CPUTIME_ID] = "thread_cputime_id",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw",
		[CLOCK_REALTIME_COARSE] = "realtime_coarse",
		[CLOCK_MONOTONIC_COARSE] = "monotonic_coarse",
		[CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};
	feature_u32(&feature); /* version */
	uint32_t id = feature_u32(&feature);
	uint64_t wall = feature_u64(&feature), clock = feature_u64(&feature);
	const char *name =
		id < sizeof(names) / sizeof(names[0]) && names[id] ? names[id] : "unknown";

	fprintf(file, "# clockid: %s (%u)\n# reference time: ", name, id);
	put_wall(file, wall);
	fprintf(file, " = %" PRIu64 ".%09" PRIu64 " (%s)\n", clock / 1000000000, clock % 1000000000,
		name);
}

/* --- all of it --- */

/* By the number of the feature; without print: nothing is shown of it. */
static const struct printer {
	const char *name;
	print_fn print;
	bool is_long;
} printers[] = {
	[XP_FEATURE_TRACING_DATA] = { "TRACING_DATA", NULL, false },
	[XP_FEATURE_BUILD_ID] = { "BUILD_ID", NULL, false },
	[XP_FEATURE_HOSTNAME] = { "HOSTNAME", print_hostname, false },
	[XP_FEATURE_OSRELEASE] = { "OSRELEASE", print_osrelease, false },
	[XP_FEATURE_VERSION] = { "VERSION", print_version, false },
	[XP_FEATURE_ARCH] = { "ARCH", print_arch, false },
	[XP_FEATURE_NRCPUS] = { "NRCPUS", print_nrcpus, false },
	[XP_FEATURE_CPUDESC] = { "CPUDESC", print_cpudesc, false },
	[XP_FEATURE_CPUID] = { "CPUID", print_cpuid, false },
	[XP_FEATURE_TOTAL_MEM] = { "TOTAL_MEM", print_total_mem, false },
	[XP_FEATURE_CMDLINE] = { "CMDLINE", print_cmdline, false },
	[XP_FEATURE_EVENT_DESC] = { "EVENT_DESC", print_events, false },
	[XP_FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", header_cpu_topology, true },
	[XP_FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", header_numa_topology, true },
	[XP_FEATURE_BRANCH_STACK] = { "BRANCH_STACK", print_branch, false },
	[XP_FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", header_pmus, false },
	[XP_FEATURE_GROUP_DESC] = { "GROUP_DESC", print_groups, false },
	[XP_FEATURE_AUXTRACE] = { "AUXTRACE", print_aux, false },
	[XP_FEATURE_STAT] = { "STAT", print_stat, false },
	[XP_FEATURE_CACHE] = { "CACHE", header_caches, true },
	[XP_FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", print_times, false },
	[XP_FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", header_memory, true },
	[XP_FEATURE_CLOCKID] = { "CLOCKID", print_clockid, false },
	[XP_FEATURE_DIR_FORMAT] = { "DIR_FORMAT", print_dir, false },
	[XP_FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", header_bpf, false },
	[XP_FEATURE_BPF_BTF] = { "BPF_BTF", header_btf, false },
	[XP_FEATURE_COMPRESSED] = { "COMPRESSED", print_compressed, false },
	[XP_FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", header_cpu_caps, false },
	[XP_FEATURE_CLOCK_DATA] = { "CLOCK_DATA", print_clock_data, false },
	[XP_FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", header_hybrid, true },
	[XP_FEATURE_PMU_CAPS] = { "PMU_CAPS", header_pmu_caps, false },
	[XP_FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", header_cpu_domains, true },
	[XP_FEATURE_E_MACHINE] = { "E_MACHINE", header_e_machine, false },
	[XP_FEATURE_CLN_SIZE] = { "CLN_SIZE", header_cache_line, false },
};

enum { NR_PRINTERS = sizeof(printers) / sizeof(printers[0]) };

static void print_place(FILE *file, const struct xp_data *data, const char *path)
{
	struct xp_data_layout layout = xp_data_get_layout(data);
	struct stat st;
	char when[32] = "?\n";

	if (!(strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)))
		ctime_r(&st.st_mtime, when);
	fprintf(file,
		"# captured on    : %s# header version : 1\n# data offset    : %" PRIu64
		"\n# data size      : %" PRIu64 "\n# feat offset    : %" PRIu64 "\n",
		when, layout.data_offset, layout.data_size, layout.feature_offset);
}

/* Newer features than those of perf 6.1 are missing in what a newer perf wrote, which has one of
 * them. */
static void print_missing(FILE *file, const struct xp_data *data)
{
	int last = NR_PRINTERS - 1;
	size_t len;

	while (last > XP_FEATURE_PMU_CAPS && !xp_data_feature(data, (enum xp_feature)last, &len))
		last--;
	fputs("# missing features: ", file);
	for (int i = XP_FEATURE_TRACING_DATA; i <= last; i++)
		if (!xp_data_feature(data, (enum xp_feature)i, &len))
			fprintf(file, "%s ", printers[i].name);
	fputc('\n', file);
}

void header_print(FILE *file, const struct xp_data *data, const char *path, bool full)
{
	bool is_stream = xp_data_is_stream(data);

	fputs("# ========\n", file);
	print_place(file, data, path);
	if (is_stream)
		fputs("# ========\n#\n", file);
	for (int i = XP_FEATURE_TRACING_DATA; i < NR_PRINTERS; i++) {
		struct feature feature = { .data = data };
		size_t len;

		feature.at = xp_data_feature(data, (enum xp_feature)i, &len);
		if (!feature.at || !printers[i].print)
			continue;
		feature.end = feature.at + len;
		if (printers[i].is_long && !full)
			fprintf(file, "# %s info available, use -I to display\n", printers[i].name);
		else
			printers[i].print(file, feature);
	}
	if (is_stream)
		return;
	print_missing(file, data);
	fputs("# ========\n#\n", file);
}
