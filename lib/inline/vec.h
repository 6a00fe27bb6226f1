/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow by doubling, so that adding costs the same however many there are. vec_add() is
 * for those that only grow; vec_reserve() keeps the room and is for others.
 */
#ifndef INLINE_VEC_H
#define INLINE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes room for @more elements after the first @nr. @array_ptr is the address of a pointer to
 * elements of @size bytes, *room the number it has room for; both change only on success. Returns 0
 * or -ENOMEM.
 */
static inline int vec_reserve_more(void *array_ptr, size_t nr, size_t more, size_t *room,
				   size_t size)
{
	enum { AT_FIRST = 16 };
	size_t need = nr + more, wanted = *room ? *room : AT_FIRST;
	void *array;

	if (need < nr || need > SIZE_MAX / 2 / size)
		return -ENOMEM;
	if (need <= *room)
		return 0;
	while (wanted < need)
		wanted *= 2;
	/* Pointers to all types have one representation here, but not one type. */
	memcpy(&array, array_ptr, sizeof(array));
	array = reallocarray(array, wanted, size);
	if (!array)
		return -ENOMEM;
	memcpy(array_ptr, &array, sizeof(array));
	*room = wanted;
	return 0;
}

/* The same for one more. */
static inline int vec_reserve(void *array_ptr, size_t nr, size_t *room, size_t size)
{
	return nr < *room ? 0 : vec_reserve_more(array_ptr, nr, 1, room, size);
}

/*
 * Makes room for one more element after the first @nr of an array that only this function
 * allocates: its room is a power of two and follows from @nr. Returns 0 or -ENOMEM.
 */
static inline int vec_add(void *array_ptr, size_t nr, size_t size)
{
	enum { AT_FIRST = 16 };
	size_t room = nr;

	if (nr && (nr < AT_FIRST || nr & (nr - 1)))
		return 0;
	return vec_reserve_more(array_ptr, nr, nr ? nr : AT_FIRST, &room, size);
}

#endif
