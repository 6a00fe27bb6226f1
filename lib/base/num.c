/* SPDX-License-Identifier: MIT */
/* Numbers in text: strict, locale-free. */
#include "num.h"

#include <errno.h>
#include <string.h>

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

int xp_num_parse(const char *text, size_t len, int base, uint64_t *ret_value)
{
	bool hex_prefix = len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	uint64_t value = 0;

	if (hex_prefix && (base == 0 || base == 16)) {
		text += 2;
		len -= 2;
		base = 16;
	}
	if (base == 0)
		base = 10;
	if (!len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		int digit = digit_of(text[i]);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return -ERANGE;
	}
	*ret_value = value;
	return 0;
}

static size_t digits_at(const char *text)
{
	return strspn(text, "0123456789");
}

int xp_num_ranges(const char *text, uint64_t max,
		  int (*fn)(uint64_t first, uint64_t last, void *data), void *data, int *ret_pos)
{
	const char *p = text;
	int pos_dummy;

	if (!ret_pos)
		ret_pos = &pos_dummy;
	for (;;) {
		uint64_t first, last;
		size_t len = digits_at(p);

		*ret_pos = (int)(p - text);
		if (xp_num_parse(p, len, 10, &first) || first > max)
			return -EINVAL;
		p += len;
		last = first;
		if (*p == '-') {
			len = digits_at(++p);
			*ret_pos = (int)(p - text);
			if (xp_num_parse(p, len, 10, &last) || last > max || last < first)
				return -EINVAL;
			p += len;
		}
		int err = fn(first, last, data);
		if (err)
			return err;
		*ret_pos = (int)(p - text);
		if (*p == ',') {
			p++;
			continue;
		}
		if (*p == '\n')
			p++;
		return *p ? -EINVAL : 0;
	}
}
