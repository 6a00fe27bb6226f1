/* SPDX-License-Identifier: MIT */
/* The mount table. Source of its form: proc(5), /proc/mounts; fstab(5), getmntent(3). */
#include "mounts.h"

#include <string.h>

#include "cleanup.h"

/* Undoes the \ooo that /proc/mounts writes for blanks, in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 +
				       (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

int xp_mounts_walk(struct xp_ctx *ctx, int (*fn)(const struct xp_mount *mount, void *data),
		   void *data)
{
	xp_auto_free char *mounts = NULL;
	char *line_state = NULL;
	int r = xp_file_read(ctx, &mounts, NULL, "/proc/mounts");

	if (r)
		return r;
	for (char *line = strtok_r(mounts, "\n", &line_state); line && !r;
	     line = strtok_r(NULL, "\n", &line_state)) {
		char *state = NULL;
		const char *device = strtok_r(line, " ", &state);
		char *at = strtok_r(NULL, " ", &state);
		const char *type = strtok_r(NULL, " ", &state);
		const char *options = strtok_r(NULL, " ", &state);

		if (!device || !at || !type)
			continue;
		unescape(at);
		r = fn(&(struct xp_mount){ at, type, options ? options : "" }, data);
	}
	return r;
}
