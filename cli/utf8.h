/* SPDX-License-Identifier: MIT */
/* Text from outside: whether its bytes are UTF-8. */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the well-formed UTF-8 character at @s, 0 if it is none. Source: RFC 3629, section 4. */
size_t utf8_len(const unsigned char *s);

/* Whether a character of @len bytes does something to a terminal instead of being shown: controls,
 * and those that turn the direction of what is beside them. */
bool utf8_is_control(const unsigned char *s, size_t len);

#endif
