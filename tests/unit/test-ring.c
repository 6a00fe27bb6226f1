/* SPDX-License-Identifier: MIT */
/*
 * lib/mmap: rings as byte arrays, written by a kernel that is the test itself: what is found, in
 * which order, and what damage is reported. Addresses go through the kernel seam.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/record.h>
#include <xperf/ring.h>
#include <xperf/sys.h>
#include <xperf/userpage.h>

#include "ring-pieces.h"
#include "uapi.h"
#include "userpage.h"

enum { EVENT_FD = 5, MAX_PAGES = 64 };

/* One event's memory: the page, the data, the AUX area behind them. */
static struct {
	struct xp_sys sys;
	size_t page_bytes;
	char *memory;
	struct perf_event_mmap_page *page;
	char *data;
	size_t data_bytes;
	char *aux;
	int data_prot, aux_prot;
	int nr_mapped;
	int refuse_aux;
} kernel;

static int fake_mmap(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		     void **ret_addr)
{
	(void)sys;
	assert_int_equal(fd, EVENT_FD);
	if (offset) {
		if (kernel.refuse_aux)
			return kernel.refuse_aux;
		assert_int_equal(offset, kernel.page->aux_offset);
		assert_int_equal(len, kernel.page->aux_size);
		kernel.aux_prot = prot;
		kernel.aux = kernel.memory + offset;
	} else {
		kernel.data_prot = prot;
		kernel.data_bytes = len - kernel.page_bytes;
	}
	kernel.nr_mapped++;
	*ret_addr = kernel.memory + offset;
	return 0;
}

static int fake_munmap(const struct xp_sys *sys, void *addr, size_t len)
{
	(void)sys;
	assert_int_equal(len, addr == kernel.memory ? kernel.page_bytes + kernel.data_bytes
						    : kernel.page->aux_size);
	kernel.nr_mapped--;
	return 0;
}

static struct xp_ctx *ctx;

static int boot(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.sys = (struct xp_sys){ .size = sizeof(kernel.sys),
				      .mmap = fake_mmap,
				      .munmap = fake_munmap };
	kernel.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	kernel.memory = calloc(MAX_PAGES, kernel.page_bytes);
	kernel.page = (void *)kernel.memory;
	kernel.data = kernel.memory + kernel.page_bytes;
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &kernel.sys };
	return xp_ctx_new(&opts, &ctx);
}

static int halt(void **state)
{
	(void)state;
	assert_int_equal(kernel.nr_mapped, 0);
	free(kernel.memory);
	xp_ctx_free(ctx);
	return 0;
}

static struct xp_ring *map(struct xp_ring_opts opts)
{
	struct xp_ring *ring = NULL;

	opts.size = sizeof(opts);
	assert_int_equal(xp_ring_map(ctx, EVENT_FD, &opts, &ring), 0);
	return ring;
}

/* A byte of a record that differs from record to record. */
static unsigned char body(uint32_t type, size_t i)
{
	return (unsigned char)(type * 31 + i);
}

/* Bytes of a record go where the ring's size lets them. */
static void put_at(uint64_t at, uint32_t type, uint16_t size, size_t real_size)
{
	struct xp_record header = { .type = type, .size = size };

	for (size_t i = 0; i < real_size; i++)
		kernel.data[(at + i) & (kernel.data_bytes - 1)] =
			i < sizeof(header) ? ((const char *)&header)[i] : (char)body(type, i);
}

/* The kernel writes a record. */
static void put(uint32_t type, uint16_t size)
{
	put_at(kernel.page->data_head, type, size, size);
	kernel.page->data_head += size;
}

/* The same with write_backward. */
static void put_backward(uint32_t type, uint16_t size)
{
	kernel.page->data_head -= size;
	put_at(kernel.page->data_head, type, size, size);
}

static void expect(struct xp_ring *ring, uint32_t type, uint16_t size)
{
	const struct xp_record *record = NULL;

	assert_int_equal(xp_ring_next(ring, &record), 1);
	assert_int_equal(record->type, type);
	assert_int_equal(record->size, size);
	for (size_t i = sizeof(*record); i < size; i++)
		assert_int_equal(((const unsigned char *)record)[i], body(type, i));
}

static void expect_none(struct xp_ring *ring)
{
	const struct xp_record *record = NULL;

	assert_int_equal(xp_ring_next(ring, &record), 0);
	assert_null(record);
}

static void expect_damage(struct xp_ring *ring)
{
	const struct xp_record *record = NULL;

	assert_int_equal(xp_ring_next(ring, &record), -EBADMSG);
	assert_int_equal(xp_ring_next(ring, &record), -EBADMSG);
	assert_int_equal(xp_ring_begin(ring), 0);
	assert_null(record);
}

static void records_are_consumed_and_returned(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1 });

	(void)state;
	assert_int_equal(kernel.data_prot, PROT_READ | PROT_WRITE);
	assert_int_equal(xp_ring_bytes(ring), kernel.page_bytes);
	assert_int_equal(xp_ring_begin(ring), 0);
	expect_none(ring);

	put(1, 8);
	put(2, 40);
	assert_int_equal(xp_ring_begin(ring), 48);
	put(3, 16); /* not seen by xp_ring_begin() */
	expect(ring, 1, 8);
	expect(ring, 2, 40);
	expect_none(ring);
	assert_int_equal(kernel.page->data_tail, 0);
	xp_ring_consume(ring);
	assert_int_equal(kernel.page->data_tail, 48);

	assert_int_equal(xp_ring_begin(ring), 16);
	xp_ring_consume(ring); /* nothing was passed over */
	assert_int_equal(kernel.page->data_tail, 48);
	expect(ring, 3, 16);
	xp_ring_consume(ring);
	assert_int_equal(kernel.page->data_tail, 64);
	xp_ring_unmap(ring);
}

/* Every place of the end within a record, the header's last byte included, many times around. */
static void records_that_wrap_are_whole(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 2 });
	uint32_t type = 0;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		uint16_t size = (uint16_t)(8 + i * 8 % 2000);

		put(++type, size);
		assert_int_equal(xp_ring_begin(ring), size);
		expect(ring, type, size);
		xp_ring_consume(ring);
		assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	}
	xp_ring_unmap(ring);
}

/* The largest record there is, and a ring that is full to the last byte. */
static void the_largest_record_wraps(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 32 });

	(void)state;
	put(1, 32768);
	put(2, 65528);
	xp_ring_begin(ring);
	expect(ring, 1, 32768);
	expect(ring, 2, 65528);
	xp_ring_consume(ring);
	put(3, 65528);
	put(4, 65528);
	put(5, 16);
	assert_int_equal(xp_ring_begin(ring), kernel.data_bytes);
	expect(ring, 3, 65528);
	expect(ring, 4, 65528);
	expect(ring, 5, 16);
	expect_none(ring);
	xp_ring_unmap(ring);
}

static void recorders_read_bytes(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1 });
	struct xp_piece pieces[2];
	size_t end = kernel.page_bytes - 24;

	(void)state;
	assert_int_equal(xp_ring_pieces(ring, pieces), 0);
	put(1, (uint16_t)end);
	xp_ring_begin(ring);
	expect(ring, 1, (uint16_t)end);
	xp_ring_consume(ring);
	put(2, 64);
	xp_ring_begin(ring);
	assert_int_equal(xp_ring_pieces(ring, pieces), 2);
	assert_ptr_equal(pieces[0].at, kernel.data + end);
	assert_int_equal(pieces[0].len, 24);
	assert_ptr_equal(pieces[1].at, kernel.data);
	assert_int_equal(pieces[1].len, 40);

	xp_ring_skip(ring, 24);
	assert_int_equal(xp_ring_pieces(ring, pieces), 1);
	assert_ptr_equal(pieces[0].at, kernel.data);
	xp_ring_skip(ring, SIZE_MAX); /* no further than what was seen */
	assert_int_equal(xp_ring_pieces(ring, pieces), 0);
	xp_ring_consume(ring);
	assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	xp_ring_unmap(ring);
}

/* Two records, the second one with a size it does not have. */
static void sizes_are_not_believed(void **state)
{
	static const uint16_t sizes[] = { 0, 1, 7, 9, 12, 63, 72, 4096, UINT16_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1 });

		kernel.page->data_head = kernel.page->data_tail = 0;
		xp_ring_reset(ring);
		put(1, 16);
		put_at(16, 2, sizes[i], 64);
		kernel.page->data_head = 16 + 64;
		assert_int_equal(xp_ring_begin(ring), 80);
		expect(ring, 1, 16);
		expect_damage(ring);
		xp_ring_consume(ring);
		assert_int_equal(kernel.page->data_tail, 16);

		xp_ring_reset(ring);
		assert_int_equal(kernel.page->data_tail, 80);
		put(3, 24);
		assert_int_equal(xp_ring_begin(ring), 24);
		expect(ring, 3, 24);
		xp_ring_unmap(ring);
	}
}

static void heads_are_not_believed(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1 });

	(void)state;
	kernel.page->data_head = kernel.page_bytes + 8; /* more than there is room for */
	assert_int_equal(xp_ring_begin(ring), 0);
	expect_damage(ring);
	xp_ring_reset(ring);

	put(1, 16);
	xp_ring_begin(ring);
	expect(ring, 1, 16);
	xp_ring_consume(ring);
	kernel.page->data_head -= 8; /* backwards */
	assert_int_equal(xp_ring_begin(ring), 0);
	expect_damage(ring);
	xp_ring_reset(ring);

	kernel.page->data_head += 4; /* no room for a header */
	assert_int_equal(xp_ring_begin(ring), 4);
	expect_damage(ring);
	xp_ring_unmap(ring);
}

/* A place no record begins at, as a caller can make one: the header would wrap. */
static void records_begin_at_multiples_of_eight(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1 });

	(void)state;
	put(1, (uint16_t)(kernel.page_bytes - 8));
	xp_ring_begin(ring);
	xp_ring_skip(ring, kernel.page_bytes - 8);
	xp_ring_consume(ring);
	put(2, 64);
	xp_ring_begin(ring);
	xp_ring_skip(ring, 4);
	expect_damage(ring);
	xp_ring_unmap(ring);
}

static void overwritten_rings_give_the_newest_first(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1, .overwrite = true });

	(void)state;
	assert_int_equal(kernel.data_prot, PROT_READ);
	assert_int_equal(xp_ring_begin(ring), 0);
	expect_none(ring);
	put_backward(1, 32);
	put_backward(2, 16);
	put_backward(3, 48);
	assert_int_equal(xp_ring_begin(ring), 96);
	expect(ring, 3, 48);
	assert_int_equal(xp_ring_begin(ring), 96); /* once more: nothing was given back */
	expect(ring, 3, 48);
	expect(ring, 2, 16);
	xp_ring_consume(ring); /* not all was passed over */
	assert_int_equal(xp_ring_begin(ring), 96);
	xp_ring_skip(ring, 64);
	expect(ring, 1, 32);
	expect_none(ring);
	xp_ring_consume(ring);
	assert_int_equal(kernel.page->data_tail, 0);

	assert_int_equal(xp_ring_begin(ring), 0);
	put_backward(4, 24);
	assert_int_equal(xp_ring_begin(ring), 24);
	expect(ring, 4, 24);
	expect_none(ring);
	put_backward(5, 24);
	xp_ring_reset(ring);
	assert_int_equal(xp_ring_begin(ring), 0);
	xp_ring_unmap(ring);
}

/* What a full ring holds: the newest ones that are whole. */
static void overwritten_rings_end_where_the_newest_lies_over(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1, .overwrite = true });

	(void)state;
	for (uint32_t type = 1; type <= 1000; type++) {
		uint64_t sum = 0;

		put_backward(type, (uint16_t)(8 + type * 56 % 1024));
		size_t bytes = xp_ring_begin(ring);
		assert_true(bytes <= kernel.page_bytes);
		for (uint32_t older = type; older && sum < bytes; older--) {
			uint16_t size = (uint16_t)(8 + older * 56 % 1024);

			expect(ring, older, size);
			sum += size;
		}
		expect_none(ring);
		assert_int_equal(sum, bytes);
		if (type > 20)
			assert_true(bytes + 1032 > kernel.page_bytes);
	}
	xp_ring_unmap(ring);
}

/* Exactly full: the last record ends where the first begins. */
static void overwritten_rings_can_be_exactly_full(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1, .overwrite = true });
	uint32_t nr = (uint32_t)(kernel.page_bytes / 16);

	(void)state;
	for (uint32_t type = 1; type <= 3 * nr; type++)
		put_backward(type, 16);
	assert_int_equal(xp_ring_begin(ring), kernel.page_bytes);
	for (uint32_t i = 0; i < nr; i++)
		expect(ring, 3 * nr - i, 16);
	expect_none(ring);
	xp_ring_unmap(ring);
}

static void damage_in_overwritten_rings_is_reported_after_the_good(void **state)
{
	static const uint16_t sizes[] = { 1, 7, 12, 64, 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1, .overwrite = true });

		kernel.page->data_head = 0;
		put_backward(1, 32);
		put_backward(2, 32);
		put_backward(3, 32);
		put_at((uint64_t)-64, 2, sizes[i] == 64 ? 72 : sizes[i], 32);
		assert_int_equal(xp_ring_begin(ring), 32);
		expect(ring, 3, 32);
		expect_damage(ring);
		xp_ring_reset(ring);
		put_backward(4, 32);
		assert_int_equal(xp_ring_begin(ring), 32);
		expect(ring, 4, 32);
		xp_ring_unmap(ring);
	}
}

/* Another's ring can be mapped too; it goes on where that one has stopped. */
static void a_ring_in_use_goes_on(void **state)
{
	(void)state;
	kernel.page->data_head = kernel.page->data_tail = 72;
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1 });
	put(1, 16);
	assert_int_equal(xp_ring_begin(ring), 16);
	expect(ring, 1, 16);
	xp_ring_unmap(ring);
}

static void aux_bytes_are_consumed_and_returned(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1, .aux_pages = 2 });
	size_t bytes = 2 * kernel.page_bytes;
	struct xp_piece pieces[2];
	uint64_t offset = 77;

	(void)state;
	assert_int_equal(kernel.aux_prot, PROT_READ | PROT_WRITE);
	assert_int_equal(kernel.page->aux_offset, 2 * kernel.page_bytes);
	assert_int_equal(xp_ring_aux_pieces(ring, pieces, &offset), 0);

	kernel.page->aux_head = bytes - 100;
	assert_int_equal(xp_ring_aux_pieces(ring, pieces, &offset), 1);
	assert_int_equal(offset, 0);
	assert_ptr_equal(pieces[0].at, kernel.aux);
	assert_int_equal(pieces[0].len, bytes - 100);
	xp_ring_aux_consume(ring, bytes - 200);
	assert_int_equal(kernel.page->aux_tail, bytes - 200);

	kernel.page->aux_head = bytes + 50;
	assert_int_equal(xp_ring_aux_pieces(ring, pieces, &offset), 2);
	assert_int_equal(offset, bytes - 200);
	assert_ptr_equal(pieces[0].at, kernel.aux + bytes - 200);
	assert_int_equal(pieces[0].len, 200);
	assert_ptr_equal(pieces[1].at, kernel.aux);
	assert_int_equal(pieces[1].len, 50);
	xp_ring_aux_consume(ring, SIZE_MAX);
	assert_int_equal(kernel.page->aux_tail, bytes + 50);
	assert_int_equal(xp_ring_aux_pieces(ring, pieces, &offset), 0);

	kernel.page->aux_head = 5 * bytes; /* more than there is room for */
	assert_int_equal(xp_ring_aux_pieces(ring, pieces, &offset), 1);
	assert_int_equal(offset, 4 * bytes);
	assert_int_equal(pieces[0].len, bytes);
	xp_ring_unmap(ring);
}

static void an_overwritten_aux_area_is_given_whole(void **state)
{
	struct xp_ring *ring =
		map((struct xp_ring_opts){ .pages = 1, .aux_pages = 1, .aux_overwrite = true });
	struct xp_piece pieces[2];
	uint64_t offset;

	(void)state;
	assert_int_equal(kernel.aux_prot, PROT_READ);
	kernel.page->aux_head = 1000;
	assert_int_equal(xp_ring_aux_pieces(ring, pieces, &offset), 2);
	assert_int_equal(offset, 1000);
	assert_ptr_equal(pieces[0].at, kernel.aux + 1000);
	assert_int_equal(pieces[1].len, 1000);
	xp_ring_aux_consume(ring, 100);
	assert_int_equal(kernel.page->aux_tail, 0);
	xp_ring_unmap(ring);
}

static void impossible_rings_are_refused(void **state)
{
	static const struct {
		const char *what;
		struct xp_ring_opts opts;
	} rows[] = {
		{ "no pages", { .pages = 0 } },
		{ "three pages", { .pages = 3 } },
		{ "too many pages", { .pages = SIZE_MAX / 2 + 1 } },
		{ "three AUX pages", { .pages = 1, .aux_pages = 3 } },
		{ "too many AUX pages", { .pages = 1, .aux_pages = SIZE_MAX / 2 + 1 } },
		{ "AUX, overwritten", { .pages = 1, .aux_pages = 1, .overwrite = true } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_ring_opts opts = rows[i].opts;
		struct xp_ring *ring = NULL;

		opts.size = sizeof(opts);
		if (xp_ring_map(ctx, EVENT_FD, &opts, &ring) != -EINVAL || ring)
			fail_msg("%s", rows[i].what);
	}

	struct xp_ring_opts opts = { .size = sizeof(opts), .pages = 1, .aux_pages = 1 };
	struct xp_ring *ring = NULL;
	kernel.refuse_aux = -EOPNOTSUPP;
	assert_int_equal(xp_ring_map(ctx, EVENT_FD, &opts, &ring), -EOPNOTSUPP);
	assert_null(ring);
	xp_ring_unmap(NULL);
}

static void the_page_says_how_time_is_converted(void **state)
{
	struct xp_ring *ring = map((struct xp_ring_opts){ .pages = 1 });
	struct xp_userpage *page = (void *)kernel.memory;
	struct xp_time_conv conv = { 0 };

	(void)state;
	page->time_shift = 31;
	page->time_mult = 0x89abcdef;
	page->time_zero = 12345678901234567890U;
	page->time_cycles = 5;
	page->time_mask = 6;
	assert_int_equal(xp_ring_time_conv(ring, &conv), -EOPNOTSUPP);
	page->capabilities = XP_PAGE_CAP_TIME;
	assert_int_equal(xp_ring_time_conv(ring, &conv), 0);
	assert_false(conv.has_zero);
	page->capabilities = XP_PAGE_CAP_TIME | XP_PAGE_CAP_TIME_ZERO | XP_PAGE_CAP_TIME_SHORT;
	assert_int_equal(xp_ring_time_conv(ring, &conv), 0);
	assert_true(conv.has_zero && conv.has_short);
	assert_int_equal(conv.shift, 31);
	assert_int_equal(conv.mult, 0x89abcdef);
	assert_true(conv.zero == 12345678901234567890U);
	assert_int_equal(conv.cycles, 5);
	assert_int_equal(conv.mask, 6);
	page->lock = 1; /* the kernel is writing */
	assert_int_equal(xp_ring_time_conv(ring, &conv), -EAGAIN);
	xp_ring_unmap(ring);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, boot, halt)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_are_consumed_and_returned),
		TEST(records_that_wrap_are_whole),
		TEST(the_largest_record_wraps),
		TEST(recorders_read_bytes),
		TEST(sizes_are_not_believed),
		TEST(heads_are_not_believed),
		TEST(records_begin_at_multiples_of_eight),
		TEST(overwritten_rings_give_the_newest_first),
		TEST(overwritten_rings_end_where_the_newest_lies_over),
		TEST(overwritten_rings_can_be_exactly_full),
		TEST(damage_in_overwritten_rings_is_reported_after_the_good),
		TEST(a_ring_in_use_goes_on),
		TEST(aux_bytes_are_consumed_and_returned),
		TEST(an_overwritten_aux_area_is_given_whole),
		TEST(impossible_rings_are_refused),
		TEST(the_page_says_how_time_is_converted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
