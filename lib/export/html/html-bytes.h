/* SPDX-License-Identifier: MIT */
/* The blocks of data of an HTML report: columns of numbers, see docs/html-report.md. */
#ifndef EXPORT_HTML_BYTES_H
#define EXPORT_HTML_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "out.h"

/* Zeroed: empty. After a failure nothing more is added. */
struct bytes {
	unsigned char *at;
	size_t len, room;
	int err;
};

void xp_bytes_add(struct bytes *bytes, const void *from, size_t len);
/* A number, in groups of 7 bits. */
void xp_bytes_number(struct bytes *bytes, uint64_t value);
/* A number that may be negative. */
void xp_bytes_signed(struct bytes *bytes, int64_t value);
void xp_bytes_fini(struct bytes *bytes);

/* Writes a block as an element of the page, compressed where that is possible. Returns 0 or
 * -ENOMEM. */
int xp_bytes_write(const struct bytes *bytes, const char *name, struct out *out);

#endif
