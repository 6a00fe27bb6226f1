/* SPDX-License-Identifier: MIT */
/*
 * Whether what lies before an address can be a call: FF /2 with all its forms, or E8. Source: Intel
 * 64 and IA-32 Architectures Software Developer's Manual, volume 2, CALL.
 */
#ifndef INLINE_X86_CALL_H
#define INLINE_X86_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_CALL_MAX = 7 };

static inline bool x86_call_ends(const uint8_t bytes[X86_CALL_MAX])
{
	static const int lens[] = { 2, 3, 4, 6, 7 };

	if (bytes[X86_CALL_MAX - 5] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		const uint8_t *at = bytes + X86_CALL_MAX - lens[i];

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

#endif
