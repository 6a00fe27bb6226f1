/* SPDX-License-Identifier: MIT */
/*
 * What a sample says of memory and of the addresses of branches. Texts begin with what they are
 * ordered by, and a blank: see extra_kind.has_order. Source of the words: perf 6.1.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "data-source.h"
#include "extras.h"

enum { CACHE_LINE_BYTES = 64, ORDER_BYTES = 17, SYMBOL_BYTES = 1024 };

static uint64_t part_of(const struct found *found, enum data_source_part part)
{
	uint64_t source = found->sample->data_source;
	char text[ORDER_BYTES + DATA_SOURCE_MAX], words[DATA_SOURCE_MAX] = "";

	data_source_add(words, part, source);
	snprintf(text, sizeof(text), "%016" PRIx64 " %s", data_source_bits(part, source),
		 words + strspn(words, " "));
	return (uintptr_t)extras_keep(found->extras, text);
}

#define PART(name, part)                                                                           \
	uint64_t name(const struct found *found)                                                   \
	{                                                                                          \
		return part_of(found, part);                                                       \
	}
PART(op_of, DATA_SOURCE_OP)
PART(mem_of, DATA_SOURCE_LEVEL)
PART(snoop_of, DATA_SOURCE_SNOOP)
PART(tlb_of, DATA_SOURCE_TLB)
PART(locked_of, DATA_SOURCE_LOCK)
PART(blocked_of, DATA_SOURCE_BLOCK)
#undef PART

/* Half of the addresses are the kernel's, whoever uses them. */
static uint16_t mode_of(uint64_t address)
{
	return address >> 63 ? XP_MISC_KERNEL : XP_MISC_USER;
}

static char level_of(uint64_t address)
{
	return mode_of(address) == XP_MISC_KERNEL ? 'k' : '.';
}

static int find_frame(const struct found *found, uint64_t address, struct xp_frame *ret_frame)
{
	const struct xp_sample_id *id = &found->sample->id;

	return xp_resolver_frame(found->extras->report->rec.resolver, id->pid, mode_of(address),
				 address, false, id->time_ns, ret_frame);
}

/* What stands for an address. @order: before the blank; @shown: where no symbol is known. @offset:
 * how far from the beginning of the symbol counts, too. */
static uint64_t symbol_text(const struct found *found, const char *order, char level,
			    const struct xp_frame *frame, uint64_t shown, bool offset)
{
	char text[ORDER_BYTES + SYMBOL_BYTES];
	int len = snprintf(text, sizeof(text), "%s [%c] ", order, level);
	size_t room = sizeof(text) - (size_t)len;

	if (!frame->function.name)
		snprintf(text + len, room, "%-#.16" PRIx64, shown);
	else if (offset)
		snprintf(text + len, room, "%.900s+%#" PRIx64, frame->function.name,
			 frame->address - frame->function.start);
	else
		snprintf(text + len, room, "%s", frame->function.name);
	return (uintptr_t)extras_keep(found->extras, text);
}

static uint64_t address_text(const struct found *found, uint64_t address)
{
	struct xp_frame frame = { .size = sizeof(frame) };
	char order[ORDER_BYTES];

	if (find_frame(found, address, &frame))
		return 0;
	bool is_variable = frame.map.prot && !(frame.map.prot & PROT_EXEC);
	snprintf(order, sizeof(order), "%016" PRIx64, address);
	return symbol_text(found, order, level_of(address), &frame, address, is_variable);
}

uint64_t data_symbol_of(const struct found *found)
{
	return address_text(found, found->sample->address);
}

uint64_t code_symbol_of(const struct found *found)
{
	return address_text(found, found->sample->ip);
}

/* An address in the terms of its file. */
static uint64_t in_file(const struct xp_frame *frame, uint64_t address)
{
	return frame->map.dso ? address - frame->map.start + frame->map.offset : address;
}

/* Lines of private memory are those of their process. */
uint64_t cache_line_of(const struct found *found)
{
	uint64_t line = found->sample->address & ~(uint64_t)(CACHE_LINE_BYTES - 1);
	struct xp_frame frame = { .size = sizeof(frame) };
	char level = level_of(line), order[2 * ORDER_BYTES];

	if (find_frame(found, line, &frame))
		return 0;
	bool is_variable = frame.map.prot && !(frame.map.prot & PROT_EXEC);
	bool is_shared = is_variable && frame.map.flags & MAP_SHARED && frame.map.inode;
	snprintf(order, sizeof(order), "%016" PRIx64 "-%d", line,
		 level == 'k' ? 0 : found->sample->id.pid);
	return symbol_text(found, order,
			   !frame.map.dso ? 'X'
			   : is_shared    ? 's'
					  : level,
			   &frame, in_file(&frame, line), is_variable);
}

uint64_t data_dso_of(const struct found *found)
{
	struct xp_frame frame = { .size = sizeof(frame) };

	if (find_frame(found, found->sample->address, &frame))
		return 0;
	const struct xp_dso *dso = frame.map.dso;
	return (uintptr_t)extras_keep(found->extras, dso ? dso->short_name : "[unknown]");
}

static uint64_t branch_address(const struct found *found, uint64_t address)
{
	struct xp_frame frame = { .size = sizeof(frame) };
	char order[ORDER_BYTES];

	if (!found->branch)
		return (uintptr_t)extras_keep(found->extras, "0 N/A");
	if (find_frame(found, address, &frame))
		return 0;
	snprintf(order, sizeof(order), "%016" PRIx64, address);
	return symbol_text(found, order, level_of(address), &frame, in_file(&frame, address),
			   frame.address != frame.function.start);
}

uint64_t from_of(const struct found *found)
{
	return branch_address(found, found->branch ? found->branch->from : 0);
}

uint64_t to_of(const struct found *found)
{
	return branch_address(found, found->branch ? found->branch->to : 0);
}
