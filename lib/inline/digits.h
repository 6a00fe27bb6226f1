/* SPDX-License-Identifier: MIT */
/* Numbers as text: there are very many. */
#ifndef INLINE_DIGITS_H
#define INLINE_DIGITS_H

#include <stdint.h>
#include <string.h>

enum { DIGITS_MAX = 20 };

/* Writes a decimal number, two digits at a time, so that it ends before @end, where DIGITS_MAX
 * bytes are free. Returns its first digit. */
static inline char *digits_before(char *end, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

	for (; value >= 100; value /= 100)
		memcpy(end -= 2, &pairs[value % 100 * 2], 2);
	if (value >= 10)
		memcpy(end -= 2, &pairs[value * 2], 2);
	else
		*--end = (char)('0' + value);
	return end;
}

#endif
