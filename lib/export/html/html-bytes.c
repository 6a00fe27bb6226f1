/* SPDX-License-Identifier: MIT */
/* Numbers become bytes, and bytes an element of an HTML page. */
#include "html-bytes.h"

#include <errno.h>
#include <stdlib.h>

#include "gzip.h"
#include "vec.h"

void xp_bytes_add(struct bytes *bytes, const void *from, size_t len)
{
	if (!bytes->err)
		bytes->err = vec_reserve_more(&bytes->at, bytes->len, len, &bytes->room, 1);
	if (bytes->err || !len)
		return;
	memcpy(bytes->at + bytes->len, from, len);
	bytes->len += len;
}

void xp_bytes_number(struct bytes *bytes, uint64_t value)
{
	unsigned char groups[10];
	size_t nr = 0;

	for (; value > 0x7f; value >>= 7)
		groups[nr++] = (unsigned char)(value | 0x80);
	groups[nr++] = (unsigned char)value;
	xp_bytes_add(bytes, groups, nr);
}

void xp_bytes_signed(struct bytes *bytes, int64_t value)
{
	xp_bytes_number(bytes, value < 0 ? 2 * -(uint64_t)value - 1 : 2 * (uint64_t)value);
}

void xp_bytes_fini(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){ 0 };
}

/* Source: RFC 4648, section 4. */
static void write_base64(struct out *out, const unsigned char *at, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (; len; at += 3, len -= len < 3 ? len : 3) {
		uint32_t bits = (uint32_t)at[0] << 16 | (len > 1 ? (uint32_t)at[1] << 8 : 0) |
				(len > 2 ? at[2] : 0U);
		const char group[] = { digits[bits >> 18], digits[bits >> 12 & 63],
				       len > 1 ? digits[bits >> 6 & 63] : '=',
				       len > 2 ? digits[bits & 63] : '=' };

		xp_out_bytes(out, group, sizeof(group));
	}
}

static int keep(const void *bytes, size_t len, void *data)
{
	struct bytes *kept = data;

	xp_bytes_add(kept, bytes, len);
	return kept->err;
}

/* Returns 0, -ENOSYS (there is no zlib), -ENOMEM. */
static int pack(const struct bytes *bytes, struct bytes *packed)
{
	struct gzip *gzip = NULL;
	int err = xp_gzip_new(keep, packed, &gzip)
			  ?: xp_gzip_write(bytes->at, bytes->len, gzip) ?: xp_gzip_end(gzip);

	xp_gzip_free(gzip);
	return err;
}

int xp_bytes_write(const struct bytes *bytes, const char *name, struct out *out)
{
	struct bytes packed = { 0 };
	int err = bytes->err ?: pack(bytes, &packed);
	bool is_packed = !err;

	if (!err || err == -ENOSYS) {
		const struct bytes *written = is_packed ? &packed : bytes;

		xp_out_text(out, "<script type=\"text/plain\" id=\"data-");
		xp_out_text(out, name);
		xp_out_text(out, is_packed ? "\" data-packed=\"gzip\">" : "\">");
		write_base64(out, written->at, written->len);
		xp_out_text(out, "</script>\n");
		err = 0;
	}
	xp_bytes_fini(&packed);
	return err;
}
