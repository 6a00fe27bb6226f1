/* SPDX-License-Identifier: MIT */
/*
 * The code between the branches of a sample: from where one led to where the next one was, oldest
 * first, and from the last one to the sample. Source of the layout: perf script, 6.1, measured with
 * stacks of known branches; perf-script(1), brstackinsn.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/disasm.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>

#include "instruction.h"
#include "script.h"

enum {
	LONGEST = 15,              /* bytes of an instruction */
	LARGEST = 16384 - LONGEST, /* between branches; more is no block */
	NEXT_BRANCH = 128,         /* bytes in which it is searched */
	TEXT_WIDTH = 30,           /* of the instruction that branched */
	MISPREDICTED = 1,
	PREDICTED = 2,
	IN_TX = 4,
	ABORT = 8,
	CYCLES_AT = 4,
};

/* What was read from one address on. */
struct branch_code {
	struct xp_frame frame; /* of the first byte */
	struct code_bytes code;
	uint8_t room[LARGEST + LONGEST];
};

/* The blocks of one sample. */
struct listing {
	struct script *script;
	const struct xp_sample *sample;
	uint64_t fields;
	struct branch_code *read;
	const struct xp_dso *dso; /* of the function that was named last; NULL: none */
	uint64_t function;        /* its start */
	uint64_t cycles;          /* of all branches that were shown */
};

static bool is_kernel(uint64_t ip)
{
	return (int64_t)ip < 0;
}

/*
 * Reads the code of a block. Returns the number of bytes; 0: there is none; -ENXIO: one end is in
 * the kernel, the other is not, so that a branch is missing; -ENOMEM.
 */
static int read_block(struct listing *list, uint64_t first, uint64_t last)
{
	struct branch_code *read = list->read;

	read->code.nr = 0;
	if (!first || !last)
		return 0;
	if (is_kernel(first) != is_kernel(last))
		return -ENXIO;
	if (last - first > LARGEST)
		return 0;
	if (branch_frame(list->script, list->sample, first, &read->frame))
		return -ENOMEM;
	code_bytes_read(&read->frame, last - first + LONGEST, &read->code);
	return (int)read->code.nr;
}

/* --- lines --- */

/* Within one function it need not be searched again. */
static int find_function(struct listing *list, uint64_t ip)
{
	struct xp_frame *frame = &list->read->frame;
	uint64_t address = frame->address + (ip - frame->ip);
	const struct xp_function *function = &frame->function;

	if (function->name && address - function->start < function->size) {
		frame->ip = ip;
		frame->address = address;
		return 0;
	}
	return branch_frame(list->script, list->sample, ip, frame);
}

static int show_source_line(struct script *script, const struct xp_frame *frame)
{
	const struct xp_line *lines = NULL, unknown = { 0 };
	int nr = xp_frame_lines(frame, false, &lines);

	if (nr < 0)
		return nr;
	sink_char(&script->out, '\t');
	line_put(&script->out, frame, nr ? &lines[0] : &unknown,
		 script->config->values->full_paths);
	return 0;
}

/* The function of an address, if it is another one than that named last. */
static int show_function(struct listing *list, uint64_t ip)
{
	const struct xp_frame *frame = &list->read->frame;
	struct sink *out = &list->script->out;
	int err = find_function(list, ip);
	bool is_same = list->dso == frame->map.dso && list->function == frame->function.start;

	if (err || !frame->function.name || is_same)
		return err;
	list->dso = frame->map.dso;
	list->function = frame->function.start;
	sink_char(out, '\t');
	sink_escaped(out, frame->function.name);
	if (frame->address > frame->function.start) {
		sink_char(out, '+');
		sink_dec(out, frame->address - frame->function.start, 0, ' ');
	}
	sink_char(out, ':');
	if (list->fields & F_SRCLINE)
		err = show_source_line(list->script, frame);
	sink_char(out, '\n');
	return err;
}

/* Address and instruction. Returns its length, 0 (it is none), -ENOSYS, -ENOMEM. */
static int show_instruction(struct listing *list, uint64_t ip, const struct code_bytes *code,
			    int width)
{
	struct sink *out = &list->script->out;
	int len = xp_instruction_len(code->machine, code->at, code->nr);

	sink_char(out, '\t');
	sink_hex(out, ip, 16, '0');
	sink_char(out, '\t');
	int shown = instruction_text(list->script, list->fields & F_BRSTACKDISASM, code, len, ip);
	if (shown >= 0 && shown < width)
		sink_blanks(out, width - shown);
	return shown < 0 ? shown : len;
}

static int show_source(struct listing *list, uint64_t ip)
{
	const struct xp_sample *sample = list->sample;
	const struct where where = { .ip = ip,
				     .time_ns = sample->id.time_ns,
				     .pid = sample->id.pid,
				     .mode = is_kernel(ip) ? XP_MISC_KERNEL : XP_MISC_USER };

	return list->fields & F_SRCCODE ? source_show(list->script, &where, sample->id.tid) : 0;
}

/* A line of an instruction that did not branch. Returns as show_instruction(). */
static int show_plain(struct listing *list, uint64_t ip, const struct code_bytes *code)
{
	struct sink *out = &list->script->out;
	int len = show_instruction(list, ip, code, 0);

	if (len < 0)
		return len;
	if (list->fields & F_BRSTACKINSNLEN) {
		sink_text(out, "\tilen: ");
		sink_dec(out, (uint64_t)len, 0, ' ');
	}
	sink_char(out, '\n');
	return len;
}

static void show_flags(struct listing *list, const struct xp_branch *branch, uint64_t nr_in_block)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} names[] = { { PREDICTED, " PRED" },
		      { MISPREDICTED, " MISPRED" },
		      { IN_TX, " INTX" },
		      { ABORT, " ABORT" } };
	uint64_t cycles = branch->flags >> CYCLES_AT & 0xffff;
	struct sink *out = &list->script->out;
	char text[96] = "";

	sink_char(out, '#');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (branch->flags & names[i].bit)
			sink_text(out, names[i].name);
	list->cycles += cycles;
	if (cycles)
		snprintf(text, sizeof(text), " %llu cycles [%llu]", (unsigned long long)cycles,
			 (unsigned long long)list->cycles);
	sink_text(out, text);
	if (cycles && nr_in_block) {
		snprintf(text, sizeof(text), " %.2f IPC",
			 (double)((float)nr_in_block / (float)cycles));
		sink_text(out, text);
	}
	sink_char(out, '\n');
}

/* The line of an instruction that branched. @nr_in_block: instructions since the branch before,
 * with this one; 0: not known. Returns 0 or a negative errno. */
static int show_branch(struct listing *list, const struct xp_branch *branch,
		       const struct code_bytes *code, uint64_t nr_in_block)
{
	struct sink *out = &list->script->out;
	int len = show_instruction(list, branch->from, code, TEXT_WIDTH);

	if (len < 0)
		return len;
	sink_char(out, '\t');
	if (list->fields & F_BRSTACKINSNLEN) {
		sink_text(out, "ilen: ");
		sink_dec(out, (uint64_t)len, 0, ' ');
		sink_char(out, '\t');
	}
	show_flags(list, branch, nr_in_block);
	return show_source(list, branch->from);
}

/* --- blocks --- */

static struct code_bytes rest_of(const struct code_bytes *code, size_t at)
{
	return (struct code_bytes){ code->at + at, code->nr - at, code->machine };
}

/* From @first to @branch. */
static int show_block(struct listing *list, uint64_t first, const struct xp_branch *branch)
{
	const struct code_bytes *code = &list->read->code;
	uint64_t nr = 0;
	int len = 1, err = 0;
	size_t at;

	for (at = 0; at < code->nr && len > 0; at += (size_t)len) {
		const struct code_bytes rest = rest_of(code, at);

		err = show_function(list, first + at);
		if (err)
			return err;
		nr++;
		if (first + at == branch->from)
			return show_branch(list, branch, &rest, nr);
		len = show_plain(list, first + at, &rest);
		err = len < 0 ? len : len ? show_source(list, first + at) : 0;
		if (err)
			return err;
	}
	sink_text(&list->script->out, "\tmismatch of LBR data and executable\n");
	return 0;
}

/* The instruction of the oldest branch; what preceded it is not known. */
static int show_first(struct listing *list, const struct xp_branch *branch)
{
	int got = read_block(list, branch->from, branch->from);

	if (got <= 0)
		return got == -ENOMEM ? got : 0;
	int err = show_function(list, branch->from);
	return err ? err : show_branch(list, branch, &list->read->code, 0);
}

/* All between branches. Those into the kernel may be missing, those out of it not. */
static int show_blocks(struct listing *list, size_t nr)
{
	const struct xp_branch *branches = list->sample->branches;
	int err = 0;

	for (size_t i = nr - 1; i-- > 0 && !err;) {
		uint64_t first = branches[i + 1].to;
		int got = read_block(list, first, branches[i].from);

		if (got == -ENXIO && i > 0)
			got = read_block(list, first, branches[--i].from);
		if (got > 0)
			err = show_block(list, first, &branches[i]);
		else if (got == -ENOMEM)
			err = got;
	}
	return err;
}

/* Only the sample's instruction. */
static int show_sample(struct listing *list, uint64_t ip)
{
	int got = read_block(list, ip, ip);

	if (got <= 0)
		return got == -ENOMEM ? got : 0;
	int len = show_plain(list, ip, &list->read->code);
	return len < 0 ? len : show_source(list, ip);
}

/* Up to @last, or to a branch that was not recorded. */
static int show_straight(struct listing *list, uint64_t first, uint64_t last)
{
	const struct code_bytes *code = &list->read->code;
	int len, err = 0;

	for (size_t at = 0; at <= last - first && at < code->nr && !err; at += (size_t)len) {
		const struct code_bytes rest = rest_of(code, at);

		len = show_plain(list, first + at, &rest);
		if (len <= 0)
			return len;
		if (xp_instruction_is_branch(code->machine, rest.at, rest.nr) &&
		    first + at != list->sample->ip) {
			sink_text(&list->script->out, "\t... not reaching sample ...\n");
			return 0;
		}
		err = show_source(list, first + at);
	}
	return err;
}

/* From the last branch to the sample. If the sample precedes it, a branch is missing. */
static int show_last(struct listing *list, const struct xp_branch *branch)
{
	uint64_t first = branch->to, last = list->sample->ip;

	if (branch->from == last || branch->flags & ABORT)
		return 0;
	if (last < first)
		last = first + NEXT_BRANCH;
	int got = read_block(list, first, last);
	if (got == -ENOMEM)
		return got;
	int err = got > 0 ? show_function(list, first) : 0;
	if (err)
		return err;
	return got > 0 ? show_straight(list, first, last) : show_sample(list, list->sample->ip);
}

int branch_code_show(struct script *script, uint64_t fields, const struct xp_sample *sample)
{
	size_t nr = sample->nr_branches, most = (size_t)script->config->values->max_blocks;
	struct listing list = { .script = script, .sample = sample, .fields = fields };

	if (!nr)
		return 0;
	if (!script->branch_code)
		script->branch_code = malloc(sizeof(*script->branch_code));
	list.read = script->branch_code;
	if (!list.read)
		return -ENOMEM;
	list.read->code = (struct code_bytes){ list.read->room, 0, 0 };
	if (most && nr > most + 1)
		nr = most + 1;
	sink_char(&script->out, '\n');
	int err = show_first(&list, &sample->branches[nr - 1]) ?: show_blocks(&list, nr);
	return err ? err : show_last(&list, &sample->branches[0]);
}
