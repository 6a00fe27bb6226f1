/* SPDX-License-Identifier: MIT */
/* Long names in few columns. */
#ifndef BROWSER_SHORTEN_H
#define BROWSER_SHORTEN_H

#include <stddef.h>

/*
 * Writes @text so that it fits into @columns. Of functions of C++, template arguments become <...>
 * first, then parameters (...); what is still too long loses its middle.
 * Returns @text if it fits, else @buf, which has @room bytes and holds what fits into it.
 */
const char *shorten(const char *text, int columns, char *buf, size_t room);
/* Only the first step: with "<...>" for all template arguments. Returns likewise. */
const char *shorten_templates(const char *text, char *buf, size_t room);

#endif
