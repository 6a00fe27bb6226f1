/* SPDX-License-Identifier: MIT */
/* A string that grows; out of memory is remembered and reported once, at the end. */
#include "str.h"

#include <errno.h>
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

int xp_str_addv(struct xp_str *str, const char *fmt, va_list ap)
{
	enum { USUAL_LEN = 48 }; /* most pieces fit at the first try */
	va_list again;
	int err = reserve(str, USUAL_LEN);

	if (err)
		return err;
	va_copy(again, ap);
	int len = vsnprintf(str->s + str->len, str->cap - str->len, fmt, ap);
	if (len < 0)
		err = -EINVAL;
	else if ((size_t)len >= str->cap - str->len && !(err = reserve(str, (size_t)len)))
		vsnprintf(str->s + str->len, (size_t)len + 1, fmt, again);
	va_end(again);
	if (err)
		str->s[str->len] = '\0';
	else
		str->len += (size_t)len;
	return err;
}

int xp_str_addf(struct xp_str *str, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int err = xp_str_addv(str, fmt, ap);
	va_end(ap);
	return err;
}

const char *xp_str_text(const struct xp_str *str)
{
	return str->s ? str->s : "";
}

char *xp_str_detach(struct xp_str *str)
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
