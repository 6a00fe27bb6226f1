/* SPDX-License-Identifier: MIT */
/* Texts of messages, and their end. */
#include "message.h"

#include <errno.h>

#include "utf8.h"

void xp_message_text(struct xp_str *message, uint32_t field, const char *text)
{
	struct xp_str valid = { 0 };

	while (*text) {
		size_t len = utf8_len((const unsigned char *)text);

		xp_str_add(&valid, len ? text : "\xef\xbf\xbd", len ? len : 3);
		text += len ? len : 1;
	}
	message_part(message, field, &valid);
	xp_str_fini(&valid);
}

int xp_message_write(struct xp_str *message, struct out *out)
{
	if (message->failed)
		return -ENOMEM;
	if (message->len)
		xp_out_bytes(out, message->s, message->len);
	message->len = 0;
	return 0;
}
