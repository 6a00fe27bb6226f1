/* SPDX-License-Identifier: MIT */
/* In place of zlib.c where the build has no zlib: nothing is compressed. */
#include <errno.h>

#include "gzip.h"

int xp_gzip_new(xp_export_write_fn write, void *data, struct gzip **ret_gzip)
{
	(void)write, (void)data, (void)ret_gzip;
	return -ENOSYS;
}

int xp_gzip_write(const void *bytes, size_t len, void *gzip)
{
	(void)bytes, (void)len, (void)gzip;
	return -EIO;
}

int xp_gzip_end(struct gzip *gzip)
{
	(void)gzip;
	return -EIO;
}

void xp_gzip_free(struct gzip *gzip)
{
	(void)gzip;
}

int xp_gzip_unpack(const void *bytes, size_t len, void **ret_bytes, size_t *ret_len)
{
	(void)bytes, (void)len, (void)ret_bytes, (void)ret_len;
	return -ENOSYS;
}
