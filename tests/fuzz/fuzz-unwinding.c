/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any records, samples with any registers and stacks among them, as they pass the
 * recorder's stage that unwinds. What comes out are whole records; samples have a call chain in
 * place of the stack, and each that went in came out, or was counted as damaged.
 *
 * The first 4 bytes: fields of samples (two), registers that are kept and what else (enum with),
 * how much may be held. Then operations of 12 bytes, of records (band.h) or of enum turn, some with
 * bytes behind them.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/chain-ends.h>
#include <xperf/ctx.h>
#include <xperf/sample.h>
#include <xperf/symtab.h>
#include <xperf/unwind.h>

#include "band.h"
#include "pages.h"
#include "unwinding.h"
#include "unwound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum turn {
	TURN_SAMPLE = 0x80, /* with a stack */
	TURN_RAW,           /* a record of any bytes */
	TURN_ROUND,
	TURN_FLUSH,
	TURN_SWITCH,
	TURN_OTHER_EVENT, /* a sample without a stack */
	NR_TURNS,
};
enum with { WITH_OVERWRITTEN = 0x40, WITH_TWO_EVENTS = 0x80 };
enum { HEADER = 4, MAX_TURNS = 400, BLOCK = 8 << 10, RECORD_MAX = 4 << 10, STACK = 0x70000000 };
#ifdef __x86_64__
enum { SP_BIT = 7, IP_BIT = 8, NR_REGS = 20 };
#define REGS UINT64_C(0xff0fff)
#else
enum { SP_BIT = 31, IP_BIT = 32, NR_REGS = 33 };
#define REGS UINT64_C(0x1ffffffff)
#endif

/* Fields that a bit of the input adds; data of some of them is empty. */
static const uint64_t fields[] = {
	XP_SAMPLE_IDENTIFIER,  XP_SAMPLE_ADDR,   XP_SAMPLE_CPU,       XP_SAMPLE_PERIOD,
	XP_SAMPLE_ID,          XP_SAMPLE_RAW,    XP_SAMPLE_WEIGHT,    XP_SAMPLE_BRANCH_STACK,
	XP_SAMPLE_DATA_SRC,    XP_SAMPLE_TIME,   XP_SAMPLE_REGS_INTR, XP_SAMPLE_PHYS_ADDR,
	XP_SAMPLE_TRANSACTION, XP_SAMPLE_CGROUP, XP_SAMPLE_AUX,       XP_SAMPLE_STREAM_ID,
};

struct stage {
	struct xp_attr attrs[2], written;
	struct xp_shed_event events[2];
	struct xp_shed shed;
	struct xp_shed_ids ids;
	struct xp_scan scan;
	struct xp_unwinding *unwinding;
	uint64_t kept_regs, time_ns;
	struct xp_block *block;
	size_t nr_in, nr_out;
};

/* --- memory --- */

/* The unwinder's tables are large, and an input uses little of them: they are kept, and only pages
 * that were touched are emptied. There is no access behind a table's end. */
static struct {
	char *bytes;
	size_t len;
	bool is_used;
} tables[4];

static char *map_table(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = (bytes + page - 1) / page * page;
	char *at =
		mmap(NULL, len + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(at != MAP_FAILED && !mprotect(at + len, page, PROT_NONE));
	return at + (len - bytes);
}

void *xp_pages_alloc(size_t bytes)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (tables[i].is_used || (tables[i].bytes && tables[i].len != bytes))
			continue;
		if (!tables[i].bytes)
			tables[i].bytes = map_table(bytes);
		tables[i].len = bytes;
		tables[i].is_used = true;
		return tables[i].bytes;
	}
	abort();
}

void xp_pages_free(void *pages, size_t bytes)
{
	size_t in_page = (uintptr_t)pages % (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].bytes && tables[i].bytes == pages) {
			tables[i].is_used = false;
			assert(!madvise((char *)pages - in_page, bytes + in_page, MADV_DONTNEED));
		}
}

/* --- what comes out --- */

static void check_block(struct stage *s, struct xp_block *block)
{
	for (size_t at = 0; at < block->len;) {
		const struct xp_record *record = (const void *)(block->bytes + at);
		const struct xp_shed_event *event;
		struct xp_sample sample = { .size = sizeof(sample) };

		assert(block->len - at >= sizeof(*record));
		assert(record->size >= sizeof(*record) && record->size <= block->len - at);
		at += record->size;
		if (record->type != XP_RECORD_SAMPLE)
			continue;
		s->nr_out++;
		event = xp_shed_event_of(&s->shed, record);
		if (!event || event->attr != &s->attrs[0])
			continue;
		assert(!xp_sample_decode(record, &s->written, &sample));
		assert(!sample.stack_len && sample.nr_callchain < RECORD_MAX / 8);
	}
}

static void release(struct stage *s, struct xp_block *block)
{
	while (block) {
		struct xp_block *next = block->next;

		if (block->kind == XP_BLOCK_RING) {
			xp_unwinding_block(s->unwinding, &s->scan, block);
			check_block(s, block);
		}
		free(block);
		block = next;
	}
}

/* --- what goes in --- */

static void begin_block(struct stage *s)
{
	s->block = xp_block_new(XP_BLOCK_RING, BLOCK);
	assert(s->block);
}

static void push(struct stage *s, struct xp_block *block)
{
	release(s, xp_unwinding_hold(s->unwinding, block));
}

static void end_block(struct stage *s, bool flush)
{
	s->block->flush = flush;
	push(s, s->block);
	begin_block(s);
}

static void put(struct stage *s, const void *record, size_t len)
{
	const struct xp_record *header = record;

	assert(len <= RECORD_MAX && len == header->size && len % 8 == 0);
	if (s->block->room - s->block->len < len)
		end_block(s, false);
	memcpy(s->block->bytes + s->block->len, record, len);
	s->block->len += len;
	s->nr_in += header->type == XP_RECORD_SAMPLE;
}

static void put_round(struct stage *s)
{
	const struct xp_record round = { XP_RECORD_FINISHED_ROUND, 0, sizeof(round) };

	put(s, &round, sizeof(round));
}

static void put_switch(struct stage *s)
{
	struct xp_block *block = xp_block_new(XP_BLOCK_SWITCH, 0);

	assert(block);
	end_block(s, false);
	push(s, block);
}

static void put_band(struct stage *s, const uint8_t *op)
{
	const struct xp_sample_id id = { .id = 1 };
	struct xp_sample_id timed = id;
	struct timed rec;

	band_make(op, &s->time_ns, &rec);
	timed.time_ns = s->time_ns;
	assert(rec.header.size + xp_sample_id_bytes(&s->attrs[0]) <= sizeof(rec.bytes));
	/* The kernel writes no samples and no ends of rounds here. */
	if (rec.header.type == XP_RECORD_SAMPLE)
		return;
	if (op[9] & 1) {
		xp_sample_id_encode(&timed, &s->attrs[0], rec.bytes + rec.header.size);
		rec.header.size = (uint16_t)(rec.header.size + xp_sample_id_bytes(&s->attrs[0]));
	}
	put(s, rec.bytes, rec.header.size);
}

/* Registers point to the stack; bytes behind the operation are what it holds. Returns how many. */
static size_t put_sample(struct stage *s, const uint8_t *op, size_t left, int event)
{
	static _Alignas(8) char bytes[RECORD_MAX];
	static const uint64_t chain[] = { XP_CONTEXT_KERNEL, UINT64_C(0xffffffff81000000) };
	uint64_t values[NR_REGS];
	size_t len = (size_t)op[9] * 8, stack_len = len < left ? len : left / 8 * 8;
	struct xp_sample sample = {
		.size = sizeof(sample),
		.id = { .pid = op[1] % 8, .tid = op[1] % 8, .id = (uint64_t)event + 1 },
		.ip = band_u16(op + 2) * 16,
		.callchain = chain,
		.nr_callchain = op[4] & 4 ? 2 : 0,
		.user_regs = { .abi = op[4] >> 3 & 3,
			       .mask = REGS,
			       .values = values,
			       .nr = NR_REGS },
		.stack_len = stack_len,
		.stack_valid = op[4] & 0x20 ? stack_len : stack_len / 16 * 8,
	};
	uint8_t *stack = malloc(stack_len ? stack_len : 1);

	assert(stack);
	memcpy(stack, op + BAND_OP, stack_len);
	for (size_t i = 0; i < NR_REGS; i++)
		values[i] = STACK + 8 * ((i * op[5] + op[6]) & 31);
	values[__builtin_popcountll(REGS & ((UINT64_C(1) << IP_BIT) - 1))] = sample.ip;
	values[__builtin_popcountll(REGS & ((UINT64_C(1) << SP_BIT) - 1))] = STACK;
	s->time_ns += op[7];
	sample.id.time_ns = s->time_ns - (op[8] < s->time_ns ? op[8] : s->time_ns);
	sample.stack = stack;
	if (!sample.user_regs.abi)
		sample.user_regs.nr = 0;
	int got = xp_sample_encode(&sample, &s->attrs[event], bytes, sizeof(bytes));
	((struct xp_record *)(void *)bytes)->misc = op[4] & 3 ? XP_MISC_USER : XP_MISC_KERNEL;
	if (got > 0)
		put(s, bytes, (size_t)got);
	free(stack);
	return stack_len;
}

/* A name in it is that of no file. Returns the bytes used. */
static size_t put_raw(struct stage *s, const uint8_t *op, size_t left)
{
	static _Alignas(8) char bytes[sizeof(struct xp_record) + 256 * 8];
	size_t len = (size_t)op[3] * 8 < left ? (size_t)op[3] * 8 : left / 8 * 8;
	struct xp_record *record = (void *)bytes;

	*record = (struct xp_record){ op[1], op[2], (uint16_t)(sizeof(*record) + len) };
	memcpy(record + 1, op + BAND_OP, len);
	if (op[1] == XP_RECORD_MMAP && record->size > sizeof(struct xp_record_mmap))
		bytes[sizeof(struct xp_record_mmap)] = 'x';
	if (op[1] == XP_RECORD_MMAP2 && record->size > sizeof(struct xp_record_mmap2))
		bytes[sizeof(struct xp_record_mmap2)] = 'x';
	put(s, bytes, record->size);
	return len;
}

static size_t turn(struct stage *s, const uint8_t *op, size_t left)
{
	if (op[0] < TURN_SAMPLE) {
		put_band(s, op);
		return 0;
	}
	switch (TURN_SAMPLE + op[0] % (NR_TURNS - TURN_SAMPLE)) {
	case TURN_SAMPLE:
		return put_sample(s, op, left, 0);
	case TURN_OTHER_EVENT:
		return put_sample(s, op, left, s->shed.nr_events - 1);
	case TURN_RAW:
		return put_raw(s, op, left);
	case TURN_ROUND:
		put_round(s);
		return 0;
	case TURN_FLUSH:
		end_block(s, op[1] & 1);
		return 0;
	default:
		put_switch(s);
		return 0;
	}
}

/* --- a recording --- */

static struct xp_unwind *unwind_once(void)
{
	static struct xp_unwind *unwind;
	struct xp_symbols *symbols;
	struct xp_ctx *ctx;

	if (unwind)
		return unwind;
	assert(!xp_ctx_new(NULL, &ctx));
	assert(!xp_symbols_new(ctx, NULL, &symbols));
	assert(!xp_unwind_new(symbols, NULL, &unwind));
	return unwind;
}

static void begin(struct stage *s, const uint8_t *data)
{
	struct xp_attr *attr = &s->attrs[0];
	struct xp_recorder_opts opts = { .unwind = unwind_once(),
					 .kept_regs = data[2] & 0x3f,
					 .backlog_bytes = (size_t)data[3] << 14 };

	*attr = (struct xp_attr){ .sample_type = XP_SAMPLE_IP | XP_SAMPLE_TID |
						 XP_SAMPLE_CALLCHAIN | XP_SAMPLE_REGS_USER |
						 XP_SAMPLE_STACK_USER,
				  .sample_id_all = 1,
				  .sample_regs_user = REGS,
				  .sample_regs_intr = 3,
				  .sample_stack_user = 2048 };
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if ((data[0] | (unsigned int)data[1] << 8) >> i & 1)
			attr->sample_type |= fields[i];
	s->shed = (struct xp_shed){ .events = s->events, .nr_events = 1, .ids = &s->ids };
	if (data[2] & WITH_TWO_EVENTS) {
		s->shed.nr_events = 2;
		attr->sample_type |= XP_SAMPLE_IDENTIFIER;
		assert(!xp_id_map_add(&s->ids.map, 1, 0) && !xp_id_map_add(&s->ids.map, 2, 1));
	}
	s->attrs[1] = *attr;
	s->attrs[1].sample_type &= ~(uint64_t)(XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER);
	s->events[0].attr = &s->attrs[0];
	s->events[1].attr = &s->attrs[1];
	s->written = *attr;
	s->kept_regs = opts.kept_regs;
	xp_unwound_attr(&s->written, s->kept_regs);
	assert(!xp_unwinding_new(&opts, &s->shed, data[2] & WITH_OVERWRITTEN, &s->unwinding));
	begin_block(s);
}

static void end(struct stage *s)
{
	struct xp_block *block = xp_block_new(XP_BLOCK_END, 0);
	struct xp_chain_ends *ends;

	assert(block);
	push(s, s->block);
	push(s, block);
	assert(s->nr_out + xp_scan_get(&s->scan, XP_NR_BAD) == s->nr_in);
	assert(!xp_chain_ends_new(&ends));
	assert(!xp_unwinding_ends(s->unwinding, ends));
	assert(xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS) <= s->nr_out);
	xp_chain_ends_free(ends);
	xp_unwinding_free(s->unwinding);
	xp_id_map_fini(&s->ids.map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stage s = { .time_ns = 1000 };

	if (size < HEADER)
		return 0;
	begin(&s, data);
	data += HEADER;
	size -= HEADER;
	for (int i = 0; i < MAX_TURNS && size >= BAND_OP; i++) {
		size_t used = BAND_OP + turn(&s, data, size - BAND_OP);

		data += used;
		size -= used;
	}
	end(&s);
	return 0;
}
