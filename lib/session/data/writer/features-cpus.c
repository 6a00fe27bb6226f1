/* SPDX-License-Identifier: MIT */
/*
 * How many CPUs there are, and which share a core, a die, a socket.
 *
 * Each list of siblings is read once, not by each of those on it: of a machine with 256 CPUs that
 * is a quarter of the files. Source: Documentation/admin-guide/cputopology.rst; the names of files
 * are the older ones, which every kernel has.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>

#include "bytes.h"
#include "cleanup.h"
#include "ctx.h"
#include "features.h"
#include "num.h"

#define CPUS "/sys/devices/system/cpu"

static int keep_last(uint64_t first, uint64_t last, void *data)
{
	(void)first;
	*(int *)data = (int)last;
	return 0;
}

int xp_nr_cpus_present(struct xp_ctx *ctx)
{
	xp_auto_free char *text = NULL;
	int last = -1;

	if (!xp_file_read(ctx, &text, NULL, CPUS "/present"))
		xp_num_ranges(text, XP_CPU_MAX, keep_last, &last, NULL);
	return last + 1;
}

int xp_feature_nrcpus(const struct xp_feature_source *from, struct xp_str *out)
{
	struct xp_cpus *online;
	int nr = xp_nr_cpus_present(from->ctx);
	int err = nr ? xp_cpus_online(from->ctx, &online, NULL) : -ENOENT;

	if (err)
		return err;
	add_u32(out, (uint32_t)nr);
	add_u32(out, (uint32_t)xp_cpus_nr(online));
	xp_cpus_unref(online);
	return 0;
}

/* CPUs by what they share. */
enum { SOCKET, CORE, DIE, NR_SHARED };

static const struct {
	const char *siblings;
	const char *id;
} shared[NR_SHARED] = {
	[SOCKET] = { "core_siblings_list", "physical_package_id" },
	[CORE] = { "thread_siblings_list", "core_id" },
	[DIE] = { "die_cpus_list", "die_id" },
};

/* @ids: by CPU, -1: not known. @lists: their siblings, as strings of a feature. */
struct sharing {
	int32_t *ids;
	bool *seen;
	int nr_cpus;
	int32_t id;
	uint32_t nr_lists;
	struct xp_str lists;
};

static int share(uint64_t first, uint64_t last, void *data)
{
	struct sharing *s = data;

	for (uint64_t cpu = first; cpu <= last && cpu < (uint64_t)s->nr_cpus; cpu++) {
		s->ids[cpu] = s->id;
		s->seen[cpu] = true;
	}
	return 0;
}

static void read_list(struct xp_ctx *ctx, int level, int cpu, struct sharing *s)
{
	xp_auto_free char *list = NULL;
	int64_t id = -1;

	if (xp_file_read(ctx, &list, NULL, CPUS "/cpu%d/topology/%s", cpu, shared[level].siblings))
		return;
	xp_file_read_int(ctx, &id, CPUS "/cpu%d/topology/%s", cpu, shared[level].id);
	s->id = (int32_t)id;
	share((uint64_t)cpu, (uint64_t)cpu, s);
	xp_num_ranges(list, XP_CPU_MAX, share, s, NULL);
	add_feature_string(&s->lists, first_line(list));
	s->nr_lists++;
}

static int read_sharing(struct xp_ctx *ctx, int level, struct sharing *s)
{
	size_t nr = (size_t)s->nr_cpus;

	s->ids = malloc(nr * sizeof(*s->ids));
	s->seen = calloc(nr, sizeof(*s->seen));
	if (!s->ids || !s->seen)
		return -ENOMEM;
	memset(s->ids, -1, nr * sizeof(*s->ids));
	for (int cpu = 0; cpu < s->nr_cpus; cpu++)
		if (!s->seen[cpu])
			read_list(ctx, level, cpu, s);
	return 0;
}

static void add_lists(const struct sharing *s, struct xp_str *out)
{
	add_u32(out, s->nr_lists);
	add_bytes(out, s->lists.s, s->lists.len);
	out->failed |= s->lists.failed;
}

static void add_topology(const struct sharing *levels, struct xp_str *out)
{
	int nr = levels[SOCKET].nr_cpus;

	add_lists(&levels[SOCKET], out);
	add_lists(&levels[CORE], out);
	for (int cpu = 0; cpu < nr; cpu++) {
		add_u32(out, (uint32_t)levels[CORE].ids[cpu]);
		add_u32(out, (uint32_t)levels[SOCKET].ids[cpu]);
	}
	if (!levels[DIE].nr_lists)
		return; /* Linux before 5.2 */
	add_lists(&levels[DIE], out);
	for (int cpu = 0; cpu < nr; cpu++)
		add_u32(out, (uint32_t)levels[DIE].ids[cpu]);
}

int xp_feature_cpu_topology(const struct xp_feature_source *from, struct xp_str *out)
{
	struct sharing levels[NR_SHARED] = { 0 };
	int nr = xp_nr_cpus_present(from->ctx), err = nr ? 0 : -ENOENT;

	for (int level = 0; level < NR_SHARED && !err; level++) {
		levels[level].nr_cpus = nr;
		err = read_sharing(from->ctx, level, &levels[level]);
	}
	if (!err && !levels[CORE].nr_lists)
		err = -ENOENT;
	if (!err)
		add_topology(levels, out);
	for (int level = 0; level < NR_SHARED; level++) {
		free(levels[level].ids);
		free(levels[level].seen);
		xp_str_fini(&levels[level].lists);
	}
	return err;
}
