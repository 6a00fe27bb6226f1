/* SPDX-License-Identifier: MIT */
/* Numbers as text: exact and fast in the C locale, and in the user's for people. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any double with up to nine digits behind the point, grouped. */
enum { NUMBER_LEN = 1400 };

/* How people write numbers. Zero-initialised: as in the C locale. */
struct number_format {
	char point[8];     /* "": "." */
	char separator[8]; /* between groups of digits; "": none */
	char grouping[8];  /* sizes of groups from the point, the last repeats (localeconv(3)) */
};

/* The format the environment asks for (LC_ALL, LC_NUMERIC, LANG), looked up once. */
const struct number_format *number_format_user(void);

/* Writes as "%.*f" would in the C locale. Returns the length; @dst holds NUMBER_LEN. */
size_t number_fixed(char *dst, double value, int precision);

/*
 * Writes as "%.*f" would with this format, digits grouped if @group. Returns the length;
 * @dst holds NUMBER_LEN.
 */
size_t number_put(char *dst, const struct number_format *format, double value, int precision,
		  bool group);

/* Room for a count with its digits grouped. */
enum { COUNT_LEN = 32 };

/* A count as English texts have it in every language: "1,234,567". Returns @dst, which holds
 * COUNT_LEN. */
const char *number_grouped(char *dst, uint64_t value);

#endif
