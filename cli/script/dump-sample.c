/* SPDX-License-Identifier: MIT */
/* -D: what a sample says, part by part. Source of the layout: perf script, 6.1, measured. */
#include <xperf/attr.h>
#include <xperf/timeline.h>

#include "script.h"

enum { INDEX_WIDTH = 3, WORD_WIDTH = 16 };

static void put_address(struct sink *out, const char *before, uint64_t value)
{
	sink_text(out, before);
	sink_text(out, "0x");
	sink_hex(out, value, 0, ' ');
}

static void put_entry(struct sink *out, const char *before, size_t index, uint64_t word)
{
	sink_text(out, before);
	sink_dec(out, index, INDEX_WIDTH - 1, ' ');
	sink_text(out, ": ");
	sink_hex(out, word, WORD_WIDTH, '0');
	sink_char(out, '\n');
}

static void put_chain(struct sink *out, const struct xp_sample *sample)
{
	sink_text(out, "... FP chain: nr:");
	sink_dec(out, sample->nr_callchain, 0, ' ');
	sink_char(out, '\n');
	for (size_t i = 0; i < sample->nr_callchain; i++)
		put_entry(out, "..... ", i, sample->callchain[i]);
}

static void put_branches(struct sink *out, const struct xp_sample *sample)
{
	sink_text(out, "... branch stack: nr:");
	sink_dec(out, sample->nr_branches, 0, ' ');
	sink_char(out, '\n');
	for (size_t i = 0; i < sample->nr_branches; i++) {
		sink_text(out, "..... ");
		sink_dec(out, i, INDEX_WIDTH - 1, ' ');
		sink_text(out, ": ");
		sink_hex(out, sample->branches[i].from, WORD_WIDTH, '0');
		sink_text(out, " -> ");
		sink_hex(out, sample->branches[i].to, WORD_WIDTH, '0');
		sink_char(out, '\n');
	}
}

static void put_regs(struct script *script, const char *whose, const struct xp_regs *regs)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	struct sink *out = &script->out;
	size_t nr = 0;
	char name[16];

	sink_text(out, "... ");
	sink_text(out, whose);
	put_address(out, " regs: mask ", regs->mask);
	sink_text(out, " ABI ");
	sink_text(out, regs->abi < 3 ? abis[regs->abi] : "unknown");
	sink_char(out, '\n');
	for (int bit = 0; bit < 64 && regs->values; bit++) {
		if (!(regs->mask >> bit & 1))
			continue;
		sink_text(out, ".... ");
		sink_padded(out, reg_name(script->machine, bit, name, sizeof(name)), -5);
		sink_text(out, " 0x");
		sink_hex(out, regs->values[nr++], WORD_WIDTH, '0');
		sink_char(out, '\n');
	}
}

static void put_weight(struct sink *out, uint64_t type, uint64_t weight)
{
	sink_text(out, "... weight: ");
	sink_dec(out, type & XP_SAMPLE_WEIGHT_STRUCT ? (uint32_t)weight : weight, 0, ' ');
	if (type & XP_SAMPLE_WEIGHT_STRUCT) {
		put_address(out, ",", weight >> 32 & 0xffff);
		put_address(out, ",", weight >> 48);
	}
	sink_char(out, '\n');
}

static void put_line(struct sink *out, const char *before, uint64_t value)
{
	put_address(out, before, value);
	sink_char(out, '\n');
}

static void put_page_size(struct sink *out, const char *before, uint64_t size)
{
	sink_text(out, before);
	page_size_show(out, size);
	sink_char(out, '\n');
}

/* Where and whose it was; that is known once the side band was read. */
static void put_place(struct script *script, const struct xp_sample *sample)
{
	struct sink *out = &script->out;
	struct xp_map map = { .size = sizeof(map) };
	bool found = xp_timeline_map_at(script->rec->timeline, sample->id.pid, sample->record->misc,
					sample->ip, sample->id.time_ns, &map) &&
		     map.dso;

	sink_text(out, " ... thread: ");
	sink_escaped(out, xp_timeline_comm_at(script->rec->timeline, sample->id.pid, sample->id.tid,
					      sample->id.time_ns));
	sink_char(out, ':');
	sink_int(out, sample->id.tid, 0);
	sink_text(out, "\n ...... dso: ");
	sink_escaped(out, found ? map.dso->name : "<not found>");
	sink_char(out, '\n');
}

static void put_parts(struct script *script, uint64_t type, const struct xp_sample *sample)
{
	struct sink *out = &script->out;

	if (type & XP_SAMPLE_CALLCHAIN)
		put_chain(out, sample);
	if (type & XP_SAMPLE_BRANCH_STACK)
		put_branches(out, sample);
	if (type & XP_SAMPLE_REGS_USER)
		put_regs(script, "user", &sample->user_regs);
	if (type & XP_SAMPLE_REGS_INTR)
		put_regs(script, "intr", &sample->intr_regs);
	if (type & XP_SAMPLE_STACK_USER) {
		put_address(out, "... ustack: size ", sample->stack_len);
		sink_char(out, '\n');
	}
	if (type & (XP_SAMPLE_WEIGHT | XP_SAMPLE_WEIGHT_STRUCT))
		put_weight(out, type, sample->weight);
	if (type & XP_SAMPLE_DATA_SRC)
		put_line(out, " . data_src: ", sample->data_source);
	if (type & XP_SAMPLE_PHYS_ADDR)
		put_line(out, " .. phys_addr: ", sample->phys_address);
	if (type & XP_SAMPLE_DATA_PAGE_SIZE)
		put_page_size(out, " .. data page size:", sample->data_page_size);
	if (type & XP_SAMPLE_CODE_PAGE_SIZE)
		put_page_size(out, " .. code page size:", sample->code_page_size);
	if (type & XP_SAMPLE_TRANSACTION)
		put_line(out, "... transaction: ", sample->transaction);
}

void dump_sample(struct script *script, const struct xp_sample *sample, uint64_t type)
{
	struct sink *out = &script->out;

	put_address(out, "(IP, ", sample->record->misc);
	sink_text(out, "): ");
	sink_int(out, sample->id.pid, 0);
	sink_char(out, '/');
	sink_int(out, sample->id.tid, 0);
	put_address(out, ": ", sample->ip);
	sink_text(out, " period: ");
	sink_dec(out, sample->period, 0, ' ');
	sink_text(out, " addr: ");
	if (sample->address)
		put_address(out, "", sample->address);
	else
		sink_char(out, '0');
	sink_char(out, '\n');
	put_parts(script, type, sample);
	if (script->rec->resolver)
		put_place(script, sample);
}
