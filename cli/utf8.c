/* SPDX-License-Identifier: MIT */
/* Text from outside: whether its bytes are UTF-8. */
#include "utf8.h"

#include <stdbool.h>

size_t utf8_len(const unsigned char *s)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
	bool surrogate = s[0] == 0xed && s[1] > 0x9f;
	bool beyond = s[0] == 0xf4 && s[1] > 0x8f;
	return overlong || surrogate || beyond ? 0 : len;
}
