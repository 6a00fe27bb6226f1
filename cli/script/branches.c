/* SPDX-License-Identifier: MIT */
/*
 * Branches of a sample: by address, by function, by place in the file. Source of the bits:
 * linux/perf_event.h, "struct perf_branch_entry"; of the layout: perf script, 6.1, measured.
 */
#include <errno.h>
#include <xperf/resolve.h>
#include <xperf/timeline.h>

#include "script.h"

enum {
	MISPREDICTED = 1,
	PREDICTED = 2,
	IN_TX = 4,
	ABORT = 8,
	CYCLES_AT = 4,
	TYPE_AT = 20,
	NEW_TYPE_AT = 26,
	EXTENDED = 15, /* the type is the new type */
};

static const char *const types[16] = {
	"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
};
static const char *const new_types[16] = {
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
};

const char *branch_type(uint64_t flags)
{
	uint64_t type = flags >> TYPE_AT & 15, more = flags >> NEW_TYPE_AT & 15;
	const char *name = type == EXTENDED ? new_types[more] : types[type];

	return name ? name : "";
}

static void show_flags(struct sink *out, uint64_t flags)
{
	sink_char(out, '/');
	sink_char(out, flags & MISPREDICTED ? 'M' : flags & PREDICTED ? 'P' : '-');
	sink_text(out, flags & IN_TX ? "/X" : "/-");
	sink_text(out, flags & ABORT ? "/A/" : "/-/");
	sink_dec(out, flags >> CYCLES_AT & 0xffff, 0, ' ');
	sink_char(out, '/');
	sink_text(out, branch_type(flags));
	sink_char(out, ' ');
}

static void show_file(struct sink *out, uint64_t fields, const struct xp_frame *frame)
{
	const struct xp_dso *dso = frame->map.dso;

	if (!(fields & F_DSO))
		return;
	sink_char(out, '(');
	sink_escaped(out, dso ? dso->name : "[unknown]");
	sink_char(out, ')');
}

/* Without symbol and offset in a file it is the address as it ran. */
static void show_end(struct sink *out, uint64_t fields, const struct xp_frame *frame)
{
	uint64_t at = frame->ip;

	if (fields & F_BRSTACKSYM && !(fields & F_BRSTACK)) {
		sink_escaped(out, frame->function.name ? frame->function.name : "[unknown]");
		if (frame->function.name) {
			sink_text(out, "+0x");
			sink_hex(out, frame->address - frame->function.start, 0, ' ');
		}
	} else {
		if (!(fields & F_BRSTACK) && frame->map.dso)
			at = at - frame->map.start +
			     (frame->map.dso->is_kernel ? 0 : frame->map.offset);
		sink_text(out, "0x");
		sink_hex(out, at, 0, ' ');
	}
	show_file(out, fields, frame);
}

/* Branches do not say which mode they were in: of the kernel's half of the addresses is what the
 * sign says, as in 64-bit programs everywhere. */
int branch_frame(struct script *script, const struct xp_sample *sample, uint64_t ip,
		 struct xp_frame *ret_frame)
{
	uint16_t mode = (int64_t)ip < 0 ? XP_MISC_KERNEL : XP_MISC_USER;

	ret_frame->size = sizeof(*ret_frame);
	return xp_resolver_frame(script->rec->resolver, sample->id.pid, mode, ip, false,
				 sample->id.time_ns, ret_frame);
}

int branches_show(struct script *script, uint64_t fields, const struct xp_sample *sample)
{
	struct sink *out = &script->out;
	bool by_symbol = fields & F_BRSTACKSYM && !(fields & F_BRSTACK);
	bool is_looked_up = !(fields & F_BRSTACK) || fields & F_DSO;

	for (size_t i = 0; i < sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i];
		struct xp_frame from = { .ip = branch->from }, to = { .ip = branch->to };

		if (is_looked_up && (branch_frame(script, sample, branch->from, &from) ||
				     branch_frame(script, sample, branch->to, &to)))
			return -ENOMEM;
		if (!by_symbol)
			sink_char(out, ' ');
		show_end(out, fields, &from);
		sink_char(out, '/');
		show_end(out, fields, &to);
		show_flags(out, branch->flags);
	}
	return 0;
}
