/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text. The process stays in the C locale; the user's point and grouping are asked from
 * a locale object, and only if the environment names one that could differ: loading it costs a
 * dozen system calls. Source: locale(7) for the order of the variables, localeconv(3) for grouping.
 */
#include "number.h"

#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *locale_name(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_NUMERIC", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return value;
	}
	return "C";
}

static bool is_plain(const char *name)
{
	static const char *const plain[] = { "C", "POSIX", "C.UTF-8", "C.utf8" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcasecmp(name, plain[i]))
			return true;
	return false;
}

static void copy_item(char *dst, size_t size, const char *item)
{
	if (strlen(item) < size)
		strcpy(dst, item);
}

static struct number_format look_up(const char *name)
{
	struct number_format format = { 0 };
	locale_t locale = newlocale(LC_NUMERIC_MASK, name, (locale_t)0);

	if (locale == (locale_t)0)
		return format;
	copy_item(format.point, sizeof(format.point), nl_langinfo_l(RADIXCHAR, locale));
	copy_item(format.separator, sizeof(format.separator), nl_langinfo_l(THOUSEP, locale));
	copy_item(format.grouping, sizeof(format.grouping), nl_langinfo_l(GROUPING, locale));
	freelocale(locale);
	return format;
}

const struct number_format *number_format_user(void)
{
	static struct number_format format;
	static bool known;

	if (!known && !is_plain(locale_name()))
		format = look_up(locale_name());
	known = true;
	return &format;
}

static size_t put_digits(char *dst, uint64_t value)
{
	char reversed[20];
	size_t len = 0;

	do
		reversed[len++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < len; i++)
		dst[i] = reversed[len - 1 - i];
	return len;
}

static const uint64_t powers[] = { 1,      10,      100,      1000,      10000,
				   100000, 1000000, 10000000, 100000000, 1000000000 };

/*
 * Rounds value * 10^precision where that cannot be wrong: below 2^36 the product's error is under
 * 1e-5, so only what lies that near to a half needs printf's exact arithmetic.
 */
static bool round_safely(double value, int precision, uint64_t *ret_units)
{
	double units = value * (double)powers[precision];

	if (!(units < 0x1p36))
		return false;
	uint64_t whole = (uint64_t)units;
	double rest = units - (double)whole;
	if (fabs(rest - 0.5) < 1e-4)
		return false;
	*ret_units = whole + (rest > 0.5);
	return true;
}

static size_t put_units(char *dst, uint64_t units, int precision)
{
	size_t len = put_digits(dst, units / powers[precision]);
	uint64_t rest = units % powers[precision];

	if (!precision)
		return len;
	dst[len++] = '.';
	for (int digit = precision - 1; digit >= 0; digit--)
		dst[len++] = (char)('0' + rest / powers[digit] % 10);
	return len;
}

size_t number_fixed(char *dst, double value, int precision)
{
	uint64_t units;

	if (precision >= 0 && precision <= 9 && value >= 0 && !signbit(value)) {
		if (value < 0x1p53 && value == (double)(uint64_t)value) {
			size_t len = put_digits(dst, (uint64_t)value);

			if (precision) {
				dst[len] = '.';
				memset(dst + len + 1, '0', (size_t)precision);
				len += 1 + (size_t)precision;
			}
			return len;
		}
		if (round_safely(value, precision, &units))
			return put_units(dst, units, precision);
	}
	return (size_t)snprintf(dst, NUMBER_LEN, "%.*f", precision, value);
}

/* The size of the group behind the one @at describes; 0: no more groups. */
static int group_size(const char **at)
{
	int size = **at;

	if (size <= 0 || size == CHAR_MAX)
		return 0;
	if ((*at)[1])
		(*at)++;
	return size;
}

/* Marks in @starts the digits of @len that begin a group, but for the first. */
static void mark_groups(const struct number_format *format, size_t len, bool *starts)
{
	const char *at = format->grouping;

	memset(starts, 0, len);
	for (size_t left = len;;) {
		size_t size = (size_t)group_size(&at);

		if (!size || size >= left)
			return;
		left -= size;
		starts[left] = true;
	}
}

static size_t append(char *dst, size_t len, const char *text, size_t text_len)
{
	if (len + text_len >= NUMBER_LEN)
		return len;
	memcpy(dst + len, text, text_len);
	return len + text_len;
}

size_t number_put(char *dst, const struct number_format *format, double value, int precision,
		  bool group)
{
	bool has_groups = group && format->separator[0] && format->grouping[0];
	bool has_point = format->point[0] && strcmp(format->point, ".");

	if (!has_groups && !has_point)
		return number_fixed(dst, value, precision);

	char text[NUMBER_LEN];
	bool starts[NUMBER_LEN] = { false };
	size_t text_len = number_fixed(text, value, precision);
	const char *point = memchr(text, '.', text_len);
	size_t first = text[0] == '-';
	size_t end = point ? (size_t)(point - text) : text_len;
	size_t len = append(dst, 0, text, first);

	if (has_groups)
		mark_groups(format, end - first, starts);
	for (size_t i = first; i < end; i++) {
		if (starts[i - first])
			len = append(dst, len, format->separator, strlen(format->separator));
		len = append(dst, len, &text[i], 1);
	}
	if (!point)
		return len;
	const char *shown_point = has_point ? format->point : ".";
	len = append(dst, len, shown_point, strlen(shown_point));
	return append(dst, len, point + 1, text_len - end - 1);
}

const char *number_grouped(char *dst, uint64_t value)
{
	char digits[COUNT_LEN];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			dst[at++] = ',';
		dst[at++] = digits[i];
	}
	dst[at] = '\0';
	return dst;
}
