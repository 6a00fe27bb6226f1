/* SPDX-License-Identifier: MIT */
/* Memory for large tables: of large pages, where the kernel has some. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

/* @bytes > 0, zeroed. Returns NULL without memory. */
void *xp_pages_alloc(size_t bytes);
/* Gives back what xp_pages_alloc() gave for as many bytes; NULL is allowed. */
void xp_pages_free(void *at, size_t bytes);

#endif
