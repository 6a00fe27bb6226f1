/* SPDX-License-Identifier: MIT */
/* When clocks are sampled less often, and more often again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorder-rate.h"

enum { CPUS = 2, MOST = 64 << 20, QUARTER = 250000 };
#define MS 1000000ULL

struct fixture {
	struct xp_rate rate;
	struct xp_load load;
};

static struct fixture begin(uint64_t ppm)
{
	struct fixture f = { .load = { .now_ns = 1000 * MS, .backlog_most = MOST } };

	xp_rate_init(&f.rate, ppm, CPUS);
	xp_rate_step(&f.rate, &f.load);
	return f;
}

/* Looks each 10 ms, with so many samples and so much CPU time meanwhile. Returns the parts. */
static unsigned int pass(struct fixture *f, unsigned int ms, uint64_t samples, uint64_t cpu_ns)
{
	for (unsigned int i = 0; i < ms / 10; i++) {
		f->load.now_ns += 10 * MS;
		f->load.samples += samples / f->rate.parts;
		f->load.cpu_ns += cpu_ns / f->rate.parts;
		xp_rate_step(&f->rate, &f->load);
	}
	return f->rate.parts;
}

static void what_takes_little_keeps_its_rate(void **state)
{
	struct fixture f = begin(QUARTER);

	(void)state;
	/* 40,000 samples a second are 400 ms of the kernel, of 500 that are allowed. */
	assert_int_equal(pass(&f, 10000, 400, 0), 1);
	assert_int_equal(f.rate.slowest, 0);
	assert_int_equal(f.rate.slowed_ns, 0);
}

/* What is spent for long is the share: samples are each 10 us. */
static void a_share_is_kept(void **state)
{
	struct fixture f = begin(QUARTER);

	(void)state;
	pass(&f, 20000, 2000, 0);
	double spent = (double)f.load.samples * 10000 / 20e9 / CPUS;
	assert_true(spent < 0.28);
	assert_true(spent > 0.12);
	f = begin(QUARTER);
	pass(&f, 20000, 10, 20 * MS);
	assert_true((double)f.load.cpu_ns / 20e9 / CPUS < 0.28);
	assert_true(f.rate.slowest >= 4);
	assert_true(f.rate.slowed_ns > 10000 * MS);
}

static void what_fills_up_is_slowed_at_once(void **state)
{
	static const struct {
		size_t backlog;
		unsigned int fill;
		uint64_t lost;
		unsigned int parts;
	} rows[] = {
		{ 0, 0, 0, 1 },        { 0, 12, 0, 1 }, { 0, 13, 0, 2 }, { MOST / 8 * 3, 8, 0, 1 },
		{ MOST / 2, 8, 0, 2 }, { 0, 0, 1, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f = begin(QUARTER);

		f.load.backlog = rows[i].backlog;
		f.load.fill = rows[i].fill;
		f.load.lost = rows[i].lost;
		assert_int_equal(pass(&f, 10, 0, 0), rows[i].parts);
	}
}

static void a_rate_comes_back(void **state)
{
	struct fixture f = begin(QUARTER);

	(void)state;
	f.load.fill = 16;
	assert_int_equal(pass(&f, 60, 0, 0), 64);
	f.load.fill = 8;
	assert_int_equal(pass(&f, 280, 0, 0), 64);
	assert_int_equal(pass(&f, 2000, 0, 0), 1);
	assert_int_equal(f.rate.slowest, 64);
	/* It was too much: the next attempt comes later. */
	f.load.fill = 16;
	assert_int_equal(pass(&f, 10, 0, 0), 2);
	f.load.fill = 8;
	assert_int_equal(pass(&f, 500, 0, 0), 2);
	assert_int_equal(pass(&f, 200, 0, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_takes_little_keeps_its_rate),
		cmocka_unit_test(a_share_is_kept),
		cmocka_unit_test(what_fills_up_is_slowed_at_once),
		cmocka_unit_test(a_rate_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
