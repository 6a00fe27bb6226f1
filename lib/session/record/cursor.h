/* SPDX-License-Identifier: MIT */
/* Bytes that are consumed from the front, and never more than there are. */
#ifndef SESSION_CURSOR_H
#define SESSION_CURSOR_H

#include <xperf/api.h>

struct cursor {
	const uint8_t *at, *end;
	bool bad; /* something did not fit: from then on there is nothing */
};

/* Returns NULL if @bytes are not there. */
static inline const void *consume(struct cursor *c, uint64_t bytes)
{
	const uint8_t *at = c->at;

	if (c->bad || bytes > (uint64_t)(c->end - at)) {
		c->bad = true;
		return NULL;
	}
	c->at += bytes;
	return at;
}

#endif
