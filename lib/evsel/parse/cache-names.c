/* SPDX-License-Identifier: MIT */
/*
 * Names of the generic cache events: CACHE[-OPERATION][-RESULT], the last two in any order.
 * Without an operation it is loads, without a result it is accesses.
 *
 * Source: perf_event_open(2), "PERF_TYPE_HW_CACHE": config = cache | operation << 8 | result << 16;
 * spellings and combinations: measured with `perf stat -vv -e NAME`, perf 6.1.
 */
#include "cache-names.h"

#include <errno.h>
#include <stdio.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "names.h"
#include "uapi.h"

/* One meaning and its spellings, the usual one first. */
struct spelled {
	unsigned int id;
	const char *names[9];
};

#define CACHE(x)     PERF_COUNT_HW_CACHE_##x
#define OPERATION(x) PERF_COUNT_HW_CACHE_OP_##x
#define RESULT(x)    PERF_COUNT_HW_CACHE_RESULT_##x

static const struct spelled caches[] = {
	{ CACHE(L1D), { "L1-dcache", "l1-d", "l1d", "L1-data" } },
	{ CACHE(L1I), { "L1-icache", "l1-i", "l1i", "L1-instruction" } },
	{ CACHE(LL), { "LLC", "L2" } },
	{ CACHE(DTLB), { "dTLB", "d-tlb", "Data-TLB" } },
	{ CACHE(ITLB), { "iTLB", "i-tlb", "Instruction-TLB" } },
	{ CACHE(BPU), { "branch", "bpu", "btb", "bpc" } },
	{ CACHE(NODE), { "node" } },
};

static const struct spelled operations[] = {
	{ OPERATION(READ), { "loads", "load", "read" } },
	{ OPERATION(WRITE), { "stores", "store", "write" } },
	{ OPERATION(PREFETCH),
	  { "prefetches", "prefetch", "speculative-read", "speculative-load" } },
};

static const struct spelled results[] = {
	{ RESULT(ACCESS), { "refs", "Reference", "ops", "access" } },
	{ RESULT(MISS), { "misses", "miss" } },
};

/* Instruction caches are not written, instruction TLBs and branch predictors only looked up. */
static const unsigned char possible[PERF_COUNT_HW_CACHE_MAX] = {
#define CAN(x) (1U << OPERATION(x))
	[CACHE(L1D)] = CAN(READ) | CAN(WRITE) | CAN(PREFETCH),
	[CACHE(L1I)] = CAN(READ) | CAN(PREFETCH),
	[CACHE(LL)] = CAN(READ) | CAN(WRITE) | CAN(PREFETCH),
	[CACHE(DTLB)] = CAN(READ) | CAN(WRITE) | CAN(PREFETCH),
	[CACHE(ITLB)] = CAN(READ),
	[CACHE(BPU)] = CAN(READ),
	[CACHE(NODE)] = CAN(READ) | CAN(WRITE) | CAN(PREFETCH),
};

/* Consumes a word at the front: the longest spelling that ends at a '-' or the end. */
static const struct spelled *consume(const struct spelled *rows, size_t nr, struct xp_span *rest)
{
	const struct spelled *found = NULL;
	size_t found_len = 0;

	for (size_t i = 0; i < nr; i++) {
		for (const char *const *name = rows[i].names; *name; name++) {
			size_t len = strlen(*name);

			if (len > found_len && len <= rest->len && !memcmp(rest->at, *name, len) &&
			    (len == rest->len || rest->at[len] == '-')) {
				found = &rows[i];
				found_len = len;
			}
		}
	}
	rest->at += found_len;
	rest->len -= found_len;
	return found;
}

#define CONSUME(rows, rest) consume(rows, XP_ARRAY_LEN(rows), rest)

/* The words behind the cache. Returns false if one of them is neither or comes twice. */
static bool consume_rest(struct xp_span rest, const struct spelled **ret_operation,
			 const struct spelled **ret_result)
{
	*ret_operation = *ret_result = NULL;
	while (rest.len) {
		rest.at++; /* the '-' */
		rest.len--;
		const struct spelled *operation =
			*ret_operation ? NULL : CONSUME(operations, &rest);
		const struct spelled *result =
			operation || *ret_result ? NULL : CONSUME(results, &rest);

		if (operation)
			*ret_operation = operation;
		else if (result)
			*ret_result = result;
		else
			return false;
	}
	return true;
}

int xp_cache_name_parse(const struct xp_source *source, struct xp_span name, uint64_t *ret_config)
{
	const struct spelled *operation, *result;
	struct xp_span rest = name;
	const struct spelled *cache = CONSUME(caches, &rest);

	if (!cache || !consume_rest(rest, &operation, &result))
		return 0;
	if (!operation)
		operation = &operations[0];
	if (!result)
		result = &results[0];
	if (!(possible[cache->id] & 1U << operation->id)) {
		xp_source_error(source, -EINVAL, name, "%s has no %s", cache->names[0],
				operation->names[0]);
		xp_diag_hint(source->diag, "%s can count loads%s", cache->names[0],
			     possible[cache->id] & CAN(PREFETCH) ? " and prefetches" : " only");
		return -EINVAL;
	}
	*ret_config = cache->id | operation->id << 8 | result->id << 16;
	return 1;
}

/* "L1-dcache-loads" and "L1-dcache-load-misses". */
static int list_pair(struct xp_names *names, const char *cache, const struct spelled *operation)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-%s", cache, operation->names[0]);
	int err = xp_names_add(names, name);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s-%s-misses", cache, operation->names[1]);
	return xp_names_add(names, name);
}

int xp_cache_names_list(struct xp_names *names)
{
	int err = 0;

	for (size_t c = 0; c < XP_ARRAY_LEN(caches); c++)
		for (size_t o = 0; o < XP_ARRAY_LEN(operations); o++)
			if (!err && possible[caches[c].id] & 1U << operations[o].id)
				err = list_pair(names, caches[c].names[0], &operations[o]);
	return err;
}
