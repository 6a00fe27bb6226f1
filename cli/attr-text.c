/* SPDX-License-Identifier: MIT */
/*
 * One table of attribute fields, printed in three forms.
 *
 * Source: `perf stat -vv`, `perf evlist -v` and files written under PERF_TEST_ATTR, perf 6.1; the
 * names of bits: perf_event_open(2), linux/perf_event.h.
 */
#include "attr-text.h"

#include <inttypes.h>
#include <string.h>
#include <xperf/attr.h>

/* How a value is shown to people. In an ini file all are decimal. */
enum look { DEC, HEX, SIGNED, SAMPLE_TYPE, READ_FORMAT, BRANCH_TYPE };

/* A bit by its number; the list of a word ends with a NULL name. */
struct bit {
	const char *name;
	unsigned int nr;
};

/* In the order in which perf 6.1 prints them; what it does not know comes last. */
static const struct bit sample_types[] = {
	{ "IP", 0 },
	{ "TID", 1 },
	{ "TIME", 2 },
	{ "ADDR", 3 },
	{ "READ", 4 },
	{ "CALLCHAIN", 5 },
	{ "ID", 6 },
	{ "CPU", 7 },
	{ "PERIOD", 8 },
	{ "STREAM_ID", 9 },
	{ "RAW", 10 },
	{ "BRANCH_STACK", 11 },
	{ "REGS_USER", 12 },
	{ "STACK_USER", 13 },
	{ "IDENTIFIER", 16 },
	{ "REGS_INTR", 18 },
	{ "DATA_SRC", 15 },
	{ "WEIGHT", 14 },
	{ "PHYS_ADDR", 19 },
	{ "AUX", 20 },
	{ "CGROUP", 21 },
	{ "DATA_PAGE_SIZE", 22 },
	{ "CODE_PAGE_SIZE", 23 },
	{ "WEIGHT_STRUCT", 24 },
	{ "TRANSACTION", 17 },
	{ NULL, 0 },
};

static const struct bit read_formats[] = {
	{ "TOTAL_TIME_ENABLED", 0 },
	{ "TOTAL_TIME_RUNNING", 1 },
	{ "ID", 2 },
	{ "GROUP", 3 },
	{ "LOST", 4 },
	{ NULL, 0 },
};

static const struct bit branch_types[] = {
	{ "USER", 0 },       { "KERNEL", 1 },     { "HV", 2 },         { "ANY", 3 },
	{ "ANY_CALL", 4 },   { "ANY_RETURN", 5 }, { "IND_CALL", 6 },   { "ABORT_TX", 7 },
	{ "IN_TX", 8 },      { "NO_TX", 9 },      { "COND", 10 },      { "CALL_STACK", 11 },
	{ "IND_JUMP", 12 },  { "CALL", 13 },      { "NO_FLAGS", 14 },  { "NO_CYCLES", 15 },
	{ "TYPE_SAVE", 16 }, { "HW_INDEX", 17 },  { "PRIV_SAVE", 18 }, { "COUNTERS", 19 },
	{ NULL, 0 },
};

static const struct bit *const bit_names[] = {
	[SAMPLE_TYPE] = sample_types,
	[READ_FORMAT] = read_formats,
	[BRANCH_TYPE] = branch_types,
};

/* A field: bits @bit..@bit+@width-1 of the 64-bit word at @word. */
struct field {
	const char *name; /* for people */
	const char *key;  /* in an ini file; NULL: not there */
	uint8_t word;     /* offset, bytes, a multiple of 8 */
	uint8_t bit, width;
	enum look look;
};

/* The word that holds the flags begins behind read_format. */
enum { FLAGS = offsetof(struct xp_attr, read_format) + sizeof(uint64_t) };

/* Fields of 32 and 16 bits are parts of a word whose order depends on the byte order. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BIT_OF(field)        (offsetof(struct xp_attr, field) % 8 * 8)
#define FLAG_BIT(bit, width) (bit)
#else
#define BIT_OF(field)        (64 - 8 * (offsetof(struct xp_attr, field) % 8 + SIZE_OF(field)))
#define FLAG_BIT(bit, width) (64 - (bit) - (width))
#endif

#define SIZE_OF(field) sizeof(((struct xp_attr *)NULL)->field)

#define PLACE(field) offsetof(struct xp_attr, field) / 8 * 8, BIT_OF(field), 8 * SIZE_OF(field)

#define FIELD(field, look)      #field, #field, PLACE(field), look
#define NEW(field, look)        #field, NULL, PLACE(field), look
#define BOTH(text, field, look) text, #field, PLACE(field), look
#define FLAG(name, bit)         #name, #name, FLAGS, FLAG_BIT(bit, 1), 1, DEC
#define NEW_FLAG(name, bit)     #name, NULL, FLAGS, FLAG_BIT(bit, 1), 1, DEC

static const struct field fields[] = {
	{ FIELD(type, DEC) },
	{ FIELD(size, DEC) },
	{ FIELD(config, HEX) },
	{ BOTH("{ sample_period, sample_freq }", sample_period, DEC) },
	{ FIELD(sample_type, SAMPLE_TYPE) },
	{ FIELD(read_format, READ_FORMAT) },
	{ FLAG(disabled, 0) },
	{ FLAG(inherit, 1) },
	{ FLAG(pinned, 2) },
	{ FLAG(exclusive, 3) },
	{ FLAG(exclude_user, 4) },
	{ FLAG(exclude_kernel, 5) },
	{ FLAG(exclude_hv, 6) },
	{ FLAG(exclude_idle, 7) },
	{ FLAG(mmap, 8) },
	{ FLAG(comm, 9) },
	{ FLAG(freq, 10) },
	{ FLAG(inherit_stat, 11) },
	{ FLAG(enable_on_exec, 12) },
	{ FLAG(task, 13) },
	{ FLAG(watermark, 14) },
	{ "precise_ip", "precise_ip", FLAGS, FLAG_BIT(15, 2), 2, DEC },
	{ FLAG(mmap_data, 17) },
	{ FLAG(sample_id_all, 18) },
	{ FLAG(exclude_host, 19) },
	{ FLAG(exclude_guest, 20) },
	{ FLAG(exclude_callchain_kernel, 21) },
	{ FLAG(exclude_callchain_user, 22) },
	{ FLAG(mmap2, 23) },
	{ FLAG(comm_exec, 24) },
	{ FLAG(use_clockid, 25) },
	{ FLAG(context_switch, 26) },
	{ FLAG(write_backward, 27) },
	{ FLAG(namespaces, 28) },
	{ NEW_FLAG(ksymbol, 29) },
	{ NEW_FLAG(bpf_event, 30) },
	{ NEW_FLAG(aux_output, 31) },
	{ NEW_FLAG(cgroup, 32) },
	{ NEW_FLAG(text_poke, 33) },
	{ NEW_FLAG(build_id, 34) },
	{ NEW_FLAG(inherit_thread, 35) },
	{ NEW_FLAG(remove_on_exec, 36) },
	{ NEW_FLAG(sigtrap, 37) },
	{ NEW_FLAG(defer_callchain, 38) },
	{ NEW_FLAG(defer_output, 39) },
	{ BOTH("{ wakeup_events, wakeup_watermark }", wakeup_events, DEC) },
	{ FIELD(bp_type, DEC) },
	{ BOTH("{ bp_addr, config1 }", config1, HEX) },
	{ BOTH("{ bp_len, config2 }", config2, HEX) },
	{ FIELD(branch_sample_type, BRANCH_TYPE) },
	{ FIELD(sample_regs_user, HEX) },
	{ FIELD(sample_stack_user, DEC) },
	{ NEW(clockid, SIGNED) },
	{ NEW(sample_regs_intr, HEX) },
	{ NEW(aux_watermark, DEC) },
	{ NEW(sample_max_stack, DEC) },
	{ NEW(aux_sample_size, DEC) },
	{ NEW(aux_action, HEX) },
	{ NEW(sig_data, DEC) },
	{ NEW(config3, HEX) },
	{ NEW(config4, HEX) },
};

static uint64_t value_of(const struct xp_attr *attr, const struct field *field)
{
	uint64_t word;

	memcpy(&word, (const char *)attr + field->word, sizeof(word));
	return word >> field->bit & (~0ULL >> (64 - field->width));
}

/* Names with the same before each, joined by @between; bits without a name as one number at the
 * end. */
static void print_names(FILE *file, uint64_t value, const struct bit *bits, const char *before,
			const char *between)
{
	bool is_first = true;

	for (; bits->name; bits++) {
		uint64_t bit = UINT64_C(1) << bits->nr;

		if (!(value & bit))
			continue;
		fprintf(file, "%s%s%s", is_first ? "" : between, before, bits->name);
		is_first = false;
		value &= ~bit;
	}
	if (value)
		fprintf(file, "%s0x%" PRIx64, is_first ? "" : between, value);
}

static void print_bits(FILE *file, uint64_t value, const struct bit *bits)
{
	print_names(file, value, bits, "", "|");
}

void attr_print_sample_type(FILE *file, uint64_t type)
{
	print_names(file, type, sample_types, "PERF_SAMPLE_", ", ");
}

static void print_value(FILE *file, uint64_t value, enum look look)
{
	if (look == DEC)
		fprintf(file, "%" PRIu64, value);
	else if (look == HEX)
		fprintf(file, "%#" PRIx64, value);
	else if (look == SIGNED)
		fprintf(file, "%d", (int)value);
	else
		print_bits(file, value, bit_names[look]);
}

void attr_print(FILE *file, const struct xp_attr *attr)
{
	fprintf(file, "perf_event_attr:\n");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value = value_of(attr, &fields[i]);

		if (!value)
			continue;
		fprintf(file, "  %-32s ", fields[i].name);
		print_value(file, value, fields[i].look);
		fputc('\n', file);
	}
}

void attr_print_line(FILE *file, const struct xp_attr *attr, const char *between)
{
	const char *comma = "";

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value = value_of(attr, &fields[i]);

		if (!value)
			continue;
		fprintf(file, "%s%s%s", comma, fields[i].name, between);
		print_value(file, value, fields[i].look);
		comma = ", ";
	}
}

void attr_write_ini(FILE *file, const struct xp_attr *attr)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].key)
			fprintf(file, "%s=%" PRIu64 "\n", fields[i].key,
				value_of(attr, &fields[i]));
}
