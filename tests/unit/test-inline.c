/* SPDX-License-Identifier: MIT */
/* lib/inline: arrays that grow, searching them, and indexes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "index.h"
#include "search.h"
#include "vec.h"

static void test_vec(void **state)
{
	uint64_t *numbers = NULL;
	size_t nr = 0, room = 0, grown = 0;

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		size_t before = room;

		assert_int_equal(vec_reserve(&numbers, nr, &room, sizeof(*numbers)), 0);
		grown += room != before;
		numbers[nr++] = i;
	}
	assert_true(grown < 16);
	for (uint64_t i = 0; i < nr; i++)
		assert_int_equal(numbers[i], i);
	assert_int_equal(vec_reserve_more(&numbers, nr, 100000, &room, sizeof(*numbers)), 0);
	assert_true(room >= nr + 100000);
	free(numbers);
}

/* What cannot be had changes nothing. */
static void test_vec_too_large(void **state)
{
	uint64_t *numbers = NULL;
	size_t room = 0;

	(void)state;
	assert_int_equal(vec_reserve_more(&numbers, 0, 3, &room, sizeof(*numbers)), 0);
	uint64_t *before = numbers;
	size_t room_before = room;
	assert_int_equal(vec_reserve_more(&numbers, 3, SIZE_MAX, &room, sizeof(*numbers)), -ENOMEM);
	assert_int_equal(vec_reserve_more(&numbers, 3, SIZE_MAX / 8, &room, sizeof(*numbers)),
			 -ENOMEM);
	assert_ptr_equal(numbers, before);
	assert_int_equal(room, room_before);
	free(numbers);
}

/* What only grows needs no count of its room, and may lose elements. */
static void test_vec_add(void **state)
{
	uint32_t *numbers = NULL;
	size_t nr = 0;

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = (uint32_t)nr; i < 3000; i++) {
			assert_int_equal(vec_add(&numbers, nr, sizeof(*numbers)), 0);
			numbers[nr++] = i;
		}
		for (uint32_t i = 0; i < nr; i++)
			assert_int_equal(numbers[i], i);
		nr = round ? 5 : 1000;
	}
	free(numbers);
}

static int compare_numbers(const void *a, const void *b)
{
	int l = *(const int *)a, r = *(const int *)b;

	return (l > r) - (l < r);
}

static void test_search(void **state)
{
	static const int numbers[] = { 1, 3, 3, 3, 7 };
	static const struct {
		int key;
		size_t before;
	} cases[] = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 1 }, { 4, 4 }, { 7, 4 }, { 8, 5 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			search_before(&cases[i].key, numbers, 5, sizeof(int), compare_numbers),
			cases[i].before);
	assert_int_equal(search_before(&cases[0].key, NULL, 0, sizeof(int), compare_numbers), 0);
}

/* Elements with one hash are found one after the other, others not. */
static void test_index(void **state)
{
	enum { NR = 5000, EACH = 3 };
	struct index index = { 0 };
	size_t at, nr = 0;

	(void)state;
	struct index_walk none = index_walk(&index, 1);
	assert_false(index_next(&none, &at));
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(index_add(&index, xp_hash_word(1, i / EACH), i), 0);
	for (size_t key = 0; key < NR / EACH; key++) {
		struct index_walk walk = index_walk(&index, xp_hash_word(1, key));
		bool found[EACH] = { false };

		while (index_next(&walk, &at))
			if (at / EACH == key)
				found[at % EACH] = true;
		for (int i = 0; i < EACH; i++)
			nr += found[i];
	}
	assert_int_equal(nr, NR / EACH * EACH);
	struct index_walk missing = index_walk(&index, xp_hash_word(1, NR));
	while (index_next(&missing, &at))
		assert_true(at < NR);
	index_fini(&index);
	assert_int_equal(index.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vec),     cmocka_unit_test(test_vec_too_large),
		cmocka_unit_test(test_vec_add), cmocka_unit_test(test_search),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
