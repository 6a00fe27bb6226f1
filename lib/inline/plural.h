/* SPDX-License-Identifier: MIT */
/* Words that go with a number: "1 sample is", "2 samples are". */
#ifndef INLINE_PLURAL_H
#define INLINE_PLURAL_H

#include <stdint.h>

static inline const char *plural(uint64_t nr, const char *one, const char *many)
{
	return nr == 1 ? one : many;
}

#endif
