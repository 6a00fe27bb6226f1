/* SPDX-License-Identifier: MIT */
/*
 * The caches: of each the CPUs that share it, and how it is made.
 *
 * Seven files describe one, and a large machine has hundreds. A cache is looked at by the first of
 * its CPUs only, and one of the size of another at the same index is made as that is: two files.
 *
 * Source: Documentation/ABI/testing/sysfs-devices-system-cpu, cache/index*.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytes.h"
#include "cleanup.h"
#include "ctx.h"
#include "features.h"
#include "num.h"

#define INDEX "/sys/devices/system/cpu/cpu%d/cache/index%d/"

enum { VERSION = 1, INDEX_MAX = 16, KINDS_MAX = 32 };

/* How caches of an index and a size are made. */
struct kind {
	int index;
	uint32_t numbers[4]; /* level, line size, sets, ways */
	char type[16];
	char size[16];
};

struct caches {
	struct xp_ctx *ctx;
	struct kind kinds[KINDS_MAX];
	int nr_kinds;
	bool *seen; /* by CPU: its cache of the index that is being looked at */
	int nr_cpus;
	uint32_t nr;
	struct xp_str *out;
};

static void read_word(struct caches *c, int cpu, int index, const char *file, char word[16])
{
	xp_auto_free char *text = NULL;

	word[0] = '\0';
	if (!xp_file_read(c->ctx, &text, NULL, INDEX "%s", cpu, index, file))
		snprintf(word, 16, "%s", first_line(text));
}

static void read_kind(struct caches *c, int cpu, struct kind *kind)
{
	static const char *const files[] = { "level", "coherency_line_size", "number_of_sets",
					     "ways_of_associativity" };

	for (size_t i = 0; i < XP_ARRAY_LEN(files); i++) {
		int64_t number = 0;

		xp_file_read_int(c->ctx, &number, INDEX "%s", cpu, kind->index, files[i]);
		kind->numbers[i] = (uint32_t)number;
	}
	read_word(c, cpu, kind->index, "type", kind->type);
}

/* The kind of a cache; NULL: it has no size. */
static const struct kind *kind_of(struct caches *c, int cpu, int index)
{
	char size[16];

	read_word(c, cpu, index, "size", size);
	for (int i = 0; i < c->nr_kinds; i++)
		if (c->kinds[i].index == index && !strcmp(c->kinds[i].size, size))
			return &c->kinds[i];
	if (!size[0] || c->nr_kinds == KINDS_MAX)
		return NULL;
	struct kind *kind = &c->kinds[c->nr_kinds++];
	kind->index = index;
	memcpy(kind->size, size, sizeof(size));
	read_kind(c, cpu, kind);
	return kind;
}

static int mark(uint64_t first, uint64_t last, void *data)
{
	struct caches *c = data;

	for (uint64_t cpu = first; cpu <= last && cpu < (uint64_t)c->nr_cpus; cpu++)
		c->seen[cpu] = true;
	return 0;
}

static bool add_cache(struct caches *c, int cpu, int index)
{
	xp_auto_free char *list = NULL;

	if (xp_file_read(c->ctx, &list, NULL, INDEX "shared_cpu_list", cpu, index))
		return false;
	xp_num_ranges(list, XP_CPU_MAX, mark, c, NULL);
	const struct kind *kind = kind_of(c, cpu, index);
	if (!kind)
		return true;
	add_bytes(c->out, kind->numbers, sizeof(kind->numbers));
	add_feature_string(c->out, kind->type);
	add_feature_string(c->out, kind->size);
	add_feature_string(c->out, first_line(list));
	c->nr++;
	return true;
}

/* Returns false where no CPU has a cache of this index. */
static bool add_index(struct caches *c, int index, int *first_cpu)
{
	bool any = false;

	memset(c->seen, 0, (size_t)c->nr_cpus * sizeof(*c->seen));
	for (int cpu = *first_cpu; cpu < c->nr_cpus; cpu++) {
		if (c->seen[cpu])
			continue;
		bool has = add_cache(c, cpu, index);
		if (has && !any && !index)
			*first_cpu = cpu; /* those before are offline */
		any |= has;
		if (!any && index)
			break;
	}
	return any;
}

int xp_feature_cache(const struct xp_feature_source *from, struct xp_str *out)
{
	struct caches c = { .ctx = from->ctx, .out = out };
	int first_cpu = 0;

	c.nr_cpus = xp_nr_cpus_present(from->ctx);
	c.seen = calloc((size_t)c.nr_cpus + 1, sizeof(*c.seen));
	if (!c.seen)
		return -ENOMEM;
	add_u32(out, VERSION);
	add_u32(out, 0); /* how many, known at the end */
	for (int index = 0; index < INDEX_MAX; index++)
		if (!add_index(&c, index, &first_cpu))
			break;
	set_u32(out, sizeof(uint32_t), c.nr);
	free(c.seen);
	/* Where the kernel lists none, an empty list, as perf 6.1 writes it. */
	return 0;
}
