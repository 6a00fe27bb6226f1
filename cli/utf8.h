/* SPDX-License-Identifier: MIT */
/* Text from outside: whether its bytes are UTF-8. */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

#include <stddef.h>

/* Length of the well-formed UTF-8 character at @s, 0 if it is none. Source: RFC 3629, section 4. */
size_t utf8_len(const unsigned char *s);

#endif
