/* SPDX-License-Identifier: MIT */
/* Output that is compressed on its way. */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include <xperf/export.h>

struct gzip;

/* Compresses what xp_gzip_write() gets, and hands it on. Returns 0; -ENOSYS: there is no zlib;
 * -ENOMEM. */
int xp_gzip_new(xp_export_write_fn write, void *data, struct gzip **ret_gzip);
/* An xp_export_write_fn. @gzip: the struct gzip */
int xp_gzip_write(const void *bytes, size_t len, void *gzip);
/* After the last bytes. Returns 0 or what the write function returned. */
int xp_gzip_end(struct gzip *gzip);
/* NULL is allowed. */
void xp_gzip_free(struct gzip *gzip);

/* Unpacks a gzip file of at most 1 GiB. *ret_bytes is the caller's to free. Returns 0; -ENOSYS:
 * there is no zlib; -EBADMSG: it is damaged, or cut off; -EFBIG, -ENOMEM. */
int xp_gzip_unpack(const void *bytes, size_t len, void **ret_bytes, size_t *ret_len);

#endif
