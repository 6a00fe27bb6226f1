/* SPDX-License-Identifier: MIT */
/*
 * Where the data of a sampled access came from. Source of the bits: linux/perf_event.h, "union
 * perf_mem_data_src"; of the words: perf script, 6.1, measured.
 */
#include "data-source.h"

#include <stdio.h>
#include <string.h>

static const char *const ops[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
static const char *const levels[] = {
	"N/A",
	"HIT",
	"MISS",
	"L1",
	"LFB/MAB",
	"L2",
	"L3",
	"Local RAM",
	"Remote RAM (1 hop)",
	"Remote RAM (2 hops)",
	"Remote Cache (1 hop)",
	"Remote Cache (2 hops)",
	"I/O",
	"Uncached",
};
static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM" };
static const char *const more_snoops[] = { "Fwd", "Peer" };
static const char *const tlbs[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
static const char *const level_numbers[16] = {
	[8] = "Uncached", [9] = "CXL",  [10] = "I/O",  [11] = "Any cache",
	[12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM", [15] = "N/A",
};
static const char *const hops[8] = {
	[1] = "core, same node",
	[2] = "node, same socket",
	[3] = "socket, same board",
	[4] = "board",
};

enum { HIT = 1 << 1, MISS = 1 << 2 };

static uint64_t bits(uint64_t source, int at, int width)
{
	return source >> at & ((UINT64_C(1) << width) - 1);
}

static void add(char *text, const char *more)
{
	size_t len = strlen(text);

	snprintf(text + len, DATA_SOURCE_MAX - len, "%s", more);
}

/* Words joined by "or". Returns how many. */
static int add_words(char *text, uint64_t set, const char *const *words, int nr)
{
	for (; set; set &= set - 1, nr++) {
		add(text, nr ? " or " : "");
		add(text, words[__builtin_ctzll(set)]);
	}
	return nr;
}

static void add_level(char *text, uint64_t source)
{
	uint64_t level = bits(source, 5, 14), number = bits(source, 33, 4);
	uint64_t hop = bits(source, 43, 3);
	size_t before = strlen(text);
	char buf[8];

	add(text, bits(source, 37, 1) ? "Remote " : "");
	if (hops[hop]) {
		add(text, hops[hop]);
		add(text, " ");
	}
	int nr = add_words(text, level & ~(uint64_t)(HIT | MISS), levels, 0);
	if (number) {
		snprintf(buf, sizeof(buf), "L%d", (int)number);
		add(text, nr ? " or " : "");
		add(text, level_numbers[number] ? level_numbers[number] : buf);
	}
	add(text, strlen(text) == before ? "N/A" : "");
	add(text, level & HIT ? " hit" : "");
	add(text, level & MISS ? " miss" : "");
}

static void add_tlb(char *text, uint64_t source)
{
	uint64_t tlb = bits(source, 26, 7);

	if (!add_words(text, tlb & ~(uint64_t)(HIT | MISS), tlbs, 0))
		add(text, "N/A");
	add(text, tlb & HIT ? " hit" : "");
	add(text, tlb & MISS ? " miss" : "");
}

static void add_snoop(char *text, uint64_t source)
{
	int nr = add_words(text, bits(source, 19, 5), snoops, 0);

	if (!add_words(text, bits(source, 38, 2), more_snoops, nr))
		add(text, "N/A");
}

static void add_lock(char *text, uint64_t source)
{
	uint64_t lock = bits(source, 24, 2);

	add(text, lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
}

static void add_block(char *text, uint64_t source)
{
	uint64_t blocked = bits(source, 40, 3);

	if (!blocked || blocked & 1)
		add(text, " N/A");
	else
		add(text, blocked == 2 ? " Data" : blocked == 4 ? " Addr" : " Data Addr");
}

static void add_op(char *text, uint64_t source)
{
	uint64_t op = bits(source, 0, 5);

	add(text, op ? ops[__builtin_ctzll(op)] : "No");
}

static const struct {
	void (*add)(char *text, uint64_t source);
	uint64_t bits;
} parts[] = {
	[DATA_SOURCE_OP] = { add_op, 0x1f },
	[DATA_SOURCE_LEVEL] = { add_level,
				UINT64_C(0x3fff) << 5 | UINT64_C(0x1f) << 33 | UINT64_C(7) << 43 },
	[DATA_SOURCE_SNOOP] = { add_snoop, UINT64_C(0x1f) << 19 | UINT64_C(3) << 38 },
	[DATA_SOURCE_LOCK] = { add_lock, UINT64_C(3) << 24 },
	[DATA_SOURCE_TLB] = { add_tlb, UINT64_C(0x7f) << 26 },
	[DATA_SOURCE_BLOCK] = { add_block, UINT64_C(7) << 40 },
};

uint64_t data_source_bits(enum data_source_part part, uint64_t source)
{
	return source & parts[part].bits;
}

void data_source_add(char text[DATA_SOURCE_MAX], enum data_source_part part, uint64_t source)
{
	parts[part].add(text, source);
}
