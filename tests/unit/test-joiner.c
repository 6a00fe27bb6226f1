/* SPDX-License-Identifier: MIT */
/* Call chains that end with the copy of the stack are completed by frames that can still be there,
 * and by no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xperf/unwind.h>

#include "joiner.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX = 16, TID = 7 };

/* A chain as "TIP:sp CALLER:sp ...": letters are functions, numbers stack pointers. */
struct step {
	const char *seen;
	const char *joined; /* what it gets */
	enum xp_unwind_end end, becomes;
	uint64_t time_ns;
};

#define WHOLE XP_UNWIND_COMPLETE
#define CUT   XP_UNWIND_END_OF_DUMP

struct fixture {
	struct xp_joiner *joiner;
	uint64_t mapped_since;
	int32_t pid, tid;
	uint64_t space;
	uint64_t pcs[MAX], sps[MAX];
	uint8_t marks[MAX];
};

static bool is_mapped(void *data, uint64_t address, uint64_t since_ns)
{
	const struct fixture *f = data;

	return address != 'c' || since_ns >= f->mapped_since;
}

static size_t parse(struct fixture *f, const char *text)
{
	size_t nr = 0;
	char name;
	int used;

	for (; sscanf(text, " %c:%" SCNu64 "%n", &name, &f->sps[nr], &used) == 2; text += used) {
		f->marks[nr] = name == 'S' ? XP_UNWIND_INTERRUPTED : 0;
		f->pcs[nr++] = (uint64_t)name;
	}
	return nr;
}

static void do_step(struct fixture *f, const struct step *step)
{
	const struct xp_join_thread thread = { .pid = f->pid,
					       .tid = f->tid,
					       .time_ns = step->time_ns,
					       .space = f->space,
					       .is_mapped = is_mapped,
					       .data = f };
	struct xp_unwind_chain chain = { .size = sizeof(chain),
					 .pcs = f->pcs,
					 .sps = f->sps,
					 .marks = f->marks,
					 .max = MAX,
					 .end = step->end };
	char joined[MAX + 1] = "";

	chain.nr = parse(f, step->seen);
	size_t seen = chain.nr, nr = xp_joiner_add(f->joiner, &thread, &chain);

	assert_int_equal(chain.nr, seen + nr);
	for (size_t i = 0; i < chain.nr; i++) {
		assert_int_equal(!!(f->marks[i] & XP_UNWIND_JOINED), i >= seen);
		if (i >= seen)
			joined[i - seen] = (char)f->pcs[i];
	}
	if (strcmp(joined, step->joined) || chain.end != step->becomes)
		fail_msg("%s at %d: joined \"%s\", end %d", step->seen, (int)step->time_ns, joined,
			 (int)chain.end);
}

static void setup(struct fixture *f)
{
	*f = (struct fixture){ .pid = TID, .tid = TID, .space = 1 };
	assert_int_equal(xp_joiner_new(&f->joiner), 0);
}

/* Each row is what samples of one thread show. */
static const struct step stories[][8] = {
	/* The copy reaches a frame that is known, or does not. */
	{ { "c:30 b:40 a:50", "", WHOLE, WHOLE, 1 },
	  { "e:10 d:20 c:30", "ba", CUT, WHOLE, 2 },
	  { "g:5 f:7 e:10", "dcba", CUT, WHOLE, 3 },
	  { "g:5 e:10 d:20", "cba", CUT, WHOLE, 4 },
	  { "x:5 y:25", "", CUT, CUT, 5 },
	  { "x:25 c:30", "ba", CUT, WHOLE, 6 } },
	/* Frames below the stack pointer have returned. */
	{ { "c:30 b:40 a:50", "", WHOLE, WHOLE, 1 },
	  { "b:40 a:50", "", WHOLE, WHOLE, 2 },
	  { "d:20 c:30", "", CUT, CUT, 3 } },
	/* So have those that another chain does not have. */
	{ { "d:20 c:30 b:40 a:50", "", WHOLE, WHOLE, 1 },
	  { "e:10 x:35 b:40", "a", CUT, WHOLE, 2 },
	  { "d:20 c:30", "", CUT, CUT, 3 } },
	/* The same pc elsewhere, and the same place with another pc, are other frames. */
	{ { "d:20 c:30 b:40 a:50", "", WHOLE, WHOLE, 1 },
	  { "e:10 c:28", "", CUT, CUT, 2 },
	  { "e:10 x:30", "", CUT, CUT, 3 } },
	/* What was never seen stays unknown: only the part that is known is added. */
	{ { "d:20 c:30", "", CUT, CUT, 1 },
	  { "f:5 e:10 d:20", "c", CUT, CUT, 2 },
	  { "b:40 a:50", "", WHOLE, WHOLE, 3 },
	  { "d:20 c:30 b:40", "a", CUT, WHOLE, 4 },
	  { "e:10 d:20", "cba", CUT, WHOLE, 5 } },
	/* Other ends are no ends of the copy. */
	{ { "c:30 b:40 a:50", "", WHOLE, WHOLE, 1 },
	  { "d:20 c:30", "", XP_UNWIND_NO_INFO, XP_UNWIND_NO_INFO, 2 },
	  { "d:20 c:30", "", CUT, CUT, 3 } },
	/* The innermost function alone says nothing, nor what a signal interrupted. */
	{ { "c:30 b:40", "", WHOLE, WHOLE, 1 },
	  { "c:30", "", CUT, CUT, 2 },
	  { "d:20 S:30 b:40", "", WHOLE, WHOLE, 3 },
	  { "d:20 S:30", "", CUT, CUT, 4 } },
	/* A handler on a stack of its own: the interrupted one is as before. */
	{ { "c:30 b:40 a:50", "", WHOLE, WHOLE, 1 },
	  { "y:1000 x:1010 S:20 c:30", "ba", CUT, WHOLE, 2 },
	  { "d:10 c:30", "ba", CUT, WHOLE, 3 } },
};

static void frames_that_can_be_there_are_joined(void **state)
{
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(stories); i++) {
		setup(&f);
		for (size_t at = 0; stories[i][at].seen; at++)
			do_step(&f, &stories[i][at]);
		xp_joiner_free(f.joiner);
	}
	xp_joiner_free(NULL);
}

static const struct step begin = { "d:20 c:30 b:40 a:50", "", WHOLE, WHOLE, 10 };

/* Rings of CPUs come one after the other: an older sample has what was there before it. */
static void older_samples_change_nothing(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	do_step(&f, &begin);
	do_step(&f, &(struct step){ "e:10 d:20 c:30", "ba", CUT, WHOLE, 20 });
	do_step(&f, &(struct step){ "x:40 a:50", "", WHOLE, WHOLE, 5 });
	do_step(&f, &(struct step){ "e:10 c:30", "", CUT, CUT, 9 });
	do_step(&f, &(struct step){ "e:10 c:30", "ba", CUT, WHOLE, 15 });
	do_step(&f, &(struct step){ "e:10 d:20", "cba", CUT, WHOLE, 30 });
	xp_joiner_free(f.joiner);
}

static void threads_and_programs_are_distinguished(void **state)
{
	const struct step cut = { "e:10 c:30", "", CUT, CUT, 30 };
	const struct step old = { "e:10 c:30", "ba", CUT, WHOLE, 15 };
	struct fixture f;

	(void)state;
	setup(&f);
	do_step(&f, &begin);
	f.tid++;
	do_step(&f, &cut);
	f.tid--;
	f.pid++; /* the number was given again */
	do_step(&f, &cut);
	xp_joiner_free(f.joiner);

	/* exec, exit, a new thread with its number */
	setup(&f);
	do_step(&f, &begin);
	xp_joiner_forget(f.joiner, TID + 1, 20);
	xp_joiner_forget(f.joiner, TID, 20);
	do_step(&f, &old);
	do_step(&f, &cut);
	do_step(&f, &(struct step){ "c:30 b:40 a:50", "", WHOLE, WHOLE, 31 });
	xp_joiner_forget(f.joiner, TID, 20);
	do_step(&f, &(struct step){ "e:10 c:30", "ba", CUT, WHOLE, 32 });
	xp_joiner_free(f.joiner);
}

static void code_that_is_gone_is_forgotten(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	do_step(&f, &begin);
	f.mapped_since = 20; /* nobody asks while it is the same space */
	do_step(&f, &(struct step){ "e:10 d:20", "cba", CUT, WHOLE, 20 });
	f.space = 2;
	f.mapped_since = 25;
	do_step(&f, &(struct step){ "e:10 d:20", "", CUT, CUT, 30 });
	do_step(&f, &(struct step){ "e:10 b:40", "a", CUT, WHOLE, 31 });
	xp_joiner_free(f.joiner);
}

/* Whatever comes, memory is bounded, and what is joined ends. */
static void many_threads_and_deep_stacks(void **state)
{
	enum { DEEP = 3000 };
	static uint64_t pcs[2 * DEEP], sps[2 * DEEP];
	static uint8_t marks[2 * DEEP];
	struct xp_unwind_chain chain = {
		.size = sizeof(chain), .pcs = pcs, .sps = sps, .marks = marks, .max = 2 * DEEP
	};
	struct fixture f;

	(void)state;
	setup(&f);
	for (int32_t tid = 1; tid < 20000; tid++) {
		const struct xp_join_thread thread = { .pid = 1,
						       .tid = tid,
						       .time_ns = (uint64_t)tid,
						       .is_mapped = is_mapped,
						       .data = &f };

		for (size_t i = 0; i < DEEP; i++) {
			pcs[i] = 1000 + i;
			sps[i] = 8 * i;
		}
		chain.nr = DEEP;
		chain.end = WHOLE;
		assert_int_equal(xp_joiner_add(f.joiner, &thread, &chain), 0);
		if (tid > 100 && tid < 19900)
			continue;
		chain.nr = DEEP - 10;
		chain.end = CUT;
		size_t nr = xp_joiner_add(f.joiner, &thread, &chain);
		assert_true(nr == 0 || nr == 10);
		assert_true(nr == 10 || tid > 100);
	}
	xp_joiner_free(f.joiner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_can_be_there_are_joined),
		cmocka_unit_test(older_samples_change_nothing),
		cmocka_unit_test(threads_and_programs_are_distinguished),
		cmocka_unit_test(code_that_is_gone_is_forgotten),
		cmocka_unit_test(many_threads_and_deep_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
