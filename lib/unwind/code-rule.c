/* SPDX-License-Identifier: MIT */
/*
 * The frame of a function before each of its instructions. Compilers see to it that it is the same
 * on whatever path an instruction is reached, since they describe it by address.
 *
 * What follows a call is reached only if the call returns, which is not said. So it counts less
 * than a branch: when both lead to an instruction, with other frames, the call does not return.
 * Targets of a jump by a table have the frame that the jump has, and begin where nothing else leads
 * to.
 */
#include "code-rule.h"

#include <stdlib.h>
#include <string.h>
#include <xperf/disasm.h>

#include "cleanup.h"

/* @is_weak: it is the frame of a call that may not return, or of a jump by a table */
struct place {
	struct code_frame frame;
	bool is_reached, is_weak, is_waiting, is_unknown, is_return;
	uint8_t len; /* of the instruction, once it was executed */
};

struct flow {
	const struct machine *machine;
	const uint8_t *code;
	size_t len;
	struct place *places; /* by byte */
	uint32_t *sure;       /* places that wait and are not weak */
	size_t nr_sure;
	size_t first_weak; /* none before it waits */
	size_t work_left;
	bool has_table, tables_differ;
	struct code_frame table;
};

static bool is_same(const struct code_frame *a, const struct code_frame *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* What both say. Returns false: nothing of use. */
static bool meet(const struct machine *machine, struct code_frame *to,
		 const struct code_frame *other)
{
	if (to->is_outermost != other->is_outermost)
		return false;
	if (to->knows_sp && (!other->knows_sp || to->sp != other->sp)) {
		to->knows_sp = false;
		to->sp = 0;
	}
	if (to->pointer != other->pointer || to->fp != other->fp) {
		to->pointer = POINTER_OTHER;
		to->fp = 0;
	}
	/* A register that one path has not saved still has its value there only. */
	if (to->saved != other->saved)
		return false;
	for (unsigned int i = 0; i < machine->nr_saved; i++)
		if (to->saved >> i & 1 && to->at[i] != other->at[i])
			return false;
	return to->knows_sp || to->pointer == POINTER_FRAME;
}

static void wait_for(struct flow *flow, size_t at, bool is_weak)
{
	struct place *place = &flow->places[at];

	if (is_weak && at < flow->first_weak)
		flow->first_weak = at;
	if (!is_weak && !(place->is_waiting && !place->is_weak))
		flow->sure[flow->nr_sure++] = (uint32_t)at;
	place->is_waiting = true;
	place->is_weak = is_weak;
}

/* An instruction is reached with a frame. */
static void reach(struct flow *flow, int64_t target, const struct code_frame *frame, bool is_weak)
{
	if (target < 0 || target >= (int64_t)flow->len)
		return;
	struct place *place = &flow->places[target];
	bool is_new = !place->is_reached || (place->is_weak && !is_weak);
	struct code_frame before = place->frame;

	if (!is_new && (place->is_unknown || place->is_weak != is_weak))
		return;
	if (!place->is_reached || (is_new && !is_same(&before, frame))) {
		place->frame = *frame;
		place->is_unknown = false;
	} else if (!is_same(&before, frame) && !meet(flow->machine, &place->frame, frame)) {
		place->is_unknown = true;
		return;
	}
	if (!place->is_reached || !is_same(&before, &place->frame))
		wait_for(flow, (size_t)target, is_weak);
	else if (!place->is_waiting)
		place->is_weak = is_weak;
	place->is_reached = true;
}

/* Instructions that do nothing, which fill the space up to the next one that is jumped to. */
static bool is_filler(const uint8_t *code, size_t len)
{
	enum { NOP = 0x90, WORD = 0x66, SEGMENT = 0x2e, REX_W = 0x48 };

	while (len && (*code == WORD || *code == SEGMENT || *code == REX_W)) {
		code++;
		len--;
	}
	return len && (*code == NOP || (len > 1 && code[0] == 0x0f && code[1] == 0x1f));
}

/* A jump by a table adds what is in the table to its place, or has it in its own operand. Without,
 * a jump to where only a register says is a call, if the frame is that of the caller. */
static bool is_by_table(const struct flow *flow, size_t at, const struct code_frame *frame)
{
	enum { ADD = 3, INDEXED = 0x24, JUMP = 0xff, NOTRACK = 0x3e };
	const uint8_t *code = flow->code + at, *before = code - ADD;

	if (frame->sp != flow->machine->word || frame->pointer != POINTER_CALLERS || frame->saved)
		return true;
	if (code[0] == NOTRACK)
		return true;
	if (flow->len - at > 2 && code[0] == JUMP && code[1] == INDEXED)
		return true;
	return at >= ADD && (before[0] & 0xf0) == 0x40 && (before[1] == 1 || before[1] == 3) &&
	       before[2] >= 0xc0;
}

static void note_table(struct flow *flow, const struct code_frame *frame)
{
	if (flow->has_table && !is_same(&flow->table, frame))
		flow->tables_differ = true;
	flow->has_table = true;
	flow->table = *frame;
}

/* Executes the instruction at @at, which waits for it. */
static void execute(struct flow *flow, size_t at)
{
	struct place *place = &flow->places[at];
	struct code_frame frame = place->frame;
	const uint8_t *code = flow->code + at;
	size_t len = 0;
	int64_t target = -1;

	place->is_waiting = false;
	enum code_flow what =
		xp_code_step(flow->machine, code, flow->len - at, &frame, &len, &target);
	place->len = (uint8_t)len;
	bool is_weak = place->is_weak && is_filler(code, len);
	int64_t next = (int64_t)(at + len);
	switch (what) {
	case FLOW_ON:
		reach(flow, next, &frame, is_weak);
		break;
	case FLOW_CALL:
		reach(flow, next, &frame, true);
		break;
	case FLOW_BRANCH:
		reach(flow, (int64_t)at + target, &frame, false);
		reach(flow, next, &frame, false);
		break;
	case FLOW_JUMP:
		reach(flow, (int64_t)at + target, &frame, false);
		break;
	case FLOW_TABLE:
		if (is_by_table(flow, at, &frame))
			note_table(flow, &frame);
		break;
	case FLOW_RETURN:
		place->is_return = true;
		break;
	case FLOW_END:
	case FLOW_UNKNOWN:
		break;
	}
}

/* Those that were reached for sure come first: what follows a call waits for them. */
static bool choose(struct flow *flow, size_t *ret_at)
{
	enum { LOOKS = 64 }; /* that cost as much as one instruction */

	if (flow->nr_sure) {
		*ret_at = flow->sure[--flow->nr_sure];
		return true;
	}
	size_t from = flow->first_weak, at = from;
	while (at < flow->len && !(flow->places[at].is_waiting && flow->places[at].is_weak))
		at++;
	flow->first_weak = at;
	size_t cost = (at - from) / LOOKS;
	flow->work_left -= cost < flow->work_left ? cost : flow->work_left;
	*ret_at = at;
	return at < flow->len;
}

static void run(struct flow *flow)
{
	size_t at;

	while (flow->work_left && choose(flow, &at)) {
		flow->work_left--;
		execute(flow, at);
	}
}

static size_t len_of(const struct flow *flow, size_t at)
{
	if (flow->places[at].len)
		return flow->places[at].len;
	int len = xp_instruction_len(flow->machine->elf, flow->code + at, flow->len - at);
	return len > 0 ? (size_t)len : 1;
}

/* Targets of tables: nothing else leads to them. */
static void run_tables(struct flow *flow)
{
	for (size_t at = 0; at < flow->len && flow->work_left;) {
		const struct place *place = &flow->places[at];

		if (!flow->has_table || flow->tables_differ)
			return;
		if (!place->is_reached && !is_filler(flow->code + at, flow->len - at)) {
			reach(flow, (int64_t)at, &flow->table, true);
			run(flow);
		}
		at += len_of(flow, at);
	}
}

/* A function returns with the stack pointer that it was called with, and all that it preserves.
 * Where it does not, it was not understood. */
static bool returns(const struct flow *flow)
{
	const uint16_t others = (uint16_t)~1U;

	for (size_t at = 0; at < flow->len; at++) {
		const struct place *place = &flow->places[at];
		const struct code_frame *frame = &place->frame;

		if (place->is_return && !place->is_unknown &&
		    (!frame->knows_sp || frame->sp != flow->machine->word ||
		     frame->saved & others || frame->pointer != POINTER_CALLERS))
			return false;
	}
	return true;
}

/* --- rules --- */

struct rule xp_code_rule(const struct machine *machine, const struct code_frame *frame)
{
	struct rule rule = { .kind = RULE_NONE };

	if (!frame)
		return rule;
	if (frame->is_outermost) {
		rule.kind = RULE_END;
		return rule;
	}
	rule.kind = RULE_FRAME;
	rule.cfa_reg = frame->knows_sp ? machine->sp : machine->fp;
	rule.cfa_offset = frame->knows_sp ? frame->sp : frame->fp;
	rule.saved = frame->saved | 1;
	memcpy(rule.at, frame->at, sizeof(rule.at));
	rule.at[0] = -1;
	for (unsigned int i = 1; i < MACHINE_SAVED; i++)
		if (!(rule.saved >> i & 1))
			rule.at[i] = 0;
	return rule;
}

/* The frame of an instruction. Returns NULL: it is not known. */
static const struct code_frame *frame_of(const struct flow *flow, const struct place *place)
{
	const struct code_frame *frame = &place->frame;

	if (!place->is_reached || place->is_unknown)
		return NULL;
	if (frame->is_outermost)
		return frame;
	return (frame->knows_sp ? frame->sp >= flow->machine->word
				: frame->pointer == POINTER_FRAME)
		       ? frame
		       : NULL;
}

static bool is_equal(const struct code_frame *a, const struct code_frame *b)
{
	return a && b ? is_same(a, b) : a == b;
}

static void hand_over(const struct flow *flow, xp_code_frame_fn fn, void *data)
{
	const struct code_frame *frame = NULL, *next;
	size_t start = 0, at = 0;

	while (at < flow->len) {
		const struct place *place = &flow->places[at];
		size_t len = place->is_reached && place->len ? place->len : 1;

		next = frame_of(flow, place);
		if (!is_equal(frame, next)) {
			if (at > start)
				fn(data, start, at, frame);
			start = at;
			frame = next;
		}
		at += len < flow->len - at ? len : flow->len - at;
	}
	fn(data, start, flow->len, frame);
}

void xp_code_frames(const struct machine *machine, const uint8_t *code, size_t len,
		    xp_code_frame_fn fn, void *data)
{
	enum { WORK_PER_BYTE = 8 };
	struct flow flow = {
		.machine = machine,
		.code = code,
		.len = len,
		.first_weak = len,
		.work_left = len * WORK_PER_BYTE,
	};
	struct code_frame first = { .sp = machine->word, .knows_sp = true };

	if (!machine->is_call_pushing || !len || len > CODE_RULE_BYTES)
		return;
	xp_auto_free struct place *places = calloc(len, sizeof(*places));
	xp_auto_free uint32_t *sure = calloc(len, sizeof(*sure));
	if (!places || !sure)
		return;
	flow.places = places;
	flow.sure = sure;
	reach(&flow, 0, &first, false);
	run(&flow);
	run_tables(&flow);
	if (flow.work_left && returns(&flow))
		hand_over(&flow, fn, data);
}
