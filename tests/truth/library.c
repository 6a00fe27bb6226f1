/* SPDX-License-Identifier: MIT
 *
 * The library of the programs of truth.
 */
#include "library.h"

#include "truth.h"

TRUTH_NOINLINE static int library_inner(const char *name, int (*callback)(int), int value)
{
	int result;

	TRUTH_ENTER();
	TRUTH_POINT(name);
	result = callback(value) + 1;
	TRUTH_LEAVE();
	return result;
}

int library_call(const char *name, int (*callback)(int), int value)
{
	volatile char frame[300];
	int result;

	TRUTH_ENTER();
	frame[value % 300] = 1;
	result = library_inner(name, callback, value) + frame[value % 300];
	TRUTH_LEAVE();
	return result;
}

int library_short(int value)
{
	if (value == 0) {
		TRUTH_ENTER();
		TRUTH_POINT("hot-library");
		TRUTH_LEAVE();
	}
	return value + 1;
}
