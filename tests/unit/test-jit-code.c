/* SPDX-License-Identifier: MIT */
/* What a jit-PID.dump says of code at an address and a time, and the frames it describes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "jit-dump-bytes.h"
#include "unwind-impl.h"

static struct dump_bytes dump;

static size_t read_dump(void *data, uint64_t offset, void *buf, size_t len)
{
	(void)data;
	assert_true(offset + len <= dump.len);
	memcpy(buf, dump.at + offset, len);
	return len;
}

static struct jit_code code_of(size_t len)
{
	struct jit_code code = { .at = 0 };

	assert_int_equal(xp_jit_code_read(&code, len, read_dump, NULL), 0);
	return code;
}

/* "START-END from..to" of the code at an address, "?" before it if its frames are not described,
 * "- from..to" where there is none. */
static const char *at(const struct jit_code *code, uint64_t time, uint64_t address)
{
	static char text[128];
	uint64_t span[2];
	const struct jit_place *place = xp_jit_place_at(code, address, time, span);
	int len = 0;

	if (place)
		len = snprintf(text, sizeof(text), "%s%#llx-%#llx",
			       place->function == UINT32_MAX ? "?" : "",
			       (unsigned long long)place->start, (unsigned long long)place->end);
	else
		text[len++] = '-';
	snprintf(text + len, sizeof(text) - (size_t)len, " %llu..%lld", (unsigned long long)span[0],
		 (long long)span[1]);
	return text;
}

static void code_is_there_until_it_is_replaced(void **state)
{
	const uint64_t ms = 1000000;

	(void)state;
	dump_begin(&dump, EM_X86_64, 1, 0);
	dump_described(&dump, 100 * ms, 0x1000, 0x20, 16);
	dump_described(&dump, 200 * ms, 0x1040, 0x1fc0, 16); /* and the page after it */
	dump_load(&dump, 300 * ms, 0x1010, 0x20);
	dump_described(&dump, 400 * ms, 0x2000, 8, 16);
	struct jit_code code = code_of(dump.len);

	assert_string_equal(at(&code, 100 * ms, 0x1000), "0x1000-0x1020 100000000..299999999");
	assert_string_equal(at(&code, 299 * ms, 0x101f), "0x1000-0x1020 100000000..299999999");
	assert_string_equal(at(&code, 298 * ms, 0x1020), "- 0..298999999");
	/* what it covers in part is gone */
	assert_string_equal(at(&code, 300 * ms, 0x1008), "- 300000000..-1");
	assert_string_equal(at(&code, 300 * ms, 0x1010), "?0x1010-0x1030 300000000..-1");
	assert_string_equal(at(&code, 399 * ms, 0x2fff), "0x1040-0x3000 200000000..399999999");
	assert_string_equal(at(&code, 400 * ms, 0x1040), "- 400000000..-1");
	/* what runs a little before it is written down */
	assert_string_equal(at(&code, 99 * ms, 0x1000), "0x1000-0x1020 99000000..99000000");
	assert_string_equal(at(&code, 98 * ms, 0x1000), "- 0..98999999");
	assert_string_equal(at(&code, 99 * ms - 1, 0x1000), "- 0..98999999");
	assert_string_equal(at(&code, 0, 0x5000), "- 0..-1");
	xp_jit_code_fini(&code);
}

static void code_is_moved(void **state)
{
	const uint64_t s = 1000000000;

	(void)state;
	dump_begin(&dump, EM_X86_64, 1, 0);
	dump_described(&dump, 1 * s, 0x1000, 0x20, 16);
	dump_move(&dump, 2 * s, 0x1000, 0x8000, 0x20);
	dump_move(&dump, 3 * s, 0x1000, 0x9000, 0x20); /* it is not there any more */
	dump_load(&dump, 4 * s, 0x1000, 0x10);
	struct jit_code code = code_of(dump.len);

	assert_string_equal(at(&code, 1 * s, 0x1000), "0x1000-0x1020 1000000000..1999999999");
	assert_string_equal(at(&code, 2 * s, 0x1000), "- 2000000000..3998999999");
	assert_string_equal(at(&code, 2 * s, 0x8000), "0x8000-0x8020 2000000000..-1");
	assert_string_equal(at(&code, 3 * s, 0x9000), "?0x9000-0x9020 3000000000..-1");
	assert_int_equal(code.nr_functions, 1);
	/* where times mean nothing */
	assert_null(xp_jit_place_always(&code, 0x1000));
	assert_null(xp_jit_place_always(&code, 0x1018));
	assert_non_null(xp_jit_place_always(&code, 0x8000));
	xp_jit_code_fini(&code);
}

static void a_dump_grows(void **state)
{
	(void)state;
	dump_begin(&dump, EM_X86_64, 1, 0);
	dump_described(&dump, 1, 0x1000, 0x20, 16);
	dump_record(&dump, DUMP_CLOSE, 0, 2);
	dump_described(&dump, 3, 0x2000, 0x20, 16);
	struct jit_code whole = code_of(dump.len), grown = { .at = 0 };

	for (size_t len = 0; len <= dump.len; len++)
		assert_int_equal(xp_jit_code_read(&grown, len, read_dump, NULL),
				 len < 40 ? -ENODATA : 0);
	assert_int_equal(grown.nr_places, 2);
	assert_int_equal(grown.nr_functions, 2);
	assert_memory_equal(grown.functions, whole.functions, 2 * sizeof(*whole.functions));
	assert_memory_equal(grown.places, whole.places, 2 * sizeof(*whole.places));
	xp_jit_code_fini(&whole);
	xp_jit_code_fini(&grown);
}

static void after_damage_nothing_is_known(void **state)
{
	(void)state;
	dump_begin(&dump, EM_X86_64, 1, 0);
	dump_described(&dump, 100, 0x1000, 0x20, 16);
	dump_load(&dump, 200, 0x2000, 0x20);
	dump_record(&dump, DUMP_LOAD, (size_t)-10, 300);
	struct jit_code code = code_of(dump.len);

	assert_string_equal(at(&code, 150, 0x1000), "0x1000-0x1020 100..199");
	assert_string_equal(at(&code, 200, 0x1000), "- 200..-1");
	assert_null(xp_jit_place_always(&code, 0x1000));
	xp_jit_code_fini(&code);

	dump_begin(&dump, EM_X86_64, 1, 0);
	dump.at[0] ^= 1;
	assert_int_equal(xp_jit_code_read(&code, dump.len, read_dump, NULL), -ENOEXEC);
}

/* 64 bytes of a file can say that code is everywhere. */
static void memory_is_bounded(void **state)
{
	(void)state;
	dump_begin(&dump, EM_X86_64, 1, 0);
	dump_described(&dump, 100, 0x1000, 0x20, 16);
	for (uint64_t i = 1; i < 600; i++)
		dump_move(&dump, 100 + i, i << 40, (i + 1) << 40, 32 << 20);
	struct jit_code code = code_of(dump.len);

	assert_true(code.is_ended);
	assert_true(code.bytes <= 128 << 20);
	assert_true(code.until_ns > 101 && code.until_ns < 700);
	assert_null(xp_jit_place_always(&code, 0x1000));
	xp_jit_code_fini(&code);

	dump_begin(&dump, EM_X86_64, 1, 0);
	dump_described(&dump, 100, 0x1000, 0x20, 16);
	dump_move(&dump, 300, 1, 2, UINT64_MAX - 10);
	code = code_of(dump.len);
	assert_true(code.is_ended);
	assert_true(code.bytes <= 1 << 20);
	xp_jit_code_fini(&code);
}

/* --- descriptions --- */

static struct xp_unwind *unwind;
static struct xp_unwind_file *file;
static char path[64];

/* A file of its own for each name. */
static void open_dump(const char *name, const struct xp_jit_clock *clock)
{
	const struct xp_symbol_file recorded = { .size = sizeof(recorded), .path = path };
	FILE *out;

	snprintf(path, sizeof(path), "/tmp/xperf-%d-%s", (int)getpid(), name);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(dump.at, dump.len, 1, out), 1);
	fclose(out);
	assert_int_equal(xp_jit_open(unwind, &recorded, clock, &file), 0);
}

/* The offset in the dump, less @from; -1: there is none. */
static int64_t offset_at(uint64_t time, uint64_t address, uint64_t from)
{
	struct xp_unwind_map map;
	uint64_t span[2];

	if (!xp_jit_find(file, address, time, &map, span))
		return -1;
	assert_true(span[0] <= time && time <= span[1]);
	assert_true(map.start <= address && address < map.end && map.file == file);
	return (int64_t)(map.offset + (address - map.start) - from);
}

/* CFA less the stack pointer; -1: it is not known. */
static int cfa_at(uint64_t offset)
{
	const struct machine *machine = xp_machine_find(EM_X86_64);
	struct rule rule = xp_unwind_file_rule(file, machine, offset, false);

	return rule.kind == RULE_FRAME && rule.cfa_reg == machine->sp ? rule.cfa_offset : -1;
}

static void begin(void)
{
	static struct xp_symbols *symbols;
	static struct xp_ctx *ctx;

	if (!ctx) {
		assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
		assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	}
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
}

static void end(void)
{
	xp_unwind_free(unwind);
	unlink(path);
}

static void frames_are_described_where_compilers_put_it(void **state)
{
	static const uint8_t usual[20] = { 1, 0x1b, 3, 0x3b };
	static struct dump_bytes frames;
	uint8_t absolute[12] = { 1, 0x0c, 0xff, 0xff };
	const uint64_t address = 0x50000;
	const struct xp_jit_clock clock = { .is_monotonic = true };
	size_t code_at[5], nr = 0;

	(void)state;
	begin();
	dump_begin(&dump, EM_X86_64, 1, 0);
	dump_described(&dump, 10, 0x10003, 21, 24);
	code_at[nr++] = dump.len - 21;
	/* the header before it */
	dump_frames(&frames, -(24 + 20), 24, 32);
	dump_unwinding(&dump, 20, usual, sizeof(usual), frames.at, frames.len, sizeof(usual));
	dump_load(&dump, 20, 0x20000, 24);
	code_at[nr++] = dump.len - 24;
	/* with its address, for several functions */
	memcpy(absolute + 4, &address, sizeof(address));
	dump_frames(&frames, 0x30000 - (int64_t)address, 24, 40);
	dump_unwinding(&dump, 30, absolute, sizeof(absolute), frames.at, frames.len,
		       sizeof(absolute));
	dump_load(&dump, 30, 0x30000, 16);
	code_at[nr++] = dump.len - 16;
	dump_load(&dump, 31, 0x30010, 16);
	code_at[nr++] = dump.len - 16;
	/* nothing but a header: there are frame pointers */
	dump_unwinding(&dump, 40, usual, sizeof(usual), NULL, 0, sizeof(usual));
	dump_load(&dump, 41, 0x40000, 16);
	open_dump("layouts", &clock);

	assert_int_equal(offset_at(10, 0x10003, code_at[0]), 0);
	assert_int_equal(offset_at(20, 0x20010, code_at[1]), 16);
	assert_int_equal(offset_at(50, 0x40000, 0), -1);
	if (cfa_at(code_at[0]) == -1 && xp_unwind_file_end(file) == XP_UNWIND_NO_LIBRARY) {
		end();
		return;
	}
	assert_int_equal(cfa_at(code_at[0]), 24);
	assert_int_equal(cfa_at(code_at[0] + 20), 24);
	assert_int_equal(cfa_at(code_at[0] + 21), -1);
	assert_int_equal(cfa_at(code_at[1]), 32);
	assert_int_equal(cfa_at(code_at[2] + 15), 40);
	assert_int_equal(cfa_at(code_at[3] + 7), 40);
	assert_int_equal(cfa_at(code_at[3] + 8), -1); /* it describes less */
	end();
}

static void times_are_those_of_two_clocks(void **state)
{
	const uint64_t s = 1000000000;
	const struct {
		struct xp_jit_clock clock;
		uint64_t header_time, flags;
		int before, after; /* whether code is found before and after it is replaced */
	} cases[] = {
		{ { true, 0 }, 0, 0, 1, 1 },
		{ { true, 70 * s }, 0, 0, 1, 1 },
		{ { false, 70 * s + 1 }, 20 * s, 0, 0, 0 }, /* 50 s later */
		{ { false, 20 * s }, 20 * s, 0, 1, 1 },
		/* not known: V8's header; a counter of the processor; it was there already */
		{ { false, 20 * s }, 1795425744865810, 0, 0, 0 },
		{ { true, 0 }, 20 * s, 1, 0, 0 },
		{ { false, 0 }, 20 * s, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[16];

		begin();
		dump_begin(&dump, EM_X86_64, cases[i].header_time, cases[i].flags);
		dump_described(&dump, 21 * s, 0x1000, 16, 24);
		dump_described(&dump, 21 * s, 0x2000, 16, 24);
		size_t always = dump.len - 16;
		dump_described(&dump, 22 * s, 0x1000, 16, 32);
		size_t last = dump.len - 16;
		snprintf(name, sizeof(name), "clock-%zu", i);
		open_dump(name, &cases[i].clock);
		int64_t before = offset_at(21 * s + 5, 0x1000, 0);
		int64_t after = offset_at(22 * s + 5, 0x1000, 0);
		assert_int_equal(before > 0 && before < (int64_t)always, cases[i].before);
		assert_int_equal(after == (int64_t)last, cases[i].after);
		/* 50 s later it is the time of the first case */
		if (i == 2) {
			assert_int_equal(offset_at(72 * s + 5, 0x1000, last), 0);
			assert_true(offset_at(71 * s + 5, 0x1000, last) < 0);
		}
		/* where there was no other code, it does not matter */
		if (i > 3)
			assert_int_equal(offset_at(5, 0x2000, always), 0);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_there_until_it_is_replaced),
		cmocka_unit_test(code_is_moved),
		cmocka_unit_test(a_dump_grows),
		cmocka_unit_test(after_damage_nothing_is_known),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(frames_are_described_where_compilers_put_it),
		cmocka_unit_test(times_are_those_of_two_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
