/* SPDX-License-Identifier: MIT */
/* Event strings that are refused: one sentence, its place, the nearest name; long ones, too. */
#include "parse-fixture.h"

/* Strings that are refused: why, where, and a part of the sentence or hint. */
static const struct bad {
	int line;
	const char *text;
	int err;
	int pos;
	int len;
	const char *says;
} bad[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
	/* names that do not exist */
	ROW("cylces", -ENOENT, 0, 6, "Did you mean 'cycles'?"),
	ROW("cylces:u", -ENOENT, 0, 6, "there is no event 'cylces'"),
	/* a neighbour is near: most letters are the same */
	ROW("scd:sched_switch", -ENOENT, 0, 3, "available_events of tracefs"),
	ROW("cpu-cycle", -ENOENT, 0, 9, "Did you mean 'cpu-cycles'?"),
	ROW("r1zz", -ENOENT, 0, 4, "hexadecimal"),
	ROW("r1a8g", -ENOENT, 0, 5, "hexadecimal"),
	ROW("rzz", -ENOENT, 0, 3, "No event has a similar name"),
	ROW("page-faults,cylces", -ENOENT, 12, 6, "'cycles'"),
	ROW("{page-faults,cylces:u}:k", -ENOENT, 13, 6, "'cycles'"),
	ROW("Page-Faults", -ENOENT, 0, 11, "Did you mean 'page-faults'?"),
	ROW("llc-loads", -ENOENT, 0, 9, "Did you mean 'LLC-loads'?"),
	ROW("L1-dcache-laod-misses", -ENOENT, 0, 21, "'L1-dcache-load-misses'"),
	ROW("mem-laods", -ENOENT, 0, 9, "'mem-loads'"),
	/* files beside an alias that say how it is shown */
	ROW("tsc.scale", -ENOENT, 0, 9, "no event 'tsc.scale'"),
	ROW("tsc.units", -ENOENT, 0, 9, "No event has a similar name"),
	ROW("msr/tsc.unit/", -ENOENT, 4, 8, "has no term 'tsc.unit'"),
	ROW("zzzzzzzzzzzz", -ENOENT, 0, 12, "No event has a similar name"),
	ROW("r", -ENOENT, 0, 1, "no event"),
	ROW("rxyz", -ENOENT, 0, 4, "no event"),
	ROW("R1A8", -ENOENT, 0, 4, "as in r1a8"),
	ROW("0x1a8", -ENOENT, 0, 5, "as in r1a8"),
	ROW("cycles;instructions", -ENOENT, 0, 19, "separated by ','"),
	ROW("sched", -ENOENT, 0, 5, "'sched:*'"),
	ROW("sched:", -ENOENT, 0, 5, "'sched:*'"),
	ROW("R1A8", -ENOENT, 0, 4, "no event"),
	ROW("l1d-", -ENOENT, 0, 4, "no event"),
	ROW("L1-dcache-load-store", -ENOENT, 0, 20, "no event"),
	ROW("LLC-loads-loads", -ENOENT, 0, 15, "no event"),
	ROW("mem", -ENOENT, 0, 3, "no event"),
	ROW("sched:sched_swtich", -ENOENT, 6, 12, "Did you mean 'sched:sched_switch'?"),
	ROW("shced:sched_switch", -ENOENT, 0, 5, "Did you mean 'sched'?"),
	ROW("sched:*nothing", -ENOENT, 0, 14, "no tracepoint matches"),
	ROW("*:nothing", -ENOENT, 0, 9, "no tracepoint matches"),
	ROW("sched:enable", -ENOENT, 6, 6, "no tracepoint"),
	ROW("sched:..", -ENOENT, 6, 2, "no tracepoint"),
	ROW("..:sched_switch", -ENOENT, 0, 2, "no tracepoints"),
	ROW("cpuu/event=1/", -ENOENT, 0, 4, "Did you mean 'cpu'?"),
	ROW("nothing/event=1/", -ENOENT, 0, 7, "cpu, msr, software"),
	ROW("../type=1/", -ENOENT, 0, 2, "no PMU"),
	ROW("cpu/evnet=1/", -ENOENT, 4, 5, "Did you mean 'event'?"),
	ROW("msr/nothing=1/", -ENOENT, 4, 7, "tsc"),
	ROW("page-faults/nothing/", -ENOENT, 12, 7, "no term"),

	/* combinations that do not exist */
	ROW("iTLB-stores", -EINVAL, 0, 11, "iTLB has no stores"),
	ROW("iTLB-prefetches", -EINVAL, 0, 15, "loads only"),
	ROW("L1-icache-store-misses", -EINVAL, 0, 22, "loads and prefetches"),
	ROW("branch-stores", -EINVAL, 0, 13, "branch has no stores"),
	ROW("bpu-prefetch-misses", -EINVAL, 0, 19, "no prefetches"),

	/* numbers */
	ROW("r10000000000000000", -EINVAL, 0, 18, "64 bits"),
	ROW("4294967296:1", -EINVAL, 0, 10, "32 bits"),
	ROW("1:", -EINVAL, 2, 1, "number is missing"),
	ROW("1:x", -EINVAL, 2, 1, "number is missing"),
	ROW("1:18446744073709551616", -EINVAL, 2, 20, "64 bits"),
	ROW("cpu/event=0x1000/", -EINVAL, 10, 6, "too large"),
	ROW("cpu/inv=2/", -EINVAL, 8, 1, "too large"),
	ROW("cpu/event=x/", -EINVAL, 10, 1, "not a number"),
	ROW("cpu/config=-1/", -EINVAL, 11, 2, "not a number"),
	ROW("cpu/config=18446744073709551616/", -EINVAL, 11, 20, "64 bits"),
	ROW("cpu/strange=1/", -EINVAL, 4, 7, "cannot be parsed"),
	ROW("cpu/broken=1/", -EINVAL, 4, 6, "cannot be parsed"),
	ROW("cpu/damaged/", -EINVAL, 4, 7, "value is missing"),
	ROW("cpu/circular/", -EINVAL, 4, 8, "no term"),

	/* modifiers */
	ROW("page-faults:x", -EINVAL, 12, 1, "no modifier 'x'"),
	ROW("page-faults:uxk", -EINVAL, 13, 1, "no modifier 'x'"),
	ROW("page-faults:uu", -EINVAL, 13, 1, "given twice"),
	ROW("page-faults:ukpu", -EINVAL, 15, 1, "given twice"),
	ROW("page-faults:pppp", -EINVAL, 12, 4, "levels of precision"),
	ROW("{page-faults:pp,cs}:pp", -EINVAL, 20, 2, "levels of precision"),
	ROW("{page-faults,cs}:uu", -EINVAL, 18, 1, "given twice"),
	ROW("{page-faults,cs}:z", -EINVAL, 17, 1, "no modifier 'z'"),
	ROW("page-faults:u:k", -EINVAL, 14, 1, "unexpected ':'"),
	ROW("a:b:c:d:e", -EINVAL, 6, 1, "unexpected ':'"),
	ROW("sched:sched_switch:u:k", -EINVAL, 21, 1, "unexpected ':'"),
	ROW("sched:sched_switch:x", -EINVAL, 19, 1, "no modifier 'x'"),
	ROW("page-faults:u/name=x/", -EINVAL, 12, 1, "follow the last '/'"),
	ROW("software/config=1/x", -EINVAL, 18, 1, "no modifier 'x'"),
	ROW("{page-faults,cs:D}", -EINVAL, 16, 1, "can be pinned"),
	ROW("{page-faults,cs:e}", -EINVAL, 16, 1, "can be exclusive"),
	ROW("{sched:*:D}", -EINVAL, 9, 1, "can be pinned"),

	/* punctuation */
	ROW("", -EINVAL, 0, 1, "empty"),
	ROW("  \t ", -EINVAL, 4, 1, "empty"),
	ROW(",", -EINVAL, 0, 1, "missing before ','"),
	ROW(",page-faults", -EINVAL, 0, 1, "missing before ','"),
	ROW("page-faults,", -EINVAL, 12, 1, "missing at the end"),
	ROW("page-faults,,cs", -EINVAL, 12, 1, "missing before ','"),
	ROW("page-faults cs", -EINVAL, 12, 2, "',' is missing"),
	ROW("page-faults{cs}{faults}", -EINVAL, 15, 1, "',' is missing before the group"),
	ROW("{}", -EINVAL, 1, 1, "empty"),
	ROW("{,cs}", -EINVAL, 1, 1, "missing before ','"),
	ROW("{cs,}", -EINVAL, 4, 1, "missing before '}'"),
	ROW("{page-faults,cs", -EINVAL, 0, 1, "not closed"),
	ROW("cs,{page-faults", -EINVAL, 3, 1, "not closed"),
	ROW("page-faults,cs}", -EINVAL, 14, 1, "closes no group"),
	ROW("}", -EINVAL, 0, 1, "closes no group"),
	ROW("{page-faults}}", -EINVAL, 13, 1, "closes no group"),
	ROW("{{page-faults}}", -EINVAL, 1, 1, "nested"),
	ROW("{page-faults,a{cs}}", -EINVAL, 14, 1, "nested"),
	ROW("{page-faults,cs}u", -EINVAL, 16, 1, "after the group"),
	ROW("{page-faults cs}", -EINVAL, 13, 2, "',' is missing"),
	ROW(":u", -EINVAL, 0, 1, "name is missing before ':'"),
	ROW("/config=1/", -EINVAL, 0, 1, "PMU is missing"),
	ROW("=", -EINVAL, 0, 1, "missing before '='"),
	ROW("cycles=3", -EINVAL, 6, 1, "between slashes"),
	ROW("'cycles'", -EINVAL, 1, 6, "quotes"),
	ROW("cycles'", -EINVAL, 6, 1, "not closed"),
	ROW("software/config=1", -EINVAL, 17, 1, "closing '/'"),
	ROW("software/", -EINVAL, 9, 1, "closing '/'"),
	ROW("{software/config=1}", -EINVAL, 18, 1, "closing '/'"),
	ROW("software/config=1,/", -EINVAL, 18, 1, "missing before '/'"),
	ROW("software/config=1,,name=x/", -EINVAL, 18, 1, "missing before ','"),
	ROW("software/config=/", -EINVAL, 16, 1, "value is missing"),
	ROW("software/=1/", -EINVAL, 9, 1, "missing before '='"),
	ROW("software/name='x/", -EINVAL, 14, 1, "not closed"),
	ROW("software/name=''/", -EINVAL, 9, 4, "name is missing"),
	ROW("software/config=1//", -EINVAL, 18, 1, "unexpected '/'"),

	/* breakpoints */
	ROW("mem:", -EINVAL, 4, 1, "address of the breakpoint is missing"),
	ROW("mem:x", -EINVAL, 4, 1, "not the address"),
	ROW("mem:0x1000/:r", -EINVAL, 11, 1, "length of the breakpoint"),
	ROW("mem:0x1000/zz", -EINVAL, 11, 2, "not the length"),
	ROW("mem:0x1000:rr", -EINVAL, 12, 1, "given twice"),
	ROW("mem:0x1000:r:u:k", -EINVAL, 15, 1, "unexpected ':'"),
	ROW("mem:0x1000:q", -EINVAL, 11, 1, "no modifier 'q'"),
	ROW("mem:0x1000/4/", -EINVAL, 13, 1, "closing '/' is missing"),
	ROW("mem:0x1000/4/8", -EINVAL, 14, 1, "closing '/' is missing"),
	ROW("mem:0x1000/nmae=x/", -ENOENT, 11, 4, "there is no term 'nmae'"),
	ROW("mem:0x1000:u/name=x/", -EINVAL, 11, 1, "modifiers must follow the last '/'"),

	/* bytes */
	ROW("\xff\xfe", -ENOENT, 0, 2, "no event"),
	ROW("cyc\x1b[31mles", -ENOENT, 0, 11, "'cyc?[31mles'"),
#undef ROW
};

static void every_mistake_is_one_sentence_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const struct bad *row = &bad[i];
		struct parsing f;

		setup(&f);
		int err = parse(&f, row->text);
		if (err != row->err || f.diag.err != err || f.diag.pos != row->pos ||
		    f.diag.len != row->len)
			fail_msg("line %d, '%s': %d at %d+%d: %s", row->line, row->text, err,
				 f.diag.pos, f.diag.len, f.diag.what);
		if (!strstr(f.diag.what, row->says) && !strstr(f.diag.hint, row->says))
			fail_msg("line %d, '%s': '%s', '%s'", row->line, row->text, f.diag.what,
				 f.diag.hint);
		assert_int_equal(xp_evlist_nr(f.evlist), 0);
		/* Without a message, the answer is the same. */
		assert_int_equal(xp_evlist_parse(f.evlist, row->text, NULL), row->err);
		teardown(&f);
	}
}

/* @nr times @piece between @before and @after, the caller's. */
static char *repeat(const char *before, const char *piece, size_t nr, const char *after)
{
	size_t len = strlen(piece);
	char *text = malloc(strlen(before) + nr * len + strlen(after) + 1);
	char *end = stpcpy(text, before);

	for (size_t i = 0; i < nr; i++)
		end = stpcpy(end, piece);
	strcpy(end, after);
	return text;
}

static void long_strings_take_linear_time_and_flat_stack(void **state)
{
	enum { NR = 100000 };
	static const struct {
		const char *before, *piece, *after;
		int err;
	} rows[] = {
		{ "", "a", "", -ENOENT },
		{ "", "{", "", -EINVAL },
		{ "", ":", "", -EINVAL },
		{ "cs:", "u", "", -EINVAL },
		{ "{cs", ",cs", "}:u", 0 },
		{ "{cs", ",cs", "", -EINVAL },
		{ "software/config=1", ",config=2", "/", 0 },
		{ "software/name=", "x", "/", 0 },
		{ "software/name=a", "'", "/", -EINVAL },
		{ "sched:", "*?", "", -ENOENT },
		{ "", "*", ":x", -ENOENT },
		{ "sched:", "x", "", -ENOENT },
		{ "", "x", "/config=1/", -ENOENT },
		{ "", " ", "cs", 0 },
		{ "r", "0", "1", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *text = repeat(rows[i].before, rows[i].piece, NR, rows[i].after);
		struct parsing f;

		setup(&f);
		int err = parse(&f, text);
		if (err != rows[i].err)
			fail_msg("row %zu: %d: %s", i, err, f.diag.what);
		if (err && (f.diag.pos < 0 || f.diag.len < 1 ||
			    (size_t)(f.diag.pos + f.diag.len) > sizeof(f.diag.input)))
			fail_msg("row %zu: position %d+%d", i, f.diag.pos, f.diag.len);
		teardown(&f);
		free(text);
	}
}

static void the_place_is_right_in_an_excerpt_too(void **state)
{
	char *text = repeat("", "page-faults,", 1000, "cylces,cs");
	struct parsing f;

	(void)state;
	setup(&f);
	assert_int_equal(parse(&f, text), -ENOENT);
	assert_memory_equal(f.diag.input + f.diag.pos, "cylces,cs", 10);
	assert_int_equal(f.diag.len, 6);
	teardown(&f);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mistake_is_one_sentence_with_its_place),
		cmocka_unit_test(long_strings_take_linear_time_and_flat_stack),
		cmocka_unit_test(the_place_is_right_in_an_excerpt_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
