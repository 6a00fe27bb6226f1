/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as conditions on samples, evaluated if they are some. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

#include "sample-conditions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static __u64 same(__u32 field, void *from)
{
	assert(field <= SAMPLE_FIELD_GID);
	(void)from;
	return 0x8000000000000001ULL * field;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct xp_sample_filter filter = { 0 };
	struct xp_diag diag = { 0 };
	uint64_t type;

	memcpy(text, data, size);
	text[size] = '\0';
	int err = xp_sample_filter_parse(NULL, text, &filter, &type, &diag);
	if (err) {
		assert(err == -EINVAL && diag.err == -EINVAL && diag.what[0]);
		assert(!strpbrk(diag.what, "\n\r\t\x1b") && !strpbrk(diag.input, "\n\r\t\x1b"));
		assert(diag.pos >= 0 && diag.len >= 1);
		assert((size_t)diag.pos <= strlen(diag.input));
		assert(!filter.nr);
	} else {
		assert(filter.nr > 0 && filter.nr <= SAMPLE_TERMS_MAX);
		assert(filter.terms[filter.nr - 1].is_last);
		sample_terms_hold(filter.terms, (__u32)filter.nr, same, NULL);
	}
	free(text);
	return 0;
}
