/* SPDX-License-Identifier: MIT */
/* Bytes, numbers and texts of the formats. */
#include "out.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "digits.h"
#include "utf8.h"

int xp_out_flush(struct out *out)
{
	struct sink *sink = &out->sink;

	if (!sink->err && sink->len)
		sink->err = out->write(sink->buf, sink->len, out->data);
	sink->len = 0;
	return sink->err;
}

static bool grow(struct sink *sink, size_t len)
{
	struct out *out = (struct out *)((char *)sink - offsetof(struct out, sink));

	assert(len <= sizeof(out->buf));
	(void)len;
	return !xp_out_flush(out);
}

void xp_out_init(struct out *out, xp_export_write_fn write, void *data)
{
	out->sink = (struct sink){ .buf = out->buf, .room = sizeof(out->buf), .grow = grow };
	out->write = write;
	out->data = data;
}

void xp_out_more(struct out *out, const char *bytes, size_t len)
{
	if (xp_out_flush(out))
		return;
	if (len >= sizeof(out->buf))
		out->sink.err = out->write(bytes, len, out->data);
	else
		sink_bytes(&out->sink, bytes, len);
}

void xp_out_dec(struct out *out, uint64_t value)
{
	char digits[DIGITS_MAX], *end = digits + DIGITS_MAX;
	const char *first = digits_before(end, value);

	xp_out_bytes(out, first, (size_t)(end - first));
}

void xp_out_int(struct out *out, int64_t value)
{
	if (value < 0)
		xp_out_char(out, '-');
	xp_out_dec(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void xp_out_hex(struct out *out, uint64_t value)
{
	char digits[17];

	xp_out_bytes(out, digits, (size_t)snprintf(digits, sizeof(digits), "%" PRIx64, value));
}

void xp_out_milli(struct out *out, uint64_t thousandths)
{
	const char rest[] = { '.', (char)('0' + thousandths / 100 % 10),
			      (char)('0' + thousandths / 10 % 10), (char)('0' + thousandths % 10) };

	xp_out_dec(out, thousandths / 1000);
	xp_out_bytes(out, rest, sizeof(rest));
}

void xp_out_grouped(struct out *out, uint64_t value)
{
	uint64_t unit = 1;

	while (value / unit >= 1000)
		unit *= 1000;
	xp_out_dec(out, value / unit);
	while ((unit /= 1000) != 0) {
		const char group[] = { ',', (char)('0' + value / unit / 100 % 10),
				       (char)('0' + value / unit / 10 % 10),
				       (char)('0' + value / unit % 10) };

		xp_out_bytes(out, group, sizeof(group));
	}
}

void xp_out_plain(struct out *out, const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	size_t len = utf8_len(s);

	if (!len || utf8_is_control(s, len))
		xp_out_char(out, '?');
	else
		xp_out_bytes(out, *text, len);
	*text += len ? len : 1;
}

/* Characters that XML gives a meaning. Source: XML 1.0, "2.4 Character Data and Markup". */
static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Returns what follows it. */
static const char *put_xml_char(struct out *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = utf8_len(s);
	const char *entity = entity_of(*text);
	/* U+FFFE and U+FFFF are no characters of XML. */
	bool is_bad = !len || utf8_is_control(s, len) ||
		      (len == 3 && *s == 0xef && s[1] == 0xbf && s[2] >= 0xbe);

	if (entity)
		xp_out_text(out, entity);
	else if (is_bad)
		xp_out_text(out, "\xef\xbf\xbd");
	else
		xp_out_bytes(out, text, len);
	return text + (len ? len : 1);
}

void xp_out_xml(struct out *out, const char *text)
{
	while (*text)
		text = put_xml_char(out, text);
}

static bool fits(const char *text, size_t room)
{
	for (; *text && room; room--) {
		size_t len = utf8_len((const unsigned char *)text);

		text += len ? len : 1;
	}
	return !*text;
}

void xp_out_xml_cut(struct out *out, const char *text, size_t room)
{
	if (fits(text, room)) {
		xp_out_xml(out, text);
		return;
	}
	for (size_t i = 1; i < room; i++)
		text = put_xml_char(out, text);
	if (room)
		xp_out_text(out, "\xe2\x80\xa6");
}
