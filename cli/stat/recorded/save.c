/* SPDX-License-Identifier: MIT */
/*
 * The recording of `xperf stat record`: events, maps of CPUs and threads, and a STAT record for
 * each of them at the end of each interval or of the run. Counts grow from interval to interval, as
 * in perf's recordings. Source of the records: Documentation/perf.data-file-format.txt of perf; of
 * their order: files of perf 6.1.
 */
#include "save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/record.h>

#include "maps.h"

struct stat_save {
	const struct stat_config *config;
	struct xp_data_writer *writer;
	int argc;
	char **argv; /* the first is ours */
	struct xp_evlist *evlist;
	struct xp_cpus *cpus;
	int nr_threads;
	struct xp_counts *sum; /* of the intervals */
};

/*
 * Source: enum aggr_mode of perf 6.1, 6.5 (which inserted caches) and 6.9 (clusters), whose numbers
 * are in the files. Those that all versions share are the first four.
 */
static const int8_t perf_numbers[XP_AGGR_NR_MODES][STAT_PERF_NR] = {
	[XP_AGGR_CPU] = { 0, 0, 0 },       [XP_AGGR_GLOBAL] = { 1, 1, 1 },
	[XP_AGGR_SOCKET] = { 2, 2, 2 },    [XP_AGGR_DIE] = { 3, 3, 3 },
	[XP_AGGR_CLUSTER] = { -1, -1, 4 }, [XP_AGGR_CACHE] = { -1, 4, 5 },
	[XP_AGGR_CORE] = { 4, 5, 6 },      [XP_AGGR_THREAD] = { 5, 6, 7 },
	[XP_AGGR_NODE] = { 7, 8, 9 },
};

int stat_perf_number(enum xp_aggr_mode mode, enum stat_perf_numbers numbers)
{
	return perf_numbers[mode][numbers];
}

enum xp_aggr_mode stat_perf_mode(uint64_t number, enum stat_perf_numbers numbers)
{
	int mode = 0;

	while (mode < XP_AGGR_NR_MODES && (uint64_t)perf_numbers[mode][numbers] != number)
		mode++;
	return (enum xp_aggr_mode)mode;
}

static int failed(const struct stat_save *save, int err, struct xp_diag *diag)
{
	return err ? xp_diag_set(diag, err, "%s cannot be written: %s", save->config->record,
				 strerror(-err))
		   : 0;
}

/* The program's own path goes before what it was called with, as perf has it. */
static int keep_command_line(struct stat_save *save, int argc, char **argv)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self));
	bool is_known = len > 0 && (size_t)len < sizeof(self);

	save->argv = calloc((size_t)argc + 2, sizeof(*save->argv));
	if (!save->argv)
		return -ENOMEM;
	save->argv[0] = is_known ? strndup(self, (size_t)len) : strdup("xperf");
	memcpy(save->argv + 1, argv, (size_t)argc * sizeof(*argv));
	save->argc = argc + 1;
	return save->argv[0] ? 0 : -ENOMEM;
}

int stat_save_open(const struct stat_config *config, struct xp_ctx *ctx, int argc, char **argv,
		   struct stat_save **ret_save, struct xp_diag *diag)
{
	bool to_stdout = !strcmp(config->record, "-");
	const struct xp_data_writer_opts opts = {
		.size = sizeof(opts),
		.path = to_stdout ? NULL : config->record,
		.fd = STDOUT_FILENO,
		.shape = to_stdout ? XP_DATA_PIPE : XP_DATA_FILE,
	};
	struct stat_save *save = calloc(1, sizeof(*save));
	if (!save || keep_command_line(save, argc, argv)) {
		stat_save_free(save);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	save->config = config;
	int err = xp_data_writer_open(ctx, &opts, &save->writer, diag);
	if (err) {
		stat_save_free(save);
		return err;
	}
	*ret_save = save;
	return 0;
}

/* --- events --- */

/* "0,2-3", the caller's to free. */
static char *cpus_text(const struct xp_cpus *cpus)
{
	enum { NUMBER_LEN = 12 };
	int nr = xp_cpus_nr(cpus);
	char *text = malloc((size_t)nr * NUMBER_LEN + 1);
	size_t len = 0;

	for (int i = 0; text && i < nr; i++)
		len += (size_t)snprintf(text + len, NUMBER_LEN, "%s%d", i ? "," : "",
					xp_cpus_at(cpus, i).nr);
	return text;
}

/* One id for all its counters: STAT records say which it is. */
static uint64_t id_of(int event)
{
	return (uint64_t)event + 1;
}

static int add_event(const struct stat_save *save, int nth)
{
	const struct xp_evsel *evsel = xp_evlist_at(save->evlist, nth);
	const struct xp_cpus *own = xp_evsel_own_cpus(evsel);
	char *own_cpus = own ? cpus_text(own) : NULL;
	uint64_t id = id_of(nth);
	struct xp_data_event event = {
		.size = sizeof(event),
		.attr = *xp_evsel_attr_const(evsel),
		.name = xp_evsel_name(evsel),
		.unit = *xp_evsel_unit(evsel) ? xp_evsel_unit(evsel) : NULL,
		.scale = xp_evsel_scale(evsel),
		.own_cpus = own_cpus,
		.ids = &id,
		.nr_ids = xp_evsel_support(evsel) != XP_NOT_SUPPORTED,
		.leader = xp_evsel_index(xp_evsel_leader(evsel)),
	};

	event.attr.sample_type = XP_SAMPLE_IDENTIFIER;
	/* What no kernel counts is nothing to perf but a name. */
	if (xp_evsel_tool(evsel) != XP_TOOL_NONE) {
		event.attr.type = XP_TYPE_SOFTWARE;
		event.attr.config = XP_SW_DUMMY;
	}
	int err = own && !own_cpus ? -ENOMEM : xp_data_writer_add_event(save->writer, &event);
	free(own_cpus);
	return err;
}

static int write_config(const struct stat_save *save)
{
	const struct stat_config *config = save->config;
	bool is_new = stat_perf_number(config->aggr_mode, STAT_PERF_6_1) < 0;
	int mode = stat_perf_number(config->aggr_mode, is_new ? STAT_PERF_6_9 : STAT_PERF_6_1);
	const uint64_t terms[][2] = {
		{ STAT_TERM_AGGR_MODE, (uint64_t)mode },
		{ STAT_TERM_INTERVAL, (uint64_t)config->interval_ms },
		{ STAT_TERM_SCALE, config->scale },
		/* perf's number for the last level is one more than the highest */
		{ STAT_TERM_AGGR_LEVEL,
		  config->cache_level ? (uint64_t)config->cache_level : XP_CACHE_LEVEL_MAX + 1 },
	};
	size_t nr = sizeof(terms) / sizeof(terms[0]) - !is_new;
	struct {
		struct xp_record header;
		uint64_t nr;
		uint64_t terms[sizeof(terms) / sizeof(terms[0])][2];
	} record = { .nr = nr };

	memcpy(record.terms, terms, sizeof(terms));
	record.header.type = XP_RECORD_STAT_CONFIG;
	record.header.size = (uint16_t)(sizeof(record.header) + sizeof(nr) + nr * sizeof(terms[0]));
	return xp_data_writer_write(save->writer, &record, record.header.size, false);
}

int stat_save_start(struct stat_save *save, struct xp_evlist *evlist, struct xp_diag *diag)
{
	struct xp_threads *threads = xp_evlist_threads(evlist);
	int nr = xp_evlist_nr(evlist), err = 0;

	save->evlist = evlist;
	save->cpus = xp_cpus_ref(xp_evlist_cpus(evlist));
	save->nr_threads = xp_threads_nr(threads);
	for (int i = 0; i < nr && !err; i++)
		err = add_event(save, i);
	if (!err)
		err = xp_data_writer_add_host(save->writer, save->argc,
					      (const char *const *)save->argv)
			      ?: xp_data_writer_add_feature(save->writer, XP_FEATURE_STAT, "", 0)
			      ?: xp_data_writer_add_threads(save->writer, threads)
			      ?: xp_data_writer_add_cpus(save->writer, save->cpus)
			      ?: xp_counts_new(nr, xp_cpus_nr(save->cpus), save->nr_threads,
					       &save->sum);
	if (err)
		return failed(save, err, diag);
	err = xp_data_writer_start(save->writer, diag);
	return err ? err : failed(save, write_config(save), diag);
}

/* --- counts --- */

/* A tool event has one value, and no counter that could have been taken from it. */
static struct xp_count cell_of(const struct xp_evsel *evsel, const struct xp_count *cell)
{
	struct xp_count count = *cell;

	if (xp_evsel_tool(evsel) == XP_TOOL_NONE || (cell->enabled_ns && !cell->running_ns))
		return count;
	count.enabled_ns = count.value && !xp_evsel_is_snapshot(evsel) ? count.value : 1;
	count.running_ns = count.enabled_ns;
	return count;
}

static int write_cell(const struct stat_save *save, const struct xp_counts *counts, int event,
		      int cpu_idx, int thread_idx)
{
	const struct xp_evsel *evsel = xp_evlist_at(save->evlist, event);
	const struct xp_cpus *own = xp_evsel_own_cpus(evsel);
	struct xp_cpu cpu = xp_cpus_at(save->cpus, cpu_idx);

	if (own && cpu.nr >= 0 && xp_cpus_find(own, cpu) < 0)
		return 0;
	if (xp_evsel_tool(evsel) != XP_TOOL_NONE && (cpu_idx || thread_idx))
		return 0;
	struct xp_count count = cell_of(evsel, xp_counts_at(counts, event, cpu_idx, thread_idx));
	const struct stat_record record = {
		.header = { .type = XP_RECORD_STAT, .size = sizeof(record) },
		.id = id_of(event),
		.cpu = (uint32_t)cpu.nr,
		.thread = (uint32_t)thread_idx,
		.value = count.value,
		.enabled = count.enabled_ns,
		.running = count.running_ns,
	};
	return xp_data_writer_write(save->writer, &record, sizeof(record), false);
}

static int write_round(const struct stat_save *save, const struct xp_counts *counts, uint64_t type,
		       uint64_t time_ns)
{
	int err = 0;

	for (int event = 0; event < xp_evlist_nr(save->evlist); event++) {
		if (xp_evsel_support(xp_evlist_at(save->evlist, event)) == XP_NOT_SUPPORTED)
			continue;
		for (int c = 0; c < xp_cpus_nr(save->cpus); c++)
			for (int t = 0; t < save->nr_threads && !err; t++)
				err = write_cell(save, counts, event, c, t);
	}
	const struct round_record round = {
		.header = { .type = XP_RECORD_STAT_ROUND, .size = sizeof(round) },
		.type = type,
		.time_ns = time_ns,
	};
	return err ? err : xp_data_writer_write(save->writer, &round, sizeof(round), false);
}

/* Snapshots are no sums. */
static void add_interval(const struct stat_save *save, const struct xp_counts *counts)
{
	for (int event = 0; event < xp_evlist_nr(save->evlist); event++)
		for (int c = 0; c < xp_cpus_nr(save->cpus); c++)
			for (int t = 0; t < save->nr_threads; t++) {
				const struct xp_count *more = xp_counts_at(counts, event, c, t);
				struct xp_count *sum = xp_counts_at(save->sum, event, c, t);

				if (xp_evsel_is_snapshot(xp_evlist_at(save->evlist, event))) {
					*sum = *more;
					continue;
				}
				sum->value += more->value;
				sum->enabled_ns += more->enabled_ns;
				sum->running_ns += more->running_ns;
			}
}

int stat_save_interval(struct stat_save *save, const struct xp_counts *counts,
		       uint64_t since_start_ns, struct xp_diag *diag)
{
	add_interval(save, counts);
	return failed(save, write_round(save, save->sum, STAT_ROUND_INTERVAL, since_start_ns),
		      diag);
}

int stat_save_run(struct stat_save *save, const struct xp_counts *counts, uint64_t wall_ns,
		  struct xp_diag *diag)
{
	return failed(save, write_round(save, counts, STAT_ROUND_FINAL, wall_ns), diag);
}

int stat_save_finish(struct stat_save *save, struct xp_diag *diag)
{
	return xp_data_writer_finish(save->writer, diag);
}

void stat_save_free(struct stat_save *save)
{
	if (!save)
		return;
	xp_data_writer_free(save->writer);
	xp_cpus_unref(save->cpus);
	xp_counts_free(save->sum);
	free(save->argv ? save->argv[0] : NULL);
	free(save->argv);
	free(save);
}
