/* SPDX-License-Identifier: MIT */
/* "-t": the text between the columns of report and diff. */
#ifndef CLI_SEPARATOR_H
#define CLI_SEPARATOR_H

#include "options.h"

/* A row of an option table; @field: the offset of a const char *, NULL without a separator. */
#define SEPARATOR_OPTION(field)                                                                    \
	{                                                                                          \
		't', "field-separator", OPTION_CALL, (field),                                      \
			.value = "text", .call = separator_parse,                                  \
			.help = "separate columns by this text"                                    \
	}
int separator_parse(const struct option *option, const char *arg, bool negated, void *values);

/* Replaces a separator inside a name, which would start a new column. @separator: may be NULL */
void separator_hide(char *name, const char *separator);

#endif
