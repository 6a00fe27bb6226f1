/* SPDX-License-Identifier: MIT */
/*
 * lib/mmap: what is read from an event's page, with a kernel that rewrites it at every moment the
 * reader can be interrupted at. The kernel here is the processor seam's own: reading the counter
 * or the clock is where it strikes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <xperf/arch.h>
#include <xperf/evsel.h>
#include <xperf/userpage.h>

#include "userpage.h"

enum { NR_COUNTERS = 4, OFF = -1, NOT_NOW = -1, ALWAYS = -2 };

/*
 * One event and the page about it. The clock has two ticks per nanosecond. Everything the page
 * says can be checked: the count is @truth, the event is enabled since 0 and was off for @off_ns.
 */
struct kernel {
	struct xp_arch arch;
	struct xp_userpage page;
	uint64_t counters[NR_COUNTERS];
	int on; /* counter in use, or OFF */
	uint64_t truth;
	uint64_t now_ns;
	uint64_t off_ns;

	int calls;         /* of the processor seam so far */
	int strike_at;     /* at which of them the event is moved; NOT_NOW; ALWAYS */
	int strike_to;     /* where to */
	bool strike_first; /* before the register is read, not after */
};

static uint64_t mask_of(unsigned int width)
{
	return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

/* Moves the event, with all that a context switch changes on the page. */
static void move(struct kernel *k, int to)
{
	struct xp_userpage *page = &k->page;
	uint64_t start = 0xfffffffffedcba98 * (uint64_t)(to + 3);

	page->lock++;
	k->now_ns += 1000;
	k->off_ns += 100;
	k->on = to;
	page->index = (uint32_t)(to + 1);
	page->offset = (int64_t)k->truth;
	if (to != OFF) {
		/* counts upwards from a negative start, as kernels program it: bit 46 is set */
		start |= (uint64_t)1 << (page->pmc_width - 1);
		k->counters[to] = start & mask_of(page->pmc_width);
		page->offset -= (int64_t)(start | ~mask_of(page->pmc_width));
	}
	page->time_enabled = k->now_ns;
	page->time_running = k->now_ns - k->off_ns;
	page->time_offset = -k->now_ns;
	page->lock++;
}

static void maybe_strike(struct kernel *k)
{
	if (k->strike_at == ALWAYS || k->calls == k->strike_at)
		move(k, k->strike_to);
	k->calls++;
}

static bool fake_rdpmc(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	struct kernel *k = (struct kernel *)arch;

	assert_in_range(counter, 0, NR_COUNTERS - 1);
	if (k->strike_first)
		maybe_strike(k);
	*ret_raw = k->counters[counter];
	if (!k->strike_first)
		maybe_strike(k);
	return true;
}

static uint64_t fake_timestamp(const struct xp_arch *arch)
{
	struct kernel *k = (struct kernel *)arch;
	uint64_t ticks;

	if (k->strike_first)
		maybe_strike(k);
	ticks = k->now_ns * 2;
	if (!k->strike_first)
		maybe_strike(k);
	return ticks;
}

static void boot(struct kernel *k, int on)
{
	*k = (struct kernel){
		.arch = { .has_rdpmc = true, .rdpmc = fake_rdpmc, .timestamp = fake_timestamp },
		.page = { .capabilities = XP_PAGE_CAP_RDPMC | XP_PAGE_CAP_TIME,
			  .pmc_width = 48,
			  .time_shift = 32,
			  .time_mult = 1U << 31 },
		.truth = 123456789012345,
		.strike_at = NOT_NOW,
	};
	move(k, on);
	k->now_ns += 10; /* the page is 10 ns old */
}

static void check(const struct kernel *k, const struct xp_count *count, const char *when)
{
	if (count->value != k->truth || count->enabled_ns != k->now_ns ||
	    count->running_ns != k->now_ns - k->off_ns)
		fail_msg("%s: %llu events, %llu ns enabled, %llu ns running", when,
			 (unsigned long long)count->value, (unsigned long long)count->enabled_ns,
			 (unsigned long long)count->running_ns);
}

static void a_quiet_page_is_read(void **state)
{
	struct xp_count count;
	struct kernel k;

	(void)state;
	for (int on = 0; on < NR_COUNTERS; on++) {
		boot(&k, on);
		assert_int_equal(xp_userpage_read(&k.page, &k.arch, &count), 0);
		check(&k, &count, "quiet");
		assert_int_equal(count.lost, 0);
	}
}

/* Moved from each counter to each other and away, at each call, before and after the reading. */
static void a_page_that_changes_meanwhile_is_read_again(void **state)
{
	struct kernel k;

	(void)state;
	for (int i = 0; i < 2 * NR_COUNTERS * (NR_COUNTERS + 1) * 2; i++) {
		struct xp_count count = { .value = 77 };

		boot(&k, i / 2 % NR_COUNTERS);
		k.strike_first = i & 1;
		k.strike_to = i / 2 / NR_COUNTERS % (NR_COUNTERS + 1) - 1;
		k.strike_at = i / 2 / NR_COUNTERS / (NR_COUNTERS + 1);
		int err = xp_userpage_read(&k.page, &k.arch, &count);
		if (k.strike_to == OFF) {
			assert_int_equal(err, -EAGAIN);
			assert_int_equal(count.value, 77);
			continue;
		}
		assert_int_equal(err, 0);
		assert_int_equal(k.calls, 4);
		check(&k, &count, "moved meanwhile");
	}
}

static void a_page_that_never_holds_still_is_given_up(void **state)
{
	struct xp_count count = { .value = 77 };
	struct kernel k;

	(void)state;
	boot(&k, 0);
	k.strike_at = ALWAYS;
	k.strike_to = 1;
	assert_int_equal(xp_userpage_read(&k.page, &k.arch, &count), -EAGAIN);

	boot(&k, 0);
	k.page.lock++; /* the kernel is writing */
	assert_int_equal(xp_userpage_read(&k.page, &k.arch, &count), -EAGAIN);
	assert_int_equal(k.calls, 0);
	assert_int_equal(count.value, 77);
}

static bool no_count(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	(void)counter;
	(void)ret_raw;
	return false;
}

static void what_cannot_be_read_is_reported(void **state)
{
	static const struct {
		const char *what;
		uint64_t capabilities;
		int on;
		unsigned int width;
		int err;
	} rows[] = {
		/* as Linux 6.1 on x86 publishes a software event */
		{ "no counter, no width", XP_PAGE_CAP_RDPMC, OFF, 0, -EAGAIN },
		{ "no counter", XP_PAGE_CAP_RDPMC, OFF, 48, -EAGAIN },
		{ "no capability", XP_PAGE_CAP_TIME, 1, 48, -EOPNOTSUPP },
		{ "no width", XP_PAGE_CAP_RDPMC, 1, 0, -EOPNOTSUPP },
		{ "too wide", XP_PAGE_CAP_RDPMC, 1, 65, -EOPNOTSUPP },
	};
	struct kernel k;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_count count = { .value = 77 };

		boot(&k, rows[i].on);
		k.page.capabilities = rows[i].capabilities;
		k.page.pmc_width = (uint16_t)rows[i].width;
		int err = xp_userpage_read(&k.page, &k.arch, &count);
		if (err != rows[i].err || count.value != 77)
			fail_msg("%s: %d", rows[i].what, err);
	}

	struct xp_count count;
	boot(&k, 0);
	k.arch.rdpmc = no_count;
	assert_int_equal(xp_userpage_read(&k.page, &k.arch, &count), -EOPNOTSUPP);
	k.arch.has_rdpmc = false;
	assert_int_equal(xp_userpage_read(&k.page, &k.arch, &count), -EOPNOTSUPP);
}

static void counters_of_every_width_are_signed(void **state)
{
	struct xp_count count;
	struct kernel k;

	(void)state;
	for (unsigned int width = 32; width <= 64; width++) {
		uint64_t top = (uint64_t)1 << (width - 1);
		/* what the register holds, and what that adds to the offset */
		const struct {
			uint64_t raw;
			uint64_t adds;
		} rows[] = {
			{ 0, 0 },
			{ top - 1, top - 1 },
			{ top, -top },
			{ mask_of(width), UINT64_MAX },
			{ mask_of(width) - 41, (uint64_t)-42 },
		};

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			boot(&k, 2);
			k.page.pmc_width = (uint16_t)width;
			k.page.offset = 1000;
			k.counters[2] = rows[i].raw;
			assert_int_equal(xp_userpage_read(&k.page, &k.arch, &count), 0);
			if (count.value != 1000 + rows[i].adds)
				fail_msg("width %u, row %zu: %lld", width, i,
					 (long long)count.value);
		}
	}
}

/* A processor whose clock stands still. */
struct clock {
	struct xp_arch arch;
	uint64_t ticks;
};

static uint64_t still(const struct xp_arch *arch)
{
	return ((const struct clock *)arch)->ticks;
}

static bool zero(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	(void)counter;
	*ret_raw = 0;
	return true;
}

#define TIME  (XP_PAGE_CAP_RDPMC | XP_PAGE_CAP_TIME)
#define SHORT (TIME | XP_PAGE_CAP_TIME_SHORT)

/* The page's times are 5000 and 2000 ns; expected is how much both grow. */
static const struct {
	const char *what;
	uint64_t capabilities;
	uint16_t shift;
	uint32_t mult;
	uint64_t offset, cycles, mask, ticks;
	uint64_t grow_ns;
} times[] = {
	{ "no clock", XP_PAGE_CAP_RDPMC, 0, 1, 0, 0, 0, 600, 0 },
	{ "1 GHz", TIME, 0, 1, 0, 0, 0, 600, 600 },
	{ "offset", TIME, 0, 1, (uint64_t)-500, 0, 0, 600, 100 },
	{ "a clock behind", TIME, 0, 1, (uint64_t)-700, 0, 0, 600, 0 },
	{ "2 GHz", TIME, 32, 1U << 31, 0, 0, 0, 601, 300 },
	{ "rounded down once", TIME, 1, 3, 0, 0, 0, 3, 4 },
	/* floor(ticks * mult / 2^shift), computed in 128 bits: the product has 96 */
	{ "largest rest", TIME, 32, UINT32_MAX, -(uint64_t)0xfffffffe00000000, 0, 0, UINT64_MAX,
	  0xffffffff },
	{ "long up", TIME, 31, 0x89abcdef, 0, 0, 0, 0x123456789abcdef0, 0x139473c26af37bf2 },
	{ "shift out of range", TIME, 33, 1, 0, 0, 0, UINT64_MAX, 0 },
	{ "shift of 64 and more", TIME, 65535, 1, 0, 0, 0, UINT64_MAX, 0 },
	{ "32 bits", SHORT, 0, 1, 0, 100, UINT32_MAX, 160, 160 },
	{ "32 bits, wrapped", SHORT, 0, 1, -(uint64_t)0xfffffff0, 0xfffffff0, UINT32_MAX, 0x10,
	  0x20 },
	{ "56 bits, wrapped twice", SHORT, 0, 1, -(uint64_t)0x2fffffffffffff0, 0x2fffffffffffff0,
	  ((uint64_t)1 << 56) - 1, 0x14, 0x24 },
	{ "mask without its capability", TIME, 0, 1, 0, 100, 0xf, 160, 160 },
};

static void times_go_on_since_the_page_was_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct clock c = { { .has_rdpmc = true, .rdpmc = zero, .timestamp = still },
				   times[i].ticks };
		struct xp_userpage page = { .index = 1,
					    .time_enabled = 5000,
					    .time_running = 2000,
					    .capabilities = times[i].capabilities,
					    .pmc_width = 48,
					    .time_shift = times[i].shift,
					    .time_mult = times[i].mult,
					    .time_offset = times[i].offset,
					    .time_cycles = times[i].cycles,
					    .time_mask = times[i].mask };
		struct xp_count count;

		assert_int_equal(xp_userpage_read(&page, &c.arch, &count), 0);
		if (count.enabled_ns != 5000 + times[i].grow_ns ||
		    count.running_ns != 2000 + times[i].grow_ns)
			fail_msg("%s: grew by %#llx and %#llx", times[i].what,
				 (unsigned long long)count.enabled_ns - 5000,
				 (unsigned long long)count.running_ns - 2000);
	}
}

/* 0 would mean that it never ran, and the count that it means nothing. */
static void an_event_on_a_counter_has_run(void **state)
{
	struct clock c = { { .has_rdpmc = true, .rdpmc = zero, .timestamp = still }, 0 };
	struct xp_userpage page = {
		.index = 1, .offset = 42, .capabilities = XP_PAGE_CAP_RDPMC, .pmc_width = 48
	};
	struct xp_count count;

	(void)state;
	assert_int_equal(xp_userpage_read(&page, &c.arch, &count), 0);
	assert_int_equal(count.running_ns, 1);
	assert_int_equal(count.enabled_ns, 1);
	assert_true(xp_count_scale(&count) == 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_page_is_read),
		cmocka_unit_test(a_page_that_changes_meanwhile_is_read_again),
		cmocka_unit_test(a_page_that_never_holds_still_is_given_up),
		cmocka_unit_test(what_cannot_be_read_is_reported),
		cmocka_unit_test(counters_of_every_width_are_signed),
		cmocka_unit_test(times_go_on_since_the_page_was_written),
		cmocka_unit_test(an_event_on_a_counter_has_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
