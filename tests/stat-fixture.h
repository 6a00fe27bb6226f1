/* SPDX-License-Identifier: MIT */
/* Events with constructed counts, on CPUs and threads of a machine that is a directory. */
#ifndef TESTS_STAT_FIXTURE_H
#define TESTS_STAT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "event.h"
#include "put-file.h"
#include "remove-tree.h"

#define HW(name) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name
#define SW(name) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name
#define CACHE(name, result)                                                                        \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##name | PERF_COUNT_HW_CACHE_RESULT_##result << 16

struct fixture {
	char root[64];
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_cpus *cpus;
	struct xp_threads *threads;
};

/* One CPU of the machine. */
static inline void put_cpu(struct fixture *f, int cpu, int socket, int die, int core, int node)
{
	const struct {
		const char *file;
		int value;
	} files[] = { { "physical_package_id", socket }, { "die_id", die }, { "core_id", core } };
	char text[16];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(text, sizeof(text), "%d\n", files[i].value);
		put_file(f->root, text, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
			 files[i].file);
	}
	put_file(f->root, NULL, "/sys/devices/system/cpu/cpu%d/node%d", cpu, node);
}

/* @sharers: the CPUs that have this cache */
static inline void put_cache(struct fixture *f, int cpu, int index, int level, const char *sharers)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", level);
	put_file(f->root, text, "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, index);
	put_file(f->root, sharers, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
		 cpu, index);
}

/* @cpus, @tid: NULL and 0 for any. */
static inline void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	snprintf(f->root, sizeof(f->root), "/tmp/xperf-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = f->root };
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
	assert_int_equal(xp_cpus_any(&f->cpus), 0);
	assert_int_equal(xp_threads_any(&f->threads), 0);
}

static inline void fixture_cpus(struct fixture *f, const char *list)
{
	xp_cpus_unref(f->cpus);
	assert_int_equal(xp_cpus_parse(list, &f->cpus, NULL), 0);
}

/* Threads of one process, by number; their names are written by put_file(). */
static inline void fixture_process(struct fixture *f, const char *pid)
{
	xp_threads_unref(f->threads);
	assert_int_equal(xp_threads_of_processes(f->ctx, pid, &f->threads, NULL), 0);
}

static inline void fixture_fini(struct fixture *f)
{
	xp_evlist_free(f->evlist);
	xp_cpus_unref(f->cpus);
	xp_threads_unref(f->threads);
	xp_ctx_free(f->ctx);
	assert_int_equal(remove_tree(f->root), 0);
}

static inline struct xp_evsel *add_event(struct fixture *f, uint32_t type, uint64_t config,
					 const char *name)
{
	struct xp_attr attr = { .type = type, .config = config };
	struct xp_evsel *evsel;

	assert_int_equal(xp_evsel_new(f->ctx, &attr, name, &evsel), 0);
	evsel->support = XP_SUPPORTED;
	assert_int_equal(xp_evlist_add(f->evlist, evsel), 0);
	return evsel;
}

static inline struct xp_evsel *add_unsupported(struct fixture *f, uint32_t type, uint64_t config,
					       const char *name, const char *reason)
{
	struct xp_evsel *evsel = add_event(f, type, config, name);

	evsel->support = XP_NOT_SUPPORTED;
	if (reason)
		xp_evsel_set_reason(evsel, "%s", reason);
	return evsel;
}

static inline struct xp_evsel *add_tool(struct fixture *f, enum xp_tool_event tool,
					const char *name)
{
	struct xp_evsel *evsel;

	assert_int_equal(xp_evsel_new_tool(f->ctx, tool, name, &evsel), 0);
	evsel->support = XP_SUPPORTED;
	assert_int_equal(xp_evlist_add(f->evlist, evsel), 0);
	return evsel;
}

static inline struct xp_counts *new_counts(const struct fixture *f)
{
	struct xp_counts *counts;

	assert_int_equal(xp_counts_new(xp_evlist_nr(f->evlist), xp_cpus_nr(f->cpus),
				       xp_threads_nr(f->threads), &counts),
			 0);
	return counts;
}

#endif
