/* SPDX-License-Identifier: MIT */
/*
 * Where a CPU sits: socket, die and core from its topology directory, the node from the link in its
 * directory. Source: Documentation/admin-guide/cputopology.rst; /sys/devices/system/cpu/cpuN/nodeM.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctx.h"
#include "num.h"

struct known_place {
	bool known;
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

/* A topology file's number; 0 where the kernel does not say, or says -1. */
static int topology_number(struct xp_ctx *ctx, int cpu, const char *file)
{
	int64_t value;

	if (xp_file_read_int(ctx, &value, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, file))
		return 0;
	return value < 0 || value > INT32_MAX ? 0 : (int)value;
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
		known->place.socket = topology_number(ctx, cpu.nr, "physical_package_id");
		known->place.die = topology_number(ctx, cpu.nr, "die_id");
		known->place.core = topology_number(ctx, cpu.nr, "core_id");
		xp_file_list(ctx, add_node, &known->place.node, "/sys/devices/system/cpu/cpu%d",
			     cpu.nr);
		known->known = true;
	}
	*ret_place = known->place;
	return 0;
}
