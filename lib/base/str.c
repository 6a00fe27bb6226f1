/* SPDX-License-Identifier: MIT */
/* A string that grows; out of memory is remembered and reported once, at the end. */
#include "str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(struct xp_str *str, size_t more)
{
	size_t need = str->len + more + 1;

	if (str->failed)
		return -ENOMEM;
	if (need <= str->cap)
		return 0;

	size_t cap = str->cap ? str->cap : 64;
	while (cap < need)
		cap *= 2;
	char *s = realloc(str->s, cap);
	if (!s) {
		str->failed = true;
		return -ENOMEM;
	}
	str->s = s;
	str->cap = cap;
	return 0;
}

int xp_str_add(struct xp_str *str, const char *bytes, size_t len)
{
	int err = reserve(str, len);

	if (err)
		return err;
	memcpy(str->s + str->len, bytes, len);
	str->len += len;
	str->s[str->len] = '\0';
	return 0;
}

int xp_str_addf(struct xp_str *str, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		return -EINVAL;

	int err = reserve(str, (size_t)len);
	if (err)
		return err;
	va_start(ap, fmt);
	vsnprintf(str->s + str->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	str->len += (size_t)len;
	return 0;
}

const char *xp_str_text(const struct xp_str *str)
{
	return str->s ? str->s : "";
}

char *xp_str_take(struct xp_str *str)
{
	char *s = str->failed ? NULL : str->s ? str->s : strdup("");

	if (str->failed)
		free(str->s);
	*str = (struct xp_str){ 0 };
	return s;
}

void xp_str_fini(struct xp_str *str)
{
	free(str->s);
	*str = (struct xp_str){ 0 };
}
