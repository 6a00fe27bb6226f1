/* SPDX-License-Identifier: MIT */
/* A string that grows. Zero-initialised is empty; free with xp_str_fini(). */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <xperf/api.h>

struct xp_str {
	char *s; /* NUL-terminated once anything was added, else NULL */
	size_t len;
	size_t cap;
	bool failed; /* out of memory: all later additions are dropped */
};

/* Adds @len bytes. Returns 0 or -ENOMEM. */
int xp_str_add(struct xp_str *str, const char *bytes, size_t len);
/* Adds formatted text. Returns 0 or -ENOMEM. */
int xp_str_addf(struct xp_str *str, const char *fmt, ...) XP_PRINTF(2, 3);
int xp_str_addv(struct xp_str *str, const char *fmt, va_list ap) XP_PRINTF(2, 0);
/* The text, "" when empty; valid until the next change. */
const char *xp_str_text(const struct xp_str *str);
/* Hands the text over to the caller, who frees it; the string is empty again. NULL on out of
 * memory. */
char *xp_str_detach(struct xp_str *str);
void xp_str_fini(struct xp_str *str);

#endif
