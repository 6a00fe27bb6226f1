/* SPDX-License-Identifier: MIT */
/*
 * Where a CPU sits: socket, die, core and cluster from its topology directory, the node from the
 * link in its directory, caches by the CPUs that share them: not all kernels give caches an id.
 * Source: Documentation/admin-guide/cputopology.rst; /sys/devices/system/cpu/cpuN/nodeM;
 * Documentation/ABI/testing/sysfs-devices-system-cpu.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "ctx.h"
#include "num.h"

#define CPU_DIR "/sys/devices/system/cpu/cpu%d"

struct known_place {
	bool known;
	bool given; /* by xp_place_set() */
	struct xp_place place;
};

struct xp_places {
	int nr;
	struct known_place *at; /* by CPU number */
};

void xp_places_free(struct xp_places *places)
{
	if (!places)
		return;
	free(places->at);
	free(places);
}

static int room_for(struct xp_ctx *ctx, int cpu)
{
	if (!ctx->places)
		ctx->places = calloc(1, sizeof(*ctx->places));
	if (!ctx->places)
		return -ENOMEM;
	if (cpu < ctx->places->nr)
		return 0;

	int nr = (cpu + 1) * 2;
	struct known_place *at = realloc(ctx->places->at, (size_t)nr * sizeof(*at));
	if (!at)
		return -ENOMEM;
	memset(at + ctx->places->nr, 0, (size_t)(nr - ctx->places->nr) * sizeof(*at));
	ctx->places->at = at;
	ctx->places->nr = nr;
	return 0;
}

/* A topology file's number; @unknown where the kernel does not say, or says -1. */
static int topology_number(struct xp_ctx *ctx, int cpu, const char *file, int unknown)
{
	int64_t value;

	if (xp_file_read_int(ctx, &value, CPU_DIR "/topology/%s", cpu, file))
		return unknown;
	return value < 0 || value > INT32_MAX ? unknown : (int)value;
}

/* x86 says 65535 where it does not know: -1 in 16 bits. Measured: Linux 6.18, a KVM guest. */
static int cluster_of(struct xp_ctx *ctx, int cpu)
{
	int cluster = topology_number(ctx, cpu, "cluster_id", -1);

	return cluster == UINT16_MAX ? -1 : cluster;
}

static int keep_first(uint64_t first, uint64_t last, void *data)
{
	(void)last;
	*(int *)data = (int)first;
	return 1;
}

/* One of a CPU's caches. */
struct cache_search {
	struct xp_ctx *ctx;
	int cpu;
	int wanted; /* 0: the last level */
	struct xp_place *place;
};

static int look_at_cache(const char *name, void *data)
{
	const struct cache_search *search = data;
	struct xp_place *place = search->place;
	xp_auto_free char *sharers = NULL;
	int64_t level;
	int first;

	if (strncmp(name, "index", strlen("index")) ||
	    xp_file_read_int(search->ctx, &level, CPU_DIR "/cache/%s/level", search->cpu, name))
		return 0;
	if (search->wanted ? level != search->wanted
			   : level <= place->cache_level || level > XP_CACHE_LEVEL_MAX)
		return 0;
	if (xp_file_read(search->ctx, &sharers, NULL, CPU_DIR "/cache/%s/shared_cpu_list",
			 search->cpu, name) ||
	    xp_num_ranges(sharers, XP_CPU_MAX, keep_first, &first, NULL) != 1)
		return 0;
	place->cache_level = (int)level;
	place->cache = first;
	return 0;
}

static void find_cache(struct xp_ctx *ctx, int cpu, int level, struct xp_place *place)
{
	struct cache_search search = { ctx, cpu, level, place };

	place->cache_level = level;
	place->cache = -1;
	xp_file_list(ctx, look_at_cache, &search, CPU_DIR "/cache", cpu);
}

static int add_node(const char *name, void *data)
{
	uint64_t node;

	if (strncmp(name, "node", 4) || xp_num_parse(name + 4, strlen(name + 4), 10, &node) ||
	    node > INT32_MAX)
		return 0;
	*(int *)data = (int)node;
	return 1;
}

int xp_place_of(struct xp_ctx *ctx, struct xp_cpu cpu, struct xp_place *ret_place)
{
	if (cpu.nr < 0 || cpu.nr > XP_CPU_MAX)
		return -EINVAL;
	int err = room_for(ctx, cpu.nr);
	if (err)
		return err;

	struct known_place *known = &ctx->places->at[cpu.nr];
	if (!known->known) {
		unsigned int since = ctx->nr_shortages;

		known->place.socket = topology_number(ctx, cpu.nr, "physical_package_id", 0);
		known->place.die = topology_number(ctx, cpu.nr, "die_id", 0);
		known->place.core = topology_number(ctx, cpu.nr, "core_id", 0);
		known->place.cluster = cluster_of(ctx, cpu.nr);
		xp_file_list(ctx, add_node, &known->place.node, CPU_DIR, cpu.nr);
		find_cache(ctx, cpu.nr, 0, &known->place);
		err = xp_ctx_shortage(ctx, since);
		if (err)
			return err;
		known->known = true;
	}
	*ret_place = known->place;
	return 0;
}

int xp_place_set(struct xp_ctx *ctx, struct xp_cpu cpu, const struct xp_place *place)
{
	if (cpu.nr < 0 || cpu.nr > XP_CPU_MAX)
		return -EINVAL;
	int err = room_for(ctx, cpu.nr);
	if (err)
		return err;
	ctx->places->at[cpu.nr] = (struct known_place){ true, true, *place };
	return 0;
}

int xp_place_by_cache(struct xp_ctx *ctx, struct xp_cpu cpu, int level, struct xp_place *ret_place)
{
	int err = xp_place_of(ctx, cpu, ret_place);
	unsigned int since = ctx->nr_shortages;

	if (err || !level || ctx->places->at[cpu.nr].given)
		return err;
	find_cache(ctx, cpu.nr, level, ret_place);
	return xp_ctx_shortage(ctx, since);
}
