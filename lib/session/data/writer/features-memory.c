/* SPDX-License-Identifier: MIT */
/*
 * Memory: how much there is, in which nodes, in which of its blocks.
 * Source: proc(5), meminfo; Documentation/ABI/stable/sysfs-devices-node and -memory: block sizes
 * are hexadecimal.
 */
#include <errno.h>
#include <stdlib.h>

#include "bytes.h"
#include "cleanup.h"
#include "ctx.h"
#include "features.h"
#include "num.h"

#define NODES "/sys/devices/system/node"

/* The number behind @key in a file like meminfo, kB. */
static int meminfo_value(const char *text, const char *key, uint64_t *ret_kb)
{
	const char *at = strstr(text, key);

	if (!at)
		return -ENOENT;
	at += strlen(key);
	at += strspn(at, ": \t");
	return xp_num_parse(at, strspn(at, "0123456789"), 10, ret_kb);
}

int xp_feature_total_mem(const struct xp_feature_source *from, struct xp_str *out)
{
	xp_auto_free char *text = NULL;
	uint64_t kb;
	int err = xp_file_read(from->ctx, &text, NULL, "/proc/meminfo")
			  ?: meminfo_value(text, "MemTotal", &kb);

	if (!err)
		add_u64(out, kb);
	return err;
}

/* --- nodes --- */

/* What is gathered node by node. */
struct nodes {
	struct xp_ctx *ctx;
	struct xp_str *out;
	uint32_t nr;
};

static void add_node(struct nodes *nodes, uint32_t node)
{
	xp_auto_free char *meminfo = NULL, *cpus = NULL;
	uint64_t total_kb, free_kb;

	if (xp_file_read(nodes->ctx, &meminfo, NULL, NODES "/node%u/meminfo", node) ||
	    xp_file_read(nodes->ctx, &cpus, NULL, NODES "/node%u/cpulist", node) ||
	    meminfo_value(meminfo, "MemTotal", &total_kb) ||
	    meminfo_value(meminfo, "MemFree", &free_kb))
		return;
	add_u32(nodes->out, node);
	add_u64(nodes->out, total_kb);
	add_u64(nodes->out, free_kb);
	add_feature_string(nodes->out, first_line(cpus));
	nodes->nr++;
}

static int add_nodes(uint64_t first, uint64_t last, void *data)
{
	for (uint64_t node = first; node <= last; node++)
		add_node(data, (uint32_t)node);
	return 0;
}

/* Calls @fn for the ranges of nodes that are online. */
static int each_nodes(struct nodes *nodes, int (*fn)(uint64_t first, uint64_t last, void *data))
{
	enum { NODE_MAX = 4095 };
	xp_auto_free char *online = NULL;
	int err = xp_file_read(nodes->ctx, &online, NULL, NODES "/online");

	return err ? err : xp_num_ranges(online, NODE_MAX, fn, nodes, NULL);
}

int xp_feature_numa_topology(const struct xp_feature_source *from, struct xp_str *out)
{
	struct nodes nodes = { .ctx = from->ctx, .out = out };

	add_u32(out, 0); /* how many, known at the end */
	int err = each_nodes(&nodes, add_nodes);
	set_u32(out, 0, nodes.nr);
	return err ? err : nodes.nr ? 0 : -ENOENT;
}

/* --- blocks of nodes --- */

/* Bits of the blocks a node has. */
struct blocks {
	uint64_t *words;
	uint64_t nr_bits;
	bool failed;
};

/* A block's number is bounded by the address space: 2^52 bytes in blocks of 128 MiB or more. */
enum { BLOCK_MAX = 1 << 25 };

static bool reserve(struct blocks *blocks, uint64_t nr_bits)
{
	size_t old = (blocks->nr_bits + 63) / 64, need = (nr_bits + 63) / 64;

	if (need > old) {
		uint64_t *words = realloc(blocks->words, need * sizeof(*words));

		if (!words)
			return false;
		memset(words + old, 0, (need - old) * sizeof(*words));
		blocks->words = words;
	}
	if (nr_bits > blocks->nr_bits)
		blocks->nr_bits = nr_bits;
	return true;
}

static int add_block(const char *name, void *data)
{
	struct blocks *blocks = data;
	uint64_t nr;

	if (strncmp(name, "memory", 6) || xp_num_parse(name + 6, strlen(name + 6), 10, &nr) ||
	    nr > BLOCK_MAX)
		return 0;
	if (!reserve(blocks, nr + 1))
		return -ENOMEM;
	blocks->words[nr / 64] |= UINT64_C(1) << nr % 64;
	return 0;
}

static int add_blocks(uint64_t first, uint64_t last, void *data)
{
	struct nodes *nodes = data;
	int err = 0;

	for (uint64_t node = first; node <= last && !err; node++) {
		struct blocks blocks = { 0 };

		err = xp_file_list(nodes->ctx, add_block, &blocks, NODES "/node%u", (unsigned)node);
		if (!err && blocks.nr_bits) {
			add_u64(nodes->out, node);
			add_u64(nodes->out, blocks.nr_bits);
			add_u64(nodes->out, blocks.nr_bits);
			add_bytes(nodes->out, blocks.words,
				  (blocks.nr_bits + 63) / 64 * sizeof(uint64_t));
			nodes->nr++;
		}
		free(blocks.words);
	}
	return err;
}

int xp_feature_mem_topology(const struct xp_feature_source *from, struct xp_str *out)
{
	enum { VERSION = 1, NR_AT = 16 };
	struct nodes nodes = { .ctx = from->ctx, .out = out };
	xp_auto_free char *size = NULL;
	int err =
		xp_file_read(from->ctx, &size, NULL, "/sys/devices/system/memory/block_size_bytes");

	if (err)
		return err;
	add_u64(out, VERSION);
	add_u64(out, strtoull(size, NULL, 16));
	add_u64(out, 0); /* how many, known at the end */
	err = each_nodes(&nodes, add_blocks);
	set_u64(out, NR_AT, nodes.nr);
	return err ? err : nodes.nr ? 0 : -ENOENT;
}
