/* SPDX-License-Identifier: MIT */
/* What a format writes: collected, and handed on in large pieces. Nothing is written after a
 * failure.
 */
#ifndef EXPORT_OUT_H
#define EXPORT_OUT_H

#include <xperf/export.h>

#include "sink-room.h"

enum { OUT_ROOM = 1 << 16 };

struct out {
	struct sink sink;
	xp_export_write_fn write;
	void *data;
	char buf[OUT_ROOM];
};

void xp_out_init(struct out *out, xp_export_write_fn write, void *data);
/* Returns 0 or out->sink.err. */
int xp_out_flush(struct out *out);
void xp_out_more(struct out *out, const char *bytes, size_t len);

static inline void xp_out_bytes(struct out *out, const void *bytes, size_t len)
{
	struct sink *sink = &out->sink;

	if (len > sink->room - sink->len) {
		xp_out_more(out, bytes, len);
		return;
	}
	memcpy(sink->buf + sink->len, bytes, len);
	sink->len += len;
}

static inline void xp_out_text(struct out *out, const char *text)
{
	xp_out_bytes(out, text, strlen(text));
}

static inline void xp_out_char(struct out *out, char c)
{
	xp_out_bytes(out, &c, 1);
}

void xp_out_dec(struct out *out, uint64_t value);
void xp_out_int(struct out *out, int64_t value);
/* Hexadecimal, without a prefix. */
void xp_out_hex(struct out *out, uint64_t value);
/* Thousandths, as "1.250": no locale changes it. */
void xp_out_milli(struct out *out, uint64_t thousandths);
/* With a comma after each three digits, for people. */
void xp_out_grouped(struct out *out, uint64_t value);
/* The next character of *text, which is not at its end, and goes on behind it: "?" for one that
 * would do something to a terminal or to a line, and for what is no UTF-8. */
void xp_out_plain(struct out *out, const char **text);
/* Text of XML, in elements and in attributes: nothing in it is markup. */
void xp_out_xml(struct out *out, const char *text);
/* Likewise, at most @room characters of it; the last one is "…" where more does not fit. */
void xp_out_xml_cut(struct out *out, const char *text, size_t room);

#endif
